// Chromium, over the DevTools protocol.

import { startChromium } from '../../js/browser/chromium.js';

export async function start() {
  const browser = await startChromium();
  const page = await browser.newPage();
  return {
    name: `Chromium ${browser.version().split('.')[0]}`,
    goto: (url) => page.goto(url),
    close: () => browser.close(),
  };
}
