// sabotage: exempt, it compares the engine in the bundle with the file and asks it nothing
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { unpack } from '../../js/load/unpack.js';

test('the engine in the bundle is byte for byte the one in the file', () => {
  const file = readFileSync(new URL('../../pkg/dacapo_bg.wasm', import.meta.url));
  assert.ok(file.equals(unpack()));
});
