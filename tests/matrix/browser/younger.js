// What platforms have got since the browsers that docs/browsers.md says suffice for everything. What cannot be taken away, like
// Symbol.asyncDispose, is missing here.

const YOUNGER = {
  Array: ['fromAsync'],
  ArrayBuffer: ['maxByteLength', 'resizable', 'resize'],
  Blob: ['bytes', 'textStream'],
  Error: ['captureStackTrace', 'isError', 'stackTraceLimit'],
  EventTarget: ['when'],
  Iterator: [
    'concat', 'drop', 'every', 'filter', 'find', 'flatMap', 'forEach', 'from', 'includes', 'join', 'map', 'reduce', 'some', 'take',
    'toArray', 'zip', 'zipKeyed',
  ],
  JSON: ['isRawJSON', 'rawJSON'],
  Map: ['getOrInsert', 'getOrInsertComputed'],
  Promise: ['try'],
  ReadableStream: ['from', 'values', Symbol.asyncIterator],
  RegExp: ['escape'],
  Request: ['body', 'bytes', 'duplex', 'keepalive', 'textStream'],
  Response: ['bytes', 'textStream'],
  Set: ['difference', 'intersection', 'isDisjointFrom', 'isSubsetOf', 'isSupersetOf', 'symmetricDifference', 'union'],
  URL: ['parse'],
  Uint8Array: ['fromBase64', 'fromHex', 'setFromBase64', 'setFromHex', 'toBase64', 'toHex'],
  WeakMap: ['getOrInsert', 'getOrInsertComputed'],
};

/** Makes an older platform of this one. */
export function takeAway() {
  for (const [name, members] of Object.entries(YOUNGER)) {
    for (const holder of [globalThis[name], globalThis[name]?.prototype]) {
      for (const member of members) delete holder?.[member];
    }
  }
}
