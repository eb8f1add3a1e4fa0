// A Chromium of its own, with a fresh profile.

import { chromium } from 'playwright-core';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

function executablePath() {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, 'chromium');
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not in this folder.
    }
  }
  throw new Error('the browser suite needs `chromium` on the PATH (Debian: apt-get install chromium)');
}

export function startChromium() {
  return chromium.launch({ executablePath: executablePath(), headless: true, args: FLAGS });
}
