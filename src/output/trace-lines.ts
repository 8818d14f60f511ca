import type { TraceFact } from '../core/events.js';
import { visible } from './escape.js';

/** The line of `-v` for a request: what was asked, the status and the time. Undefined until there is an answer. */
export function requestLine(fact: TraceFact): string | undefined {
  if (fact.type === 'request') return undefined;
  const end = fact.type === 'answer' ? String(fact.status) : visible(fact.reason);
  return `${visible(fact.method)} ${visible(fact.url)}  ->  ${end}, ${Math.round(fact.milliseconds)} ms`;
}

/** The lines of `--debug` and of a trace: requests and answers with their headers. */
export function traceLines(fact: TraceFact): string {
  const address = `${visible(fact.method)} ${visible(fact.url)}`;
  switch (fact.type) {
    case 'request':
      return [`> ${address}${fact.attempt === 1 ? '' : ` (try ${fact.attempt})`}`, ...headerLines('>', fact)].join(
        '\n',
      );
    case 'answer':
      return [`< ${fact.status} ${address}, ${Math.round(fact.milliseconds)} ms`, ...headerLines('<', fact)].join('\n');
    case 'failure':
      return `< failed ${address}, ${Math.round(fact.milliseconds)} ms: ${visible(fact.reason)}`;
  }
}

function headerLines(mark: string, { headers }: { readonly headers: Readonly<Record<string, string>> }): string[] {
  return Object.entries(headers).map(([name, value]) => `${mark}   ${visible(name)}: ${visible(value)}`);
}
