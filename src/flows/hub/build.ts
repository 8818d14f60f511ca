import { resolve } from 'node:path';
import type { CommandContext } from '../../cli/context-types.js';
import type { Session } from '../../cli/session.js';
import { startPage } from '../../output/html/start-page.js';
import { buildHub, type BuildOutcome, type BuildRequest } from '../../services/hosting/build/build.js';
import { futurePath } from '../../services/hosting/tree/future-path.js';
import { treeRoot } from '../../services/hosting/tree/source-tree.js';
import { takeLocks } from '../../services/writing/run-lock.js';
import { lockDeps } from '../writing.js';
import { warnOfForced } from './forced-files.js';

/** What is built, as it was named on the line. */
export interface HubBuildOptions extends Pick<BuildRequest, 'check' | 'forced' | 'strict' | 'whitelist'> {
  readonly folder: string;
  readonly out: string | undefined;
  /** Whether a start page is made as well. */
  readonly site: boolean;
}

/** Builds a hub while no other run of this machine writes into its tree or its folder. A check takes no lock. */
export async function buildFor(
  { folder, out, site, ...options }: HubBuildOptions,
  context: Pick<CommandContext, 'emit' | 'stateFolder'>,
  session: Pick<Session, 'build' | 'clock' | 'signal'>,
): Promise<BuildOutcome> {
  const root = await treeRoot(folder);
  const memory = { stateFolder: context.stateFolder, version: session.build.version };
  const { emit } = context;
  await warnOfForced(root, options, emit);
  const request = { ...options, root, emit, memory, clock: session.clock, makePage: site ? startPage : undefined };
  if (options.check) return buildHub({ ...request, out: out ?? root }, session.signal);
  const target = out === undefined ? root : await futurePath(resolve(out));
  const folders = [root, target].map((path) => ({ kind: 'folder', path }) as const);
  const locks = await takeLocks(folders, lockDeps(context, session));
  try {
    return await buildHub({ ...request, out: target }, session.signal);
  } finally {
    await locks.release();
  }
}
