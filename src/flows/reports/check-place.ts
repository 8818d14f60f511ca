import { isThere } from '../../core/files/exists.js';
import type { ReportFile } from '../../output/views/report/download.js';
import { checkFile } from '../../services/reports/check-file.js';
import type { Delivery } from './delivery.js';

/**
 * Looks at the place of the file before anything is asked of the network. The file when it is there and is to be kept
 * (docs/faults.md L04, L09, L10).
 */
export async function checkPlace({ file, existing, keepPartial }: Delivery): Promise<ReportFile | undefined> {
  if (file === undefined) return undefined;
  if (existing === 'keep' && isThere(file)) return { file, state: 'kept' };
  await checkFile(file, existing === 'replace');
  if (keepPartial) await checkFile(`${file}.partial`, existing === 'replace');
  return undefined;
}
