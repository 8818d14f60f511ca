import * as z from 'zod/mini';
import type { ShownFault } from '../../../services/hosting/lint/rule.js';
import { visible } from '../../escape.js';
import { paint, type Look } from '../../look.js';
import type { ListResult, RenderOptions, View } from '../../view-types.js';
import { hardWrapped } from '../../width.js';
import { view } from '../view.js';

const Fault = z.object({
  file: z.string(),
  line: z.number(),
  column: z.number(),
  rule: z.string(),
  severity: z.enum(['error', 'warning']),
  message: z.string(),
  fixable: z.boolean(),
});

const list = view<typeof Fault, ShownFault>({
  kind: 'LintFaultList',
  none: '',
  schema: Fault,
  name: ({ file, line, column }) => `${file}:${line}:${column}`,
  columns: [
    { key: 'file', value: ({ file }) => file },
    { key: 'line', value: ({ line }) => line, align: 'right' },
    { key: 'column', value: ({ column }) => column, align: 'right' },
    { key: 'severity', value: ({ severity }) => severity, telling: true },
    { key: 'rule', value: ({ rule }) => rule, telling: true },
    { key: 'message', value: ({ message }) => message, prose: true },
  ],
});

const STYLES = { error: 'red', warning: 'yellow' } as const;

/** Shows faults of a source tree; as a table they are grouped by file. */
export const lintFaults: View<ListResult<ShownFault>> = {
  ...list,
  render: (result, options) =>
    options.format === 'table' && options.fields === undefined
      ? grouped(result, options)
      : list.render(result, options),
};

async function* grouped({ items }: ListResult<ShownFault>, { look }: RenderOptions): AsyncGenerator<string> {
  let last: string | undefined;
  for await (const { file, line, column, severity, rule, message } of items) {
    if (file !== last) yield behind('', visible(file), look);
    last = file;
    const said = `${severity.padEnd(7)}  ${visible(rule).padEnd(15)}  ${visible(message)}`;
    const lines = behind(`  ${`${line}:${column}`.padEnd(7)}  `, said, look);
    yield lines.replace(severity, paint(look, STYLES[severity], severity));
  }
}

/** A line of a list: what is too long for a terminal goes on below, even in the middle of a word. */
function behind(label: string, text: string, { terminal, columns }: Look): string {
  if (!terminal || columns === undefined) return `${label}${text}\n`;
  const lines = hardWrapped(text, Math.max(10, columns - label.length));
  return lines.map((line, at) => `${at === 0 ? label : ' '.repeat(label.length)}${line}\n`).join('');
}

const Rule = z.object({ id: z.string(), severity: z.enum(['error', 'warning']), summary: z.string() });

/** Shows the rules of a lint. */
export const lintRules = view({
  kind: 'LintRuleList',
  none: 'no rules',
  schema: Rule,
  name: ({ id }) => id,
  columns: [
    { key: 'id', header: 'RULE', value: ({ id }) => id, telling: true },
    { key: 'severity', value: ({ severity }) => severity, telling: true },
    { key: 'summary', value: ({ summary }) => summary, prose: true },
  ],
});
