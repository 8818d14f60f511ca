import { formatOf } from '../../cli/line/argv.js';
import type { Session } from '../../cli/session.js';
import { isMachineFormat } from '../../output/format.js';
import { fileLine, reportDownload, type ReportFile } from '../../output/views/report/download.js';
import { tellFailedRun, type FailedRun } from '../failed-run.js';
import { writeAsItComes } from './write-text.js';

/**
 * Says what became of the file: as a document where programs read stdout, else in a line. What to ask next about a
 * failed run in it follows. `--fields` are those of the records.
 */
export async function tellFile(
  file: ReportFile,
  session: Pick<Session, 'argv' | 'env' | 'terminal'>,
  failed?: FailedRun,
): Promise<void> {
  const { argv, env, terminal } = session;
  const format = formatOf(argv, env);
  if (!isMachineFormat(format)) {
    terminal.tell(fileLine(file));
    tellFailedRun(failed, session, true);
    return;
  }
  const options = { format, look: terminal.stdout, warnings: () => terminal.warnings };
  await writeAsItComes(reportDownload.render(file, options), terminal);
}
