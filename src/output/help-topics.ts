import { errorsOf, EXIT_CODES } from './exit-codes.js';
import { FORMATS } from './format.js';
import { entryLines, section, wrap } from './help-view.js';

interface Topic {
  readonly summary: string;
  readonly text: () => string;
}

/** The topics of `cdapctl help TOPIC`. */
export const HELP_TOPICS: Readonly<Record<string, Topic>> = {
  'exit-codes': { summary: 'what each exit code means, and the errors behind it', text: exitCodes },
  environment: { summary: 'variables and folders', text: environment },
  formats: { summary: 'output formats and what scripts may rely on', text: formats },
  scripting: { summary: 'how to use the tool in scripts and on build servers', text: scripting },
  times: { summary: 'how times and durations are written', text: times },
  trust: { summary: 'how packages are verified', text: trust },
};

function exitCodes(): string {
  const lines = [...EXIT_CODES].flatMap(([code, [name, when]]) => [
    `${String(code).padStart(3)}  ${name}: ${when}`,
    ...errorsOf(code).map(([error, title]) => `       ${error.padEnd(18)} ${title}`),
  ]);
  return paragraphs(
    'The exit code is the same in every output format. The names below it stand in brackets after an error and in error.code of json.',
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
      text: 'catalogs and compiled code, may be deleted (else XDG_CACHE_HOME/cdapctl or ~/.cache/cdapctl)',
    },
  ];
  const others = [
    { label: 'CDAPCTL_TOKEN', text: 'the access token itself; CDAPCTL_TOKEN_FILE is safer' },
    { label: 'CDAPCTL_NO_INPUT', text: '1 = never ask' },
    { label: 'CI', text: 'set by build servers: no question, no animation' },
    { label: 'NO_COLOR, FORCE_COLOR', text: 'no colour, or colour in any case' },
    { label: 'HTTPS_PROXY, NO_PROXY', text: 'proxy, and hosts that are reached without it; both cases of letters' },
    { label: 'NODE_EXTRA_CA_CERTS', text: 'PEM file with additional certificate authorities' },
  ];
  return paragraphs(
    'Every long flag but --confirm has a variable: CDAPCTL_ and its name in capitals, with _ for -. A flag on the line wins. Switches take 1 or 0.',
    section('folders', entryLines(folders)),
    section('others', entryLines(others)),
    'cdapctl config path shows the folders of this machine.',
  );
}

function formats(): string {
  const texts: Record<(typeof FORMATS)[number], string> = {
    table: 'for people (the default); may change',
    wide: 'table with further columns',
    json: 'one document, success or failure; compact off a terminal',
    ndjson: 'one event per line, the last one is result or error',
    yaml: 'the document of json as YAML',
    csv: 'RFC 4180 with a header; cells that a spreadsheet would run are guarded (--csv-raw turns that off)',
    name: 'one identifier per line',
  };
  return paragraphs(
    section('formats', entryLines(FORMATS.map((label) => ({ label, text: texts[label] })))),
    'A list in json is {schemaVersion, kind, items, page, warnings}, one object is {schemaVersion, kind, item, warnings}, a failure is {schemaVersion, kind: "Error", error, item, warnings}. Members are added, never removed or retyped, while schemaVersion is 1.',
    '--fields a,b,c chooses columns of table and csv, and members of json items.',
    'cdapctl schema KIND prints the JSON schema of a kind.',
  );
}

function scripting(): string {
  return paragraphs(
    'Decide by the exit code, read json; tables are for eyes. Off a terminal nothing is ever asked: what is missing is error 2 and all of it is listed at once.',
    'Every command that changes a platform, or removes something of the tool such as a key, needs -y where nobody can be asked: off a terminal, with --no-input, with --json. Without it the command changes nothing and ends with 13. A preview (--dry-run, --check, --diff, --plan-out) needs nothing. ONE EXCEPTION: cdapctl upgrade RUNS WITHOUT -y where there is no terminal at all (neither stdin nor stderr is one, or CI is set), and says so on stderr before the first write, also with -q; where stdin alone is a pipe it needs -y like all others.',
    'A protected context (cdapctl context add --protected) wants its name instead: typed on a terminal, elsewhere --confirm NAME. -y does not stand for it, nor does another context or --url with the same address.',
    section('example', [
      'export CDAPCTL_NO_INPUT=1 CDAPCTL_TOKEN_FILE=/run/secrets/token',
      'cdapctl install NAME@VERSION -u "$URL" -n etl -y --json > result.json || code=$?',
    ]),
    'stdout holds the result only; progress, warnings, hints and errors go to stderr. With -o ndjson progress and warnings are lines of stdout, too: the member type tells what a line is (count, state, warning, item), and the last one is result or error.',
    section('the items of ndjson', [`cdapctl report download latest -o ndjson | jq -c 'select(.type=="item").item'`]),
    'A reader that closes the pipe early ends the command quietly with 0.',
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
    'A day alone begins at midnight. What names no zone (Z or +02:00) is local time, with --utc UTC. A window of reports holds every run that was at work in it, also one that began before.',
    section('durations', ['90s, 15m, 2h30m, 7d; a unit is needed, only 0 stands alone']),
    'Tables show local time, too, with --utc UTC. json and csv are always UTC.',
  );
}

function trust(): string {
  return paragraphs(
    'Keys are pinned per hub. With at least one pinned key the policy is require: a package is installed only when its specification and every file it needs carry a good signature of a pinned key, checked before the first request that writes. Without a pinned key the policy is warn: one line says that nothing was verified.',
    section('commands', ['cdapctl hub key add FILE --hub NAME', 'cdapctl hub key list', 'cdapctl hub verify PACKAGE']),
    '--verify require|warn|off overrides the policy. Under warn, -y also agrees to a package that nobody trusted has signed; under require nothing does. What is wrong with a signature ends with 9.',
    'What was seen of a hub is remembered: a version that changed or an index that went back ends with 9. Only where its owner says that the hub was rebuilt: cdapctl hub remove NAME --forget, then cdapctl hub add NAME URL; its keys stay.',
  );
}

function paragraphs(...parts: readonly string[]): string {
  return `${parts.map((part) => (part.includes('\n') ? part : wrap(part, 0))).join('\n\n')}\n`;
}
