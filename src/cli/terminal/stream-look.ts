import type { Look } from '../../output/look.js';
import { beforeDashes, isOn } from '../line/argv.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** What can be asked about one stream of the process. */
export interface StreamFacts {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

const CI_VARIABLES = ['CI', 'TF_BUILD', 'BUILD_NUMBER', 'GITHUB_ACTIONS', 'GITLAB_CI'];

/** Whether a build server runs us: no questions, no animation (docs/conventions.md 2.5). */
export function isCi(env: Environment): boolean {
  return CI_VARIABLES.some((name) => !['', '0', 'false', undefined].includes(env[name]?.toLowerCase()));
}

/** The look of one stream, decided for it alone, from the command line, the environment and the stream. */
export function lookOf(stream: StreamFacts, argv: readonly string[], env: Environment): Look {
  const terminal = stream.isTTY === true;
  const locale = env['LC_ALL'] ?? env['LC_CTYPE'] ?? env['LANG'] ?? '';
  const fromEnvironment = Number.parseInt(env['COLUMNS'] ?? '', 10);
  // A terminal that nobody told its size says 0.
  const columns = [stream.columns, fromEnvironment].find((width) => width !== undefined && width > 0);
  return {
    terminal,
    color: colorWanted(argv, env) ?? (env['TERM'] !== 'dumb' && terminal),
    columns,
    unicode: /utf-?8/iu.test(locale) || process.platform === 'win32',
    utc: beforeDashes(argv).includes('--utc') || isOn(env['CDAPCTL_UTC']),
  };
}

function colorWanted(argv: readonly string[], env: Environment): boolean | undefined {
  const words = beforeDashes(argv);
  let asked: string | undefined;
  for (const [at, word] of words.entries()) {
    if (word === '--no-color') asked = 'never';
    else if (word === '--color') asked = words[at + 1];
    else if (word.startsWith('--color=')) asked = word.slice('--color='.length);
  }
  asked ??= env['CDAPCTL_COLOR'];
  if (asked === 'always' || asked === 'never') return asked === 'always';
  if (asked === 'auto') return undefined;
  if (isOn(env['CDAPCTL_NO_COLOR']) || (env['NO_COLOR'] ?? '') !== '') return false;
  return [env['FORCE_COLOR'], env['CLICOLOR_FORCE']].some((force) => !['', '0', 'false', undefined].includes(force))
    ? true
    : undefined;
}
