// Writes what follows from the sources: oclif.manifest.json, src/output/schemas/*.json, the tables in README.md. With --check it only reports what is out of date.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { ROOT, settings } from './build.mjs';

const SCHEMAS = join(ROOT, 'src/output/schemas');

async function surface() {
  const outfile = join(ROOT, '.cache', 'surface.cjs');
  await build({ ...settings(), entryPoints: ['.ci/surface.mjs'], outfile });
  return createRequire(import.meta.url)(outfile);
}

async function wanted() {
  const { manifest, schemas, tables } = await surface();
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const files = new Map([[join(ROOT, 'oclif.manifest.json'), json(await manifest(version))]]);
  for (const [kind, schema] of schemas()) files.set(join(SCHEMAS, `${kind}.json`), json(schema));
  const readme = join(ROOT, 'README.md');
  if (existsSync(readme)) files.set(readme, withTables(readFileSync(readme, 'utf8'), await tables()));
  return files;
}

function withTables(text, tables) {
  return Object.entries(tables).reduce((changed, [name, table]) => {
    const [open, close] = [`<!-- generated: ${name} -->`, '<!-- end -->'];
    const from = changed.indexOf(open);
    if (from === -1) return changed;
    return `${changed.slice(0, from + open.length)}\n\n${table}\n\n${changed.slice(changed.indexOf(close, from))}`;
  }, text);
}

function json(value) {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

const check = process.argv.includes('--check');
const files = await wanted();
const old = existsSync(SCHEMAS) ? readdirSync(SCHEMAS).map((name) => join(SCHEMAS, name)) : [];
const stale = [...files].filter(([file, text]) => !existsSync(file) || readFileSync(file, 'utf8') !== text);
const surplus = old.filter((file) => !files.has(file));
if (check) {
  const names = [...stale.map(([file]) => file), ...surplus].map((file) => relative(ROOT, file));
  for (const name of names) console.error(`${name} is out of date; run npm run generate`);
  process.exitCode = names.length === 0 ? 0 : 1;
} else {
  mkdirSync(SCHEMAS, { recursive: true });
  for (const [file, text] of stale) writeFileSync(file, text);
  for (const file of surplus) rmSync(file);
}
