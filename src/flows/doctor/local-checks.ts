import { tokenPlace, storedLogin } from '../../cli/connection-hints.js';
import { commandLine } from '../../cli/line/command-line.js';
import type { Session } from '../../cli/session.js';
import type { FoundSettings } from '../../cli/settings.js';
import { readTokenFile } from '../../cli/transports.js';
import { chooseFolder } from '../../config/paths.js';
import { shellWord } from '../../core/shell-word.js';
import type { Check, Outcome } from '../../services/doctor/run-checks.js';
import { roughly } from './rounded-time.js';
import { looseModes, tighten, writeProblem } from '../../state/login/file-permissions.js';

type Here = Pick<Session, 'build' | 'clock' | 'env'>;

const ok = (message: string): Outcome => ({ state: 'ok', message });

function modes({ folders }: FoundSettings, isFixing: boolean): Outcome {
  const state = writeProblem(folders.state);
  if (state !== undefined) return { state: 'fail', message: state, fix: chooseFolder('CDAPCTL_STATE_DIR') };
  const loose = looseModes(folders);
  const [first] = loose;
  const config = writeProblem(folders.config);
  // Containers have settings that nobody can change; what only reads them works.
  if (first === undefined && config !== undefined)
    return { state: 'warn', message: config, fix: chooseFolder('CDAPCTL_CONFIG_DIR') };
  if (first === undefined) return ok('only you can change files of cdapctl and read tokens');
  const paths = loose.map(({ path }) => path).join(', ');
  if (isFixing) {
    tighten(loose);
    return ok(`changed the permissions of ${paths}`);
  }
  const fix = `chmod ${first.mode.toString(8)} ${shellWord(first.path)}  # --fix does it`;
  return { state: 'warn', message: `other users can change or read ${paths}`, fix };
}

async function token(found: FoundSettings, { env, clock }: Here, signal: AbortSignal): Promise<Outcome> {
  const login = await storedLogin(found, { env });
  const place = tokenPlace(found, { env }, login);
  if (place === undefined) return ok('no token is configured');
  const where = place.replace(/^(?:in|of) /u, '');
  const file = found.settings.tokenFile?.value;
  const read = file === undefined || file === '-' ? undefined : await readTokenFile(file, signal);
  const end = login?.expiresAt ?? read?.expiresAt;
  if (end !== undefined && end <= clock.now()) {
    const next = login === undefined ? undefined : commandLine(['login', '--context', login.context]);
    return { state: 'fail', message: `the token of ${where} expired ${roughly(clock.now() - end)} ago`, fix: next };
  }
  const [readable] = read?.warnings ?? [];
  if (readable !== undefined)
    return { state: 'warn', message: readable.message, fix: `chmod 600 ${shellWord(file ?? '')}` };
  if (place === 'in CDAPCTL_TOKEN')
    return {
      state: 'warn',
      message: 'the token is in CDAPCTL_TOKEN, which every program that you start can read',
      fix: 'use CDAPCTL_TOKEN_FILE',
    };
  return ok(`from ${where}${end === undefined ? '' : `, valid for ${roughly(end - clock.now())}`}`);
}

/** The checks of this machine: program, configuration, modes of files, token. */
export function localChecks(found: FoundSettings, session: Here, isFixing: boolean): readonly Check[] {
  const { build } = session;
  const { sources, settings } = found;
  return [
    { id: 'runtime', run: async () => ok(`cdapctl ${build.version}, Node ${build.node}, ${build.system}`) },
    {
      id: 'config',
      run: async () => {
        const { user, system } = sources;
        const count = [user, system].reduce((sum, file) => sum + Object.keys(file?.config.contexts ?? {}).length, 0);
        const chosen = settings.context === undefined ? 'none selected' : `"${settings.context.value.name}" in use`;
        return ok(`${count} ${count === 1 ? 'context' : 'contexts'}, ${chosen}; ${user?.file ?? ''}`);
      },
    },
    { id: 'files', run: async () => modes(found, isFixing) },
    { id: 'token', run: (signal) => token(found, session, signal) },
  ];
}
