/**
 * @typedef {object} Sheet
 * @property {string} title
 * @property {string} text
 * @property {import('./measure.js').Result[]} results
 * @property {string} [against] The contestant that ratios are taken against.
 */

/**
 * A sheet of another kind: what is in its cells is told by its heads.
 *
 * @typedef {object} Grid
 * @property {string} title
 * @property {string} text
 * @property {string[]} heads
 * @property {string[][]} rows
 */

/**
 * A table in Markdown as it is.
 *
 * @param {Grid} grid
 */
export function gridTable({ title, text, heads, rows }) {
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(' | ')} |`;
  const rule = `|---|${'---:|'.repeat(heads.length - 1)}`;
  return [`### ${title}`, '', `${text}.`, '', line(heads), rule, ...rows.map(line), ''].join('\n');
}

/**
 * A table in Markdown, the quickest first.
 *
 * @param {Sheet} sheet
 * @param {Record<string, string>} versions
 */
export function table({ title, text, results, against }, versions) {
  const reference = results.find(({ name }) => name === against);
  const rows = results
    .filter(({ name }) => !name.startsWith('the bare call'))
    .sort((a, b) => a.addedNs - b.addedNs)
    .map(({ name, addedNs, spreadNs }) => {
      const shown = name.startsWith('dacapo') ? `**${name}**` : name + (versions[name] ? ` ${versions[name]}` : '');
      const ratio = reference === undefined ? '' : ` ${(addedNs / reference.addedNs).toFixed(1)} |`;
      return `| ${shown} | ${micros(addedNs)} | ± ${micros(spreadNs)} |${ratio}`;
    });
  const heads = reference === undefined
    ? ['| | µs a call | spread |', '|---|---:|---:|']
    : [`| | added µs a call | spread | × ${against} |`, '|---|---:|---:|---:|'];
  return [`### ${title}`, '', `${text}.`, '', ...heads, ...rows, ''].join('\n');
}

/** @param {number} ns */
function micros(ns) {
  const us = ns / 1000;
  return us.toFixed(Math.abs(us) < 10 ? 2 : 1);
}
