/**
 * The client's half of `scripted-server.js`, for any runtime: no `node:` import.
 *
 *   const url = play(origin, [{ status: 503 }, { json: { ok: true } }]);
 *   await fetch(url);                      // 503; the next request of this URL gets the JSON
 *   (await seen(url)).length               // 1
 *   await seenUntil(url, (requests) => requests[0]?.left)
 *
 * The script travels in the URL, so a page or a Worker needs no second channel to the
 * server. What a step may say is told in `scripted-server.js`.
 */

/** @import { Seen, Step } from './scripted-server.js' */

/**
 * The URL that plays `steps`, one a request; the last one is repeated.
 *
 * @param {string} origin The server's.
 * @param {Step[]} steps
 * @returns {string}
 */
export function play(origin, steps) {
  return `${origin}/play/${crypto.randomUUID()}?steps=${encodeURIComponent(JSON.stringify(steps))}`;
}

/**
 * The requests that this URL got so far, in order, without CORS preflights.
 *
 * @param {string} url As `play` made it; more may have been added to its query.
 * @returns {Promise<Seen[]>}
 */
export async function seen(url) {
  const { origin, pathname } = new URL(url);
  const response = await fetch(`${origin}${pathname.replace('/play/', '/seen/')}`);
  return response.json();
}

/**
 * The requests, as soon as `enough` says so; rejects when it has not within two seconds.
 *
 * @param {string} url
 * @param {(requests: Seen[]) => unknown} enough
 * @returns {Promise<Seen[]>}
 */
export async function seenUntil(url, enough) {
  for (let tries = 0; tries < 100; tries++) {
    const requests = await seen(url);
    if (enough(requests)) return requests;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`the server did not see it: ${JSON.stringify(await seen(url))}`);
}
