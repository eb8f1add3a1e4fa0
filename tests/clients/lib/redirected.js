// How the examples of a client that is told its provider in the program alone reach the loopback one.

/**
 * The environment of a Node.js program whose requests this provider answers, whatever their origin.
 *
 * @param {string} url
 */
export const redirectedTo = (url) => ({ NODE_OPTIONS: `--import=${new URL('redirect.js', import.meta.url)}`, PROVIDER_URL: url });
