#!/usr/bin/env node
// As run.js, from the sources: builds into .cache/dev/dist first.
import { cpSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT, build } from '../.ci/build.mjs';

process.exitCode = 1;
const folder = join(ROOT, '.cache', 'dev');
mkdirSync(folder, { recursive: true });
await build(join(folder, 'dist'));
for (const file of ['package.json', 'oclif.manifest.json']) cpSync(join(ROOT, file), join(folder, file));
const { main } = createRequire(import.meta.url)(join(folder, 'dist', 'cdapctl.cjs'));
await main(process.argv.slice(2), { root: folder, beforeEnd: () => undefined });
