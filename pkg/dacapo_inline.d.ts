/** Bytes of the module. */
export const length: number;
/** The module as text. */
export const text: string;
