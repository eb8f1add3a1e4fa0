/** Bytes of the module. */
export const length: number;
/** Where the code section begins and ends. */
export const code: [number, number];
/** First operator, last operator, and the stream of each of their operands. */
export const operands: [number, number, ...number[]][];
/** The bytes that are one character in the first stream, in the order of their characters. */
export const single: string;
/** Stream 0 holds all that is in no other. */
export const streams: [string, ...string[]];
