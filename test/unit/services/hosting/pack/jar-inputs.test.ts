import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CliError } from '../../../../../src/core/errors.js';
import { readJars } from '../../../../../src/services/hosting/pack/jar-inputs.js';
import { pluginJar } from '../../../../support/sites/pack-jars.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

const [BEFORE, AFTER] = [pluginJar({ plugins: ['Before'] }), pluginJar({ plugins: ['After'] })];
const NEVER = new AbortController().signal;

/** A signal that does something when it is looked at for the `count`th time. */
function signalWith(count: number, act: () => void): AbortSignal {
  let left = count;
  const look = (): void => {
    left -= 1;
    if (left === 0) act();
  };
  return Object.assign(new AbortController().signal, { throwIfAborted: look });
}

it.each([1, 2, 3, 4])('a JAR that is replaced while it is read is not described as the other one (%i)', (count) =>
  withTempDir(async (folder) => {
    const [file, next] = [join(folder, 'acme.jar'), join(folder, 'next')];
    writeFileSync(file, BEFORE);
    writeFileSync(next, AFTER);
    const signal = signalWith(count, () => {
      renameSync(next, file);
    });
    const read = await readJars([{ shown: 'acme.jar', file }], signal).catch((error: unknown) => error);
    expect(readFileSync(file)).toEqual(AFTER);
    if (read instanceof CliError) expect(read.code).toBe('CHANGED_MEANWHILE');
    // The digest is that of what will be copied only if the facts are as well.
    else expect(read).not.toMatchObject([{ sha256: digest(AFTER), plugins: [{ name: 'Before' }] }]);
  }),
);

it('a folder in the place of a JAR is none', () =>
  withTempDir(async (folder) => {
    const file = join(folder, 'acme.jar');
    mkdirSync(file);
    await expect(readJars([{ shown: 'acme.jar', file }], NEVER)).rejects.toMatchObject({
      code: 'BAD_JAR',
      message: 'acme.jar is not a valid JAR: it is not a regular file',
    });
  }));

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
