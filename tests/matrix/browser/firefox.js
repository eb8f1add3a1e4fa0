// Firefox, over WebDriver BiDi.

import puppeteer from 'puppeteer-core';

import { onPath } from './on-path.js';

export async function start() {
  const browser = await puppeteer.launch({ browser: 'firefox', executablePath: onPath('firefox-esr'), headless: true });
  const [page = await browser.newPage()] = await browser.pages();
  return {
    name: (await browser.version()).replace(/^firefox\/(\d+).*$/i, 'Firefox $1'),
    goto: (url) => page.goto(url),
    close: () => browser.close(),
  };
}
