// The places that the matrix is about: a run in which one of them is missing has failed.

/** As they record themselves; `*` stands for the version that ran. */
export const places = [
  'Node.js 20.*',
  'Node.js 22.*',
  'Node.js 24.*',
  'Node.js 26.*',
  'Deno *',
  'Bun *',
  'workerd *',
  'workerd *, dacapo/slim',
  'miniflare *',
  'Chromium *, page',
  'Chromium *, web worker',
  'Chromium *, service worker',
  'Firefox *, page',
  'Firefox *, web worker',
  'Firefox *, service worker',
  'WebKitGTK *, page',
  'WebKitGTK *, web worker',
  'WebKitGTK *, service worker',
  'Vite *',
  'Vite *, web worker',
  'Vite *, dev server',
  'Vite *, dev server, web worker',
  'webpack *',
  'webpack *, web worker',
  'webpack *, for Node.js',
  'esbuild *',
  'esbuild *, web worker',
  'Rollup *',
  'Rollup *, web worker',
  'Parcel *',
  'Parcel *, web worker',
  'Next.js *, nodejs',
  'Next.js *, edge',
  'Next.js *, proxy',
  'Next.js *, client component',
];

/** What cannot be had by way of the package registries and Debian, and why. docs/runtimes.md says the same. */
export const absent = {
  Safari: 'It comes with Apple’s systems alone; WebKitGTK shares its engine.',
  'Older browsers': 'Debian has one release of each.',
  Electron: 'Its package fetches the program from elsewhere; a page with the policy of such an app runs in Chromium.',
  'Vercel, Netlify, AWS Lambda and other hosts': 'They run on their owners’ machines; most are one of the runtimes above.',
  'Fastly Compute': 'Its local server is in no registry.',
  'React Native': 'Its engine, Hermes, has no WebAssembly.',
  'Windows and macOS': 'The tests run on Linux.',
};

/**
 * The entry of `places` that a recorded place stands for.
 *
 * @param {string} recorded
 * @returns {string | undefined}
 */
export function placeOf(recorded) {
  return places.find((place) => {
    const [before, after] = place.split('*');
    return recorded.startsWith(before) && recorded.endsWith(after) && /^[^\s,]+$/.test(recorded.slice(before.length, recorded.length - after.length));
  });
}
