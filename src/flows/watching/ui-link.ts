import type { Setting } from '../../config/setting.js';
import { CliError } from '../../core/errors.js';
import { isPipelineRun, type DashboardItem } from '../../services/dashboard/item.js';

/**
 * Where the platform's own UI shows a run of a pipeline.
 * @throws USAGE for what is no plain address of http or https
 */
export function runLink(
  uiUrl: Pick<Setting<string>, 'value' | 'from'> | undefined,
): (item: DashboardItem) => string | undefined {
  if (uiUrl === undefined) return () => undefined;
  const base = baseOf(uiUrl);
  return (item) => {
    // What runs inside a pipeline has ids that the UI knows nothing of.
    if (item.run === undefined || !isPipelineRun(item)) return undefined;
    const [namespace, pipeline, run] = [item.namespace, item.pipeline, item.run].map(encodeURIComponent);
    return `${base}/pipelines/ns/${namespace ?? ''}/view/${pipeline ?? ''}?runid=${run ?? ''}`;
  };
}

function baseOf({ value, from }: Pick<Setting<string>, 'value' | 'from'>): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isPlain = url?.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!isPlain || !['http:', 'https:'].includes(url.protocol))
    throw new CliError('USAGE', `${from} is not an http(s) URL without user, query and fragment`, {
      hints: ['--ui-url https://cdap.example.com:11011'],
    });
  return `${url.origin}${url.pathname}`.replace(/\/+$/u, '');
}
