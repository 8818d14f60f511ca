import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { programTarget } from '../../../../../src/services/hosting/publish/program-target.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

it('gives a program the names of files as they are, also with braces', () =>
  withTempDir(async (home) => {
    const tree = join(realpathSync(home), 'of {path}');
    const path = 'packages/{file}/1.0.0/{path}.jar';
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), 'jar');
    const ran: (readonly string[])[] = [];
    const target = programTarget({
      tree,
      upload: ['put', '{file}', 's3://{path}', '{path}={file}', '{other}'],
      remove: undefined,
      against: undefined,
      run: async (words) => {
        ran.push(words);
        return { stdout: '', stderr: '', why: undefined };
      },
    });
    const sha256 = createHash('sha256').update('jar').digest('hex');
    const { signal } = new AbortController();
    await target.upload([{ action: 'upload', path, size: 3, sha256 }], () => undefined, signal);
    const file = join(tree, path);
    expect(ran).toEqual([['put', file, `s3://${path}`, `${path}=${file}`, '{other}']]);
  }));
