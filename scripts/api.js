// Writes docs/api.md from the doc comments of the published types, and fails on a name that has none: `npm run api`.

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { root } from './setup.js';

// The newest TypeScript that has an API to read a program with.
const ts = createRequire(join(root, 'tests/types/tools/package.json'))('typescript-6.0');

const WIDTH = 120;
const FILE = 'docs/api.md';

const read = (file) => readFileSync(join(root, file), 'utf8');
const manifest = JSON.parse(read('package.json'));

/** Interfaces that a caller fills in. */
const IS_GIVEN = /(Options|Target|Input|Init|Clock|Store)$/;

/** The page, and what keeps it from being complete. */
export function page(sources = {}) {
  const faults = [];
  // The engine itself is a file, with types of its own.
  const entries = Object.entries(manifest.exports).filter(([, { types }]) => types?.startsWith('./js/'));
  const parts = entries.map(([entry, { types }]) => {
    const file = types.replace('./', '');
    return module(entry.replace('.', manifest.name), sources[file] ?? read(file), (fault) => faults.push(`${file}: ${fault}`));
  });
  const text = [
    '# API reference',
    prose('Every public name, from the doc comments of the types; an editor shows the same. Units are in the names: `…Ms` is whole milliseconds, `…Bytes` is bytes. An option that is `undefined` counts as not given. What the parts do together is in [options.md](options.md), [behaviour.md](behaviour.md), [drivers.md](drivers.md), [across-calls.md](across-calls.md) and [kinds.md](kinds.md); which file an import leads to is in [runtimes.md](runtimes.md#what-the-package-exports).'),
    'This page is made by `npm run api`.',
    ...parts,
  ].join('\n\n');
  return { text: `${text}\n`, faults };
}

/** The section of one entry. */
function module(name, source, fault) {
  const isMain = name === manifest.name;
  const file = ts.createSourceFile('types.d.ts', source, ts.ScriptTarget.Latest, true);
  // The parser hangs a doc comment on what follows it; the first one is the file's.
  const about = file.statements[0].jsDoc?.shift()?.comment;
  const groups = { Functions: new Map(), Classes: new Map(), Types: new Map() };
  for (const statement of file.statements) {
    if (!ts.canHaveModifiers(statement) || !ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) continue;
    const group = ts.isFunctionDeclaration(statement) ? 'Functions' : ts.isClassDeclaration(statement) ? 'Classes' : 'Types';
    const known = groups[group].get(statement.name.text) ?? [];
    groups[group].set(statement.name.text, [...known, statement]);
  }
  if (about === undefined) fault('the file has no doc comment');
  const sections = Object.entries(groups).flatMap(([title, names]) => {
    if (names.size === 0) return [];
    const parts = [...names].map(([itsName, declarations]) => declared(itsName, declarations, isMain ? '####' : '###', fault));
    return isMain ? [`### ${title}`, ...parts] : parts;
  });
  return [`## ${name}`, prose(textOf(about).replace(/^dacapo(\/\w+)?: /, '').replace(/^\w/, (letter) => letter.toUpperCase())), ...sections].join('\n\n');
}

/** A public name: its declarations are the overloads of a function, or one. */
function declared(name, declarations, level, fault) {
  const docs = declarations.map(docOf).filter(Boolean);
  if (docs.length === 0) fault(`${name} has no doc comment`);
  const [declaration] = declarations;
  if (ts.isFunctionDeclaration(declaration)) mustTellErrors(name, docs, fault);
  const isList = ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration);
  const code = isList ? undefined : ['```ts', ...declarations.map((one) => sourceOf(one)), '```'].join('\n');
  const members = isList ? memberList(name, declaration, fault) : undefined;
  return [`${level} ${name}`, ...docs.map((doc) => paragraphs(doc)), code, members].filter(Boolean).join('\n\n');
}

function memberList(owner, declaration, fault) {
  const inherited = (declaration.heritageClauses ?? []).flatMap(({ types }) => types.map((type) => inheritance(type)));
  const items = declaration.members.map((member) => {
    const name = member.name?.getText() ?? (ts.isCallSignatureDeclaration(member) ? 'call' : 'constructor');
    const doc = docOf(member);
    if (doc === undefined) fault(`${owner}.${name} has no doc comment`);
    if (ts.isMethodDeclaration(member) || ts.isConstructorDeclaration(member) || ts.isCallSignatureDeclaration(member)) mustTellErrors(`${owner}.${name}`, [doc], fault);
    if (IS_GIVEN.test(owner) && member.questionToken) mustTellDefaultAndUnit(`${owner}.${name}`, doc, fault);
    const [first, ...more] = doc === undefined ? [''] : paragraphs(doc, false).split('\n\n');
    return [wrap(`- \`${signature(member, owner)}\`: ${first}`, '  '), ...more.map((text) => indent(text.startsWith('```') ? text : wrap(text, '', WIDTH - 2)))].join('\n\n');
  });
  return [...inherited.map((text) => (items.length > 0 ? `${text}, and:` : `${text}.`)), items.join('\n')].filter(Boolean).join('\n\n');
}

/** What a type takes over from another, in words. */
function inheritance(type) {
  const link = (name) => (ts.isIdentifier(name) && name.text !== 'Error' ? `[\`${name.getText()}\`](#${name.getText().toLowerCase()})` : `\`${name.getText()}\``);
  if (type.expression.getText() !== 'Omit') return `All of ${link(type.expression)}`;
  const [whole, names] = type.typeArguments;
  const without = names.getText().split('|').map((name) => `\`${name.trim().slice(1, -1)}\``);
  return `All of ${link(whole.typeName)} but ${without.join(', ').replace(/, ([^,]*)$/, ' and $1')}`;
}

/** What can be left out says what is then, and a number in what unit it is. */
function mustTellDefaultAndUnit(name, doc, fault) {
  const text = doc === undefined ? '' : paragraphs(doc);
  if (!/default/i.test(text)) fault(`${name} does not tell its default`);
  if ((name.endsWith('Ms') && !text.includes('millisecond')) || (name.endsWith('Bytes') && !text.includes('bytes'))) fault(`${name} does not tell its unit`);
}

/** A function says which errors come of it, or that none does. */
function mustTellErrors(name, docs, fault) {
  if (!docs.some((doc) => doc !== undefined && /throws|reject/i.test(paragraphs(doc)))) fault(`${name} does not tell its errors`);
}

// ---------------------------------------------------------------- doc comments

const docOf = (node) => node.jsDoc?.at(-1);

const textOf = (comment) => (ts.getTextOfJSDocComment(comment) ?? '').replaceAll('\r', '');

/** The text of a doc comment, with what it throws as a paragraph. */
function paragraphs(doc, isWrapped = true) {
  const tags = (doc.tags ?? []).map((tag) => {
    if (tag.tagName.text !== 'throws') throw new Error(`@${tag.tagName.text} is not known here`);
    return `Throws a [\`RetryError\`](#retryerror) ${textOf(tag.comment).replace(/^\{RetryError\} /, '')}`;
  });
  const text = [textOf(doc.comment), ...tags].filter(Boolean).join('\n\n').replace(/\{@link (\w+)\}/g, (_, name) => `[\`${name}\`](#${name.toLowerCase()})`).replace(/`docs\/([\w-]+\.md)`/g, '[$1]($1)');
  // A fence keeps its lines, empty ones as well.
  const blocks = text.split(/(```[\s\S]*?```)/).flatMap((part, i) => (i % 2 === 1 ? [part] : part.trim() === '' ? [] : part.trim().split(/\n\s*\n/)));
  return blocks.map((block) => (block.startsWith('```') ? block : isWrapped ? prose(block) : block.replace(/\s+/g, ' '))).join('\n\n');
}

// ---------------------------------------------------------------- signatures

/** A declaration as it is written, without its doc comment. */
function sourceOf(declaration) {
  return declaration.getText().replace(/^export (declare )?/, '').replace(/;?$/, ';');
}

/** A member on one line; of an optional one `undefined` goes without saying. */
function signature(member, owner) {
  const comments = /\/\*\*[\s\S]*?\*\//g;
  const text = member.getText().replace(comments, '').replace(/\s+/g, ' ').replace(/;$/, '').replace(/^readonly /, '').replace(/: \| /, ': ');
  if (ts.isConstructorDeclaration(member)) return text.replace('constructor', `new ${owner}`);
  if (!member.questionToken) return text;
  return text.replace(/ \| undefined$/, '').replace(/^(\w+\?: )\((\(.*)\)$/, (whole, name, type) => (isBalanced(type) ? name + type : whole));
}

/** Whether parentheses close in the order in which they open. */
function isBalanced(text) {
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth++;
    if (character === ')' && --depth < 0) return false;
  }
  return depth === 0;
}

// ---------------------------------------------------------------- lines

const prose = (text) => wrap(text.replace(/\s+/g, ' '), '');

const indent = (text) => text.split('\n').map((line) => (line === '' ? '' : `  ${line}`)).join('\n');

/** Breaks between words, but not in code or the text of a link. */
function wrap(text, hanging, width = WIDTH) {
  const words = text.match(/(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|\S)+/g) ?? [];
  const lines = [''];
  for (const word of words) {
    const line = lines.at(-1);
    if (line !== '' && line !== '-' && line.length + 1 + word.length > width) lines.push(hanging + word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join('\n');
}

if (process.argv[1] === import.meta.filename) {
  const { text, faults } = page();
  for (const fault of faults) console.error(fault);
  if (faults.length === 0) writeFileSync(join(root, FILE), text);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
