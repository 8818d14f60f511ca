import { createHash } from 'node:crypto';
import { shellWord } from '../../core/shell-word.js';
import { visible } from '../escape.js';
import { START_SCRIPT, START_STYLE } from './start-page-parts.js';

/** An entry of a catalog, as its packager wrote it. */
export type ListedPackage = Readonly<Record<string, unknown>>;

const LONGEST = 300;

const digestOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Only the script and the looks of the page itself are taken, whatever a package is named. */
const POLICY = [
  "default-src 'none'",
  `script-src ${digestOf(START_SCRIPT)}`,
  `style-src ${digestOf(START_STYLE)}`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const HEAD = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<title>Package hub</title>
<style>${START_STYLE}</style>
</head>
<body>
<header>
<h1>Package hub</h1>
<p>Packages for CDAP. To add this hub under a name, once:</p>
<p><code id="add">cdapctl hub add my-hub URL</code></p>
<input id="search" type="search" placeholder="Search" aria-label="Search packages" autocomplete="off" autofocus>
<p id="count" role="status"></p>
</header>
<main>
<noscript><p>The list of packages needs JavaScript. packages.json has the same packages.</p></noscript>
<ul id="list"></ul>
<button id="more" type="button" hidden>Show more</button>
</main>
<script type="application/json" id="packages">`;

const TAIL = `</script>
<script>${START_SCRIPT}</script>
</body>
</html>
`;

/**
 * The start page of a hub: one file with search, in pieces. Names and texts stand in it as data only, which its script
 * shows as text.
 */
export function* startPage(packages: Iterable<ListedPackage>): Generator<string, void, void> {
  yield HEAD;
  let before = '[\n';
  for (const one of packages) {
    yield before + rowText(one);
    before = ',\n';
  }
  yield before === ',\n' ? '\n]' : '[]';
  yield TAIL;
}

/** Label, name, version, description, categories, author, platforms, and the target of `install`. */
function rowText({ name, version, label, description, categories, author, org, cdapVersion }: ListedPackage): string {
  const named = Array.isArray(categories) ? categories.filter((category) => typeof category === 'string') : [];
  const maker = textOf(org) === '' ? textOf(author) : textOf(org);
  const target = shellWord(`my-hub/${textOf(name)}@${textOf(version)}`);
  const row = [label, name, version, description, named.join(', '), maker, cdapVersion].map(textOf);
  return JSON.stringify([...row, visible(target)]).replace(/[<>&\u2028\u2029]/gu, escaped);
}

function textOf(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  const text = String(value);
  return visible(text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text);
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
