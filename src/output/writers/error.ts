import { hintText } from '../next-steps.js';
import { CliError } from '../../core/errors.js';
import { ownWords } from '../../core/failure-trace.js';
import { withoutSecrets, type Hide } from '../../core/secrets/hide-error.js';
import { visible, visibleLines } from '../escape.js';
import { isCommand } from '../wrap-text.js';
import { isMachineFormat, type Format } from '../format.js';
import { paint, type Look } from '../look.js';
import type { Warning } from '../view-types.js';
import { displayWidth, hanging } from '../width.js';
import { jsonDocument, SCHEMA_VERSION } from './json.js';
import { yamlText } from './yaml.js';

/** What a failure writes where. */
export interface ErrorText {
  /** YAML has to be waited for: its writer is loaded only then. */
  readonly stdout: string | Promise<string>;
  readonly stderr: string;
}

/** What else decides how a failure is written. */
export interface ErrorOptions {
  readonly warnings: readonly Warning[];
  /** All words of the server, not only the first line. */
  readonly verbose: boolean;
  /** Takes secrets out of a text. */
  readonly hide: Hide;
  /** Completes the command in a hint with what the line says about the platform. */
  readonly place?: (hint: string) => string;
}

/**
 * Renders a failure in the requested format (docs/conventions.md 2.3, 2.12). For json, ndjson or yaml it is one
 * document on stdout, otherwise lines on stderr.
 */
export function renderError(
  format: Format,
  failure: CliError,
  looks: { readonly stdout: Look; readonly stderr: Look },
  { warnings, verbose, hide, place = (hint) => hint }: ErrorOptions,
): ErrorText {
  const error = redacted(failure, hide, place);
  if (!isMachineFormat(format)) return { stdout: '', stderr: errorLines(error, looks.stderr, verbose) };
  const envelope = errorEnvelope(error, warnings);
  if (format === 'ndjson') return { stdout: jsonDocument({ type: 'error', ...envelope }, false), stderr: '' };
  if (format === 'yaml') return { stdout: yamlText(envelope), stderr: '' };
  return { stdout: jsonDocument(envelope, looks.stdout.terminal), stderr: '' };
}

/** The failure envelope of JSON. */
function errorEnvelope(error: CliError, warnings: readonly Warning[]): object {
  const { details } = error;
  const body = {
    code: error.code,
    exitCode: error.exitCode,
    message: error.message,
    details: [...(details.lines ?? []), ...(details.serverSaid === undefined ? [] : [details.serverSaid])].join('\n'),
    hints: (details.hints ?? []).map(hintText),
    target: { ...details.target, ...(details.sent !== undefined && { sent: details.sent }) },
    ...(details.request === undefined ? {} : { request: details.request }),
    causes: causesOf(error),
  };
  return { schemaVersion: SCHEMA_VERSION, kind: 'Error', error: body, item: details.item ?? null, warnings };
}

function errorLines(error: CliError, look: Look, verbose: boolean): string {
  const { details, exitCode } = error;
  const said = details.serverSaid === undefined ? [] : visibleLines(details.serverSaid.trimEnd()).split('\n');
  const { request } = details;
  const hints = (details.hints ?? []).map((hint) => visible(hintText(hint)));
  const rows: (readonly [string, readonly string[]])[] = [
    ['request', request === undefined ? [] : [requestText(request)]],
    ['server said', verbose ? said : said.slice(0, 1)],
    ['cause', causesOf(error).map(visible)],
    ['', hints.filter(isQuestion)],
    ['try', hints.filter((hint) => !isQuestion(hint))],
    ['more', exitCode === 9 ? ['cdapctl help trust'] : []],
  ];
  const head = hanging(`${paint(look, 'red', 'Error:')} `, `${visible(error.message)}  [${error.code}]`, look, 2);
  const lines = (details.lines ?? []).flatMap((line) => factLines('  ', visible(line), look));
  const width = said.length > 0 ? 11 : 7;
  const facts = rows.flatMap(([label, texts]) =>
    texts.flatMap((text, at) =>
      factLines(label === '' ? '  ' : `  ${(at === 0 ? label : '').padEnd(width)}  `, text, look),
    ),
  );
  return `${[...head, ...lines, ...facts].join('\n')}\n`;
}

/** Between a text and what is to be pasted, or said of it. */
const APART = / {4,}| {2,}(?=# )|(?<=:) (?=cdapctl )/u;

/**
 * What is there to be pasted stays in one piece. What is set apart by blanks goes below where the line has no room for
 * it.
 */
function factLines(label: string, text: string, look: Look): readonly string[] {
  const room = look.terminal ? (look.columns ?? Infinity) : Infinity;
  const parts = displayWidth(label + text) <= room ? [text] : text.split(APART);
  return parts.flatMap((part, at) => {
    const before = at === 0 ? label : ' '.repeat(displayWidth(label) + 2);
    return isCommand(part) ? [before + part] : hanging(before, part, look);
  });
}

/** Whether a hint is read as a question and not as something to try. */
const isQuestion = (hint: string): boolean => hint.startsWith('Did you mean ');

function requestText({ method, url, status, attempts }: NonNullable<CliError['details']['request']>): string {
  const answer = status === undefined || status === 0 ? '' : `  ->  ${status}`;
  const tries = attempts === undefined || attempts < 2 ? '' : `   (${attempts} attempts)`;
  return `${visible(method)} ${visible(url)}${answer}${tries}`;
}

/** Secrets are taken out of each text for itself, so that the frame around them stays whole. */
function redacted(error: CliError, hide: Hide, place: (hint: string) => string): CliError {
  const { code, message, details } = withoutSecrets(error, hide);
  const causes = causesOf(error).map(hide);
  const hints = (error.details.hints ?? []).map((hint) => place(hintText(hint)));
  return new CliError(code, message, {
    ...details,
    hints: [...new Set(hints)].map((hint) => hintWithout(hint, hide)),
    cause: causes.reduceRight<Error | undefined>((cause, text) => new Error(text, { cause }), undefined),
  });
}

/** Hides secrets in a hint, and marks a command that would otherwise be pasted with the mask in it. */
function hintWithout(hint: string, hide: Hide): string {
  const shown = hide(hint);
  return shown !== hint && hint.includes('cdapctl ') ? `${shown}  # replace *** with your value` : shown;
}

function causesOf(error: CliError): string[] {
  const causes: string[] = [];
  let cause: unknown = error.details.cause;
  while (cause instanceof Error && causes.length < 5) {
    const code = cause instanceof CliError && cause.code !== error.code ? ` [${cause.code}]` : '';
    const words = ownWords(cause) ?? '';
    if (words !== '' && words !== error.message && !error.message.endsWith(`: ${words}`))
      causes.push(`${words}${code}`);
    cause = cause.cause;
  }
  return causes;
}
