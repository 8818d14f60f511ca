import { join } from 'node:path';
import type { Clock } from '../../../core/clock.js';
import { asError } from '../../../core/errors.js';
import type { Emit } from '../../../core/events.js';
import { fileNameFor } from '../../../core/names.js';
import type { Capabilities } from '../../../platform/capabilities.js';
import { openErrorFiles, type ErrorFiles, type SavedRequest, type SaveRequest } from './error-files.js';
import type { UpgradeResult } from '../upgrade-result.js';
import type { PipelinePlace } from '../pipeline.js';
import { appRequest } from '../../writing/app-request.js';
import { baseAddress } from '../../../state/base-address.js';
import { checkPrivateFolder, privateFolder } from '../../../state/private-folder.js';
import { upgradesFolder } from '../../../state/upgrade-journal.js';
import type { KeptErrors } from './local-failures.js';

/** Where the requests of failed pipelines are stored, and for which platform and command. */
export interface KeepDeps {
  readonly stateFolder: string;
  /** The address of the platform. */
  readonly url: string;
  readonly command: 'upgrade' | 'rollback';
  readonly capabilities: Capabilities;
  readonly clock: Clock;
  readonly emit: Emit;
  readonly keeping: KeptErrors;
}

const BLANKS = /[\t\n\r]+/gu;
const NOT_PLAIN = /[^\x20-\x7e]/gu;

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** One line of ASCII that is JSON: blanks between members are all that can be outside of texts. */
function lineOf(
  { namespace, name }: PipelinePlace,
  { change, message }: SavedRequest,
  { capabilities }: KeepDeps,
): string {
  const facts = JSON.stringify({ namespace, pipeline: name, message });
  if (change?.engine !== 'client') return facts.replace(NOT_PLAIN, escapeUnit);
  const request = appRequest({ ...change.made, keepSchedules: true }, capabilities);
  const text = `${facts.slice(0, -1)},"request":${request}}`;
  return text.replace(BLANKS, ' ').replace(NOT_PLAIN, escapeUnit);
}

/**
 * Where the requests to a platform are that no folder for what failed took. Runs in other namespaces may write theirs
 * at the same time.
 */
const unkeptFolder = ({ stateFolder, url, command }: KeepDeps, namespace: string): string =>
  join(upgradesFolder(stateFolder), 'unkept', fileNameFor(baseAddress(url)), `${command}-${fileNameFor(namespace)}`);

/** Removes from the state folder the requests of pipelines that the same command has since completed. */
async function clearUnkept({ pipelines }: Pick<UpgradeResult, 'pipelines'>, deps: KeepDeps): Promise<void> {
  const done = pipelines.filter(({ state }) => state === 'upgraded' || state === 'rolled-back' || state === 'current');
  try {
    for (const namespace of new Set(done.map((one) => one.namespace))) {
      const folder = unkeptFolder(deps, namespace);
      if (!checkPrivateFolder(folder)) continue;
      const files = await openErrorFiles(folder, [], deps.capabilities, deps.clock);
      await files.finish(done);
    }
  } catch (cause) {
    deps.emit({ type: 'warning', code: 'UPGRADE', message: asError(cause).message });
  }
}

/**
 * Keeps what failed in its folder. What that does not take goes to the state folder, else to stderr as JSON, and
 * nothing more is sent (docs/faults.md L03).
 */
function keepRequests(files: ErrorFiles, places: readonly PipelinePlace[], deps: KeepDeps): SaveRequest {
  const { capabilities, clock, keeping } = deps;
  const note = (message: string): void => {
    deps.emit({ type: 'note', message });
  };
  const spare = new Map<string, Promise<ErrorFiles>>();
  const openSpare = async (namespace: string): Promise<ErrorFiles> => {
    const here = places.filter((place) => place.namespace === namespace);
    return openErrorFiles(await privateFolder(unkeptFolder(deps, namespace)), here, capabilities, clock);
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
      if (file !== undefined) note(`saved the request of pipeline ${place.name} in ${file}`);
      return file;
    } catch {
      note(lineOf(place, saved, deps));
      return undefined;
    }
  };
}

/** The requests that a run could not complete, as they are kept on this machine; `H`: form of hints. */
export interface FailedRequests<H = string> {
  readonly save: SaveRequest<H>;
  /** Removes those of pipelines that the run has completed. */
  readonly finish: (result: UpgradeResult) => Promise<void>;
}

const NO_FILES: ErrorFiles = { save: () => Promise.resolve(undefined), finish: () => Promise.resolve() };

/**
 * Opens the folder for what fails; undefined where nobody wants it.
 * @throws LOCAL_IO, DISK_FULL, USAGE when it cannot be used
 */
export async function openFailedRequests(
  folder: string | undefined,
  places: readonly PipelinePlace[],
  deps: KeepDeps,
): Promise<FailedRequests> {
  const { capabilities, clock, keeping, command } = deps;
  const files = folder === undefined ? NO_FILES : await openErrorFiles(folder, places, capabilities, clock);
  return {
    save: keepRequests(files, places, deps),
    async finish(result) {
      // A rollback leaves the files of the upgrade.
      const upgraded = result.pipelines.filter(({ state }) => state === 'upgraded' || state === 'current');
      await keeping.attempt(() => files.finish(command === 'upgrade' ? upgraded : []));
      await clearUnkept(result, deps);
    },
  };
}
