import { CliError } from '../../core/errors.js';
import { dashboardHtml } from '../../output/html/dashboard.js';
import type { ShownDashboard } from '../../output/views/dashboard/text.js';
import type { DashboardItem } from '../../services/dashboard/item.js';
import { isThere } from '../../core/files/exists.js';
import { createStaged, writeAtomically } from '../../state/atomic-write.js';
import type { Terminal } from '../../cli/terminal/terminal.js';

/** Others may read a page that was asked for, as the umask allows. */
const MODE = 0o644;

/** Where the page of `--html` goes. */
export interface PageFile {
  readonly file: string;
  readonly clobber: boolean;
  /** Version of this tool. */
  readonly version?: string;
  /** Where runs are shown by the platform's own UI. */
  readonly link?: (item: DashboardItem) => string | undefined;
}

/**
 * Proves, before the first request, that the page can be written (docs/faults.md L04).
 * @throws EXISTS for a file that is there and was not given up (docs/faults.md L09)
 */
export async function probePage({ file, clobber }: PageFile): Promise<void> {
  if (file === '-') return;
  if (!clobber && isThere(file))
    throw new CliError('EXISTS', `${file} exists`, {
      hints: ['to overwrite it: --clobber', 'name another file'],
      target: { file },
    });
  await createStaged(file, { overwrite: clobber, mode: MODE }).abort();
}

/** Writes the page of a dashboard, whole or not at all; `-` is stdout. */
export async function writePage(
  { file, clobber, version = '', link = () => undefined }: PageFile,
  { dashboard, target }: ShownDashboard,
  terminal: Terminal,
): Promise<void> {
  const look = { utc: terminal.stdout.utc };
  const zone = look.utc ? 'UTC' : new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const pieces = dashboardHtml({ dashboard, target, zone, look, version, link });
  if (file === '-') {
    for (const piece of pieces) await terminal.write(piece);
    return;
  }
  await writeAtomically(file, asyncPieces(pieces), { overwrite: clobber, mode: MODE });
}

async function* asyncPieces(pieces: Iterable<string>): AsyncGenerator<string> {
  yield* pieces;
}
