/** The looks of the start page of a hub, light and dark as the reader's system has it. */
export const START_STYLE = `
:root { color-scheme: light dark; --back: #ffffff; --raised: #f5f6f8; --line: #dfe2e8; --text: #1c2330; --soft: #5b6475; }
@media (prefers-color-scheme: dark) {
  :root { --back: #14181f; --raised: #1c222c; --line: #333c4a; --text: #e3e8f0; --soft: #9aa5b6; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px; max-width: 1000px; background: var(--back); color: var(--text);
  font: 15px/1.45 system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif; }
h1 { font-size: 22px; margin: 0; }
p { margin: 6px 0; color: var(--soft); overflow-wrap: anywhere; }
input { width: 100%; margin: 14px 0 4px; padding: 9px 12px; font: inherit; color: inherit; background: var(--back);
  border: 1px solid var(--soft); border-radius: 6px; }
ul { margin: 0; padding: 0; list-style: none; }
li { margin: 10px 0; padding: 12px 14px; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; }
h2 { font-size: 16px; margin: 0; overflow-wrap: anywhere; }
code { display: inline-block; padding: 3px 8px; background: var(--back); border: 1px solid var(--line); border-radius: 4px;
  font: 13px ui-monospace, 'DejaVu Sans Mono', monospace; color: var(--text); user-select: all; overflow-wrap: anywhere; }
button { padding: 8px 16px; font: inherit; color: inherit; background: var(--raised); border: 1px solid var(--soft);
  border-radius: 6px; cursor: pointer; }
[hidden] { display: none; }
`;

/** Shows the packages of the page, a hundred at a time; nothing of them becomes anything but text. */
export const START_SCRIPT = `
'use strict';
const AT_ONCE = 100;
const byId = (id) => document.getElementById(id);
const rows = JSON.parse(byId('packages').textContent);
const texts = new Array(rows.length);
let found = rows;
let shown = 0;

const textOf = (at) => (texts[at] ??= rows[at].slice(0, 6).join('\\n').toLowerCase());
const word = (text) => (/^[\\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\\\''") + "'");

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function item([label, name, version, description, categories, maker, range, target]) {
  const made = document.createElement('li');
  const about = [name + ' ' + version, categories, maker, range === '' ? '' : 'CDAP ' + range];
  const parts = [element('h2', label), element('p', about.filter((text) => text !== '').join(' \\u00b7 '))];
  if (description !== '') parts.push(element('p', description));
  parts.push(element('code', 'cdapctl install ' + target));
  made.append(...parts);
  return made;
}

function showMore() {
  byId('list').append(...found.slice(shown, shown + AT_ONCE).map(item));
  shown = Math.min(found.length, shown + AT_ONCE);
  byId('more').hidden = shown === found.length;
  byId('count').textContent = found.length === rows.length
    ? rows.length + (rows.length === 1 ? ' package' : ' packages')
    : found.length + ' of ' + rows.length + ' packages';
}

function search() {
  const words = byId('search').value.toLowerCase().split(/\\s+/).filter((text) => text !== '');
  found = words.length === 0 ? rows : rows.filter((_, at) => words.every((text) => textOf(at).includes(text)));
  shown = 0;
  byId('list').replaceChildren();
  showMore();
}

const base = new URL('.', location.href);
const place = base.protocol === 'file:' ? decodeURIComponent(base.pathname) : base.href;
byId('add').textContent = 'cdapctl hub add my-hub ' + word(place.replace(/\\/$/, ''));
byId('search').addEventListener('input', search);
byId('more').addEventListener('click', showMore);
search();
`;
