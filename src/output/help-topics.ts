import { errorsOf, EXIT_CODES } from './exit-codes.js';
import { FORMATS } from './format.js';
import { entryLines, section, wrap } from './help-view.js';

interface Topic {
  readonly summary: string;
  readonly text: () => string;
}

/** The topics of `cdapctl help TOPIC`. */
export const HELP_TOPICS: Readonly<Record<string, Topic>> = {
  'exit-codes': { summary: 'exit codes and their errors', text: exitCodes },
  environment: { summary: 'environment variables and folders', text: environment },
  formats: { summary: 'output formats', text: formats },
  scripting: { summary: 'use in scripts and on build servers', text: scripting },
  times: { summary: 'times and durations', text: times },
  trust: { summary: 'verification of packages', text: trust },
};

function exitCodes(): string {
  const lines = [...EXIT_CODES].flatMap(([code, [name, when]]) => [
    `${String(code).padStart(3)}  ${name}: ${when}`,
    ...errorsOf(code).map(([error, title]) => `       ${error.padEnd(18)} ${title}`),
  ]);
  return paragraphs(
    'Exit codes are the same in every output format. The error names below each code appear in brackets after an error message and as error.code in json.',
    lines.join('\n'),
  );
}

function environment(): string {
  const folders = [
    { label: 'CDAPCTL_CONFIG_DIR', text: 'configuration (else XDG_CONFIG_HOME/cdapctl or ~/.config/cdapctl)' },
    {
      label: 'CDAPCTL_STATE_DIR',
      text: 'journals, trusted keys, crash reports (else XDG_STATE_HOME/cdapctl or ~/.local/state/cdapctl)',
    },
    {
      label: 'CDAPCTL_CACHE_DIR',
      text: 'catalogs and compiled code, safe to delete (else XDG_CACHE_HOME/cdapctl or ~/.cache/cdapctl)',
    },
  ];
  const others = [
    { label: 'CDAPCTL_TOKEN', text: 'the access token itself; CDAPCTL_TOKEN_FILE is safer' },
    { label: 'CDAPCTL_PASSPHRASE', text: 'passphrase of a signing key; --passphrase-file is safer' },
    { label: 'CDAPCTL_NO_INPUT', text: '1 = never prompt' },
    { label: 'CI', text: 'set by build servers: no prompts, no animation' },
    { label: 'NO_COLOR, FORCE_COLOR', text: 'never use color, or always' },
    { label: 'HTTPS_PROXY, NO_PROXY', text: 'proxy, and hosts to reach without it; upper or lower case' },
    { label: 'NODE_EXTRA_CA_CERTS', text: 'PEM file with additional certificate authorities' },
  ];
  return paragraphs(
    'Every long flag except --confirm has a variable: CDAPCTL_ and the flag name in capitals, with _ for -. A flag on the command line overrides it. Switches take 1 or 0.',
    section('folders', entryLines(folders)),
    section('others', entryLines(others)),
    'To show the folders of this machine: cdapctl config path',
  );
}

function formats(): string {
  const texts: Record<(typeof FORMATS)[number], string> = {
    table: 'for people (the default); may change',
    wide: 'table with more columns',
    json: 'one document, success or failure; compact without a terminal',
    ndjson: 'one event per line, the last one is result or error',
    yaml: 'the document of json as YAML',
    csv: 'RFC 4180 with a header; spreadsheet formulas are escaped unless --csv-raw is given',
    name: 'one identifier per line',
  };
  return paragraphs(
    section('formats', entryLines(FORMATS.map((label) => ({ label, text: texts[label] })))),
    'A list in json is {schemaVersion, kind, items, page, warnings}, one object is {schemaVersion, kind, item, warnings}, a failure is {schemaVersion, kind: "Error", error, item, warnings}. While schemaVersion is 1, members are only added, never removed or retyped.',
    '--fields a,b,c selects columns of table and csv, and members of json items.',
    'To print the JSON schema of a kind: cdapctl schema KIND',
  );
}

function scripting(): string {
  return paragraphs(
    'Check the exit code and parse json; tables can change. Without a terminal, cdapctl never prompts: missing input exits with 2 and is listed in full.',
    'Commands that change a platform, or remove local data such as a key, need -y when they cannot prompt: without a terminal, with --no-input or with --json. Without -y they change nothing and exit with 13. Previews (--dry-run, --check, --diff, --plan-out) need no confirmation. ONE EXCEPTION: cdapctl upgrade RUNS WITHOUT -y when there is no terminal at all (neither stdin nor stderr is one, or CI is set). It says so on stderr before the first write, even with -q. If only stdin is a pipe, it needs -y like all others.',
    'A protected context (cdapctl context add --protected) needs its name instead: typed on a terminal, or as --confirm NAME. Neither -y nor another context or --url with the same address replaces it.',
    section('example', [
      'export CDAPCTL_NO_INPUT=1 CDAPCTL_TOKEN_FILE=/run/secrets/token',
      'cdapctl install NAME@VERSION -u "$URL" -n etl -y --json > result.json || code=$?',
    ]),
    'stdout has only the result; progress, warnings, hints and errors go to stderr. With -o ndjson, progress and warnings are also lines on stdout: the member type tells them apart (count, state, warning, item), and the last line is result or error.',
    section('the items of ndjson', [`cdapctl report download latest -o ndjson | jq -c 'select(.type=="item").item'`]),
    'If the reader closes the pipe early, the command exits with 0.',
  );
}

function times(): string {
  return paragraphs(
    section('times', [
      'now, now-2h, 2h (two hours ago)',
      'today, yesterday, tomorrow, 18:00, "yesterday 18:00"',
      '2026-07-01, "2026-07-01 10:00", 2026-07-01T22:00:00Z',
      '1782943200 (seconds since 1970)',
    ]),
    'A date without a time means midnight. A time without a zone (Z or +02:00) is local time, or UTC with --utc. The time window of a report includes every run that was active in it, even if it started earlier.',
    section('durations', ['90s, 15m, 2h30m, 7d, 1y; the unit is required, except for 0']),
    'Tables show local time, or UTC with --utc. json and csv always use UTC.',
  );
}

function trust(): string {
  return paragraphs(
    'Keys are trusted per hub. If a hub has a trusted key, the policy is require: a package is installed only if its specification and every file it needs have a valid signature by a trusted key. All signatures are checked before the first write. Without a trusted key, the policy is warn: a warning says that nothing was verified, and hub verify exits with 9 (--policy warn accepts it).',
    section('commands', ['cdapctl hub key add FILE --hub NAME', 'cdapctl hub key list', 'cdapctl hub verify PACKAGE']),
    '--verify require|warn|off overrides the policy. With warn, -y also confirms a package without a trusted signature; with require, nothing does. Any problem with a signature exits with 9.',
    'cdapctl keeps a history of each hub: a changed version or an older index exits with 9. Only if the owner confirms that the hub was rebuilt: cdapctl hub remove NAME --forget, then cdapctl hub add NAME URL. Trusted keys are kept.',
  );
}

function paragraphs(...parts: readonly string[]): string {
  return `${parts.map((part) => (part.includes('\n') ? part : wrap(part, 0))).join('\n\n')}\n`;
}
