import { join } from 'node:path';
import { asError } from '../../core/errors.js';
import { fileNameFor } from '../../core/names.js';
import { openErrorFiles, type ErrorFiles, type SavedRequest } from '../../services/upgrade/files/error-files.js';
import type { UpgradeResult } from '../../services/upgrade/result.js';
import type { RunOptions } from '../../services/upgrade/run.js';
import type { PipelinePlace } from '../../services/upgrade/write.js';
import { appRequest } from '../../services/writing/app-request.js';
import { baseAddress } from '../../state/base-address.js';
import { checkPrivateFolder, privateFolder } from '../../state/private-folder.js';
import { upgradesFolder } from '../../state/upgrade-journal.js';
import type { UpgradeBase } from './run.js';

const BLANKS = /[\t\n\r]+/gu;
const NOT_PLAIN = /[^\x20-\x7e]/gu;

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** One line of ASCII that is JSON: blanks between members are all that can be outside of texts. */
function lineOf({ namespace, name }: PipelinePlace, { change, message }: SavedRequest, run: UpgradeBase): string {
  const facts = JSON.stringify({ namespace, pipeline: name, message });
  if (change?.engine !== 'client') return facts.replace(NOT_PLAIN, escapeUnit);
  const request = appRequest({ ...change.made, keepSchedules: true }, run.target.capabilities);
  const text = `${facts.slice(0, -1)},"request":${request}}`;
  return text.replace(BLANKS, ' ').replace(NOT_PLAIN, escapeUnit);
}

/** Where the requests to a platform are that no folder of `-e` took; runs in other namespaces may write theirs at the same time. */
const unkeptFolder = ({ context, target, command }: UpgradeBase, namespace: string): string =>
  join(
    upgradesFolder(context.stateFolder),
    'unkept',
    fileNameFor(baseAddress(target.url)),
    `${command}-${fileNameFor(namespace)}`,
  );

/** Removes from the state folder the requests of pipelines that need none any more, as the same command has brought them to their end. */
export async function clearUnkept(run: UpgradeBase, { pipelines }: Pick<UpgradeResult, 'pipelines'>): Promise<void> {
  const done = pipelines.filter(({ state }) => state === 'upgraded' || state === 'rolled-back' || state === 'current');
  try {
    for (const namespace of new Set(done.map((one) => one.namespace))) {
      const folder = unkeptFolder(run, namespace);
      if (!checkPrivateFolder(folder)) continue;
      const files = await openErrorFiles(folder, [], run.target.capabilities, run.session.clock);
      await files.finish(done.filter((one) => one.namespace === namespace));
    }
  } catch (cause) {
    run.context.emit({ type: 'warning', code: 'UPGRADE', message: asError(cause).message });
  }
}

/** Keeps what failed in the folder of `-e`; what that does not take goes to the state folder, else to stderr as JSON, and nothing more is sent (docs/faults.md L03). */
export function keepRequests(
  run: UpgradeBase,
  files: ErrorFiles,
  places: readonly PipelinePlace[],
): RunOptions['save'] {
  const { session, target, keeping } = run;
  const spare = new Map<string, Promise<ErrorFiles>>();
  const openSpare = async (namespace: string): Promise<ErrorFiles> => {
    const here = places.filter((place) => place.namespace === namespace);
    return openErrorFiles(await privateFolder(unkeptFolder(run, namespace)), here, target.capabilities, session.clock);
  };
  return async (place, saved) => {
    try {
      return await files.save(place, saved);
    } catch (cause) {
      keeping.halt(asError(cause));
    }
    try {
      const opened = spare.get(place.namespace) ?? openSpare(place.namespace);
      spare.set(place.namespace, opened);
      const file = await (await opened).save(place, saved);
      if (file !== undefined) session.terminal.note(`the request of pipeline ${place.name} is in ${file}`);
      return file;
    } catch {
      session.terminal.note(lineOf(place, saved, run));
      return undefined;
    }
  };
}
