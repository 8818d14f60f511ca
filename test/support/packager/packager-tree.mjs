// A source tree of 300 packages of what the packager of the platform accepts, the same each time: `node packager-tree.mjs FOLDER`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PIECES = [
  ...['A', 'a', 'Z', 'z', '0', '_', '[', '^', '`', '{', '~', ' ', '  x', '\t', '<b>', '&', '=', "'", '"', '\\', '/'],
  ...['ß', 'İ', 'I', 'ı', 'Σ', 'ΑΣ', 'ΑΣ.', 'Σα', 'ſ', '\u212a', '\u212b', '😀', '\uff5e', '\u{10400}', '\u{10428}'],
  ...['\u10a0', '\u1c90', '\u13a0', '\uab70', '\u2c6a', '\u2c60', 'ǅ', 'ϴ', 'Ω', 'Ϋ\u0301'],
  ...['\u2028', '\u007f', '\u0085', '\u00a0', '\u200b', '\ufeff', '\ud800', 'é'],
];
const NAMES = ['a', 'B', 'b', 'a-1', 'a_1', 'a.1', 'Z', 'z', 'aa', 'a1', '0x', '10', '9', 'é', '\uff21'];
const VERSIONS = ['1.0.0', '1.10.0', '1.6.0', '2.0', '10.0', '9.0', '1.0.0-SNAPSHOT', '1.0.0-2.11'];
const TEXTS = ['description', 'author', 'org', 'cdapVersion', 'license', 'paidLink'];
const CREATED = ['1500000000', '0', '-5', '"1500000000"', '"1.5e9"', '1.5e9', '1500000000.0', 'null', '1500000000000'];
const LICENSES = ['{"name":"n","url":"u=\'"}', '{"url":"x","other":1}', '{}', 'null', '{"name":5}', '{"name":null}'];
const CATEGORIES = ['x', 'X', 'EDW Offloading', 'gcp', 'AWS', 'é', '<a>', '😀', '\uff5a'];
const STEPS = '{"type":"informational","label":"l","arguments":[{"name":"steps","value":["a"]}]}';
const ACTIONS = ['[]', `[${STEPS}]`, '[{"type":"x"}]', '[{"type":"informational"}]'];

/** Numbers that look random, and are the same each time. */
function dice(seed) {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % sides;
  };
}

/** Writes the tree. */
export function makePackagerTree(folder) {
  const roll = dice(2021);
  const of = (list) => list[roll(list.length)];
  const text = () => JSON.stringify(Array.from({ length: 1 + roll(5) }, () => of(PIECES)).join(''));
  for (let at = 0; at < 300; at += 1) {
    const members = [['label', of([text(), text(), text(), '"Same"', '6.10', 'true', '1e5', '-0'])]];
    for (const name of TEXTS) {
      const kind = roll(20);
      if (kind < 8) members.push([name, text()]);
      else if (kind < 10) members.push([name, 'null']);
      else if (kind < 11) members.push([name, of(['6.10', 'false', '1E5', '0.10', '""'])]);
    }
    if (roll(3) === 0) members.push(['licenseInfo', of(LICENSES)]);
    if (roll(10) > 0) members.push(['created', of(CREATED)]);
    for (const name of ['beta', 'preview'])
      if (roll(5) < 2) members.push([name, of(['true', 'false', '"true"', '"TRUE"', '"yes"', 'null', '""'])]);
    members.push(['categories', JSON.stringify(Array.from({ length: roll(5) }, () => of(CATEGORIES)))]);
    members.push(['actions', of(ACTIONS)]);
    const [first] = members.splice(roll(members.length), 1);
    const name = `${of(NAMES)}${roll(5) > 0 ? roll(40) : ''}`;
    const place = join(folder, 'packages', name, of(VERSIONS));
    mkdirSync(place, { recursive: true });
    const lines = [first, ...members].map(([key, value]) => `${JSON.stringify(key)}${of([':', ' : '])}${value}`);
    writeFileSync(join(place, 'spec.json'), `{${lines.join(',')}}`);
  }
  for (const category of ['gcp', 'EDW Offloading', 'zz']) {
    mkdirSync(join(folder, 'categories', category), { recursive: true });
    writeFileSync(join(folder, 'categories', category, 'icon.png'), 'x');
  }
}

const [, program = '', folder = ''] = process.argv;
if (program.endsWith('packager-tree.mjs')) makePackagerTree(folder);
