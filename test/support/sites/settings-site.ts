import { startEmulator, type RunningEmulator } from '../../../src/emulator/start.js';
import { runCli, type RunOptions, type RunResult } from '../processes/run-cli.js';
import { olderPipeline, stepArtifacts } from './upgrade-seed.js';

/** An emulated platform with one pipeline, `etl/orders`, and what is called on it. */
export interface SettingsSite {
  readonly emulator: RunningEmulator;
  cdapctl(line: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** `METHOD path` of the writes of the tool. */
  writes(): Promise<readonly string[]>;
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  close(): Promise<void>;
}

/** The configuration of a pipeline with one action, whose properties may hold macros. */
export const stepWith = (properties: Readonly<Record<string, string>>): object => ({
  ...{ description: 'copies', engine: 'spark', schedule: '0 1 * * *', connections: [], postActions: [] },
  stages: [
    {
      name: 'step',
      plugin: {
        ...{ name: 'Copy', type: 'action', label: 'step', properties },
        artifact: { name: 'example-steps', version: '1.0.0', scope: 'SYSTEM' },
      },
    },
  ],
});

/** Opens one; `names` are the pipelines of `etl`. */
export async function openSettingsSite(
  names: readonly string[] = ['orders'],
  properties: Readonly<Record<string, string>> = {},
  platform: '6.11.0' | '6.1.1' = '6.11.0',
): Promise<SettingsSite> {
  const applications = names.map((name) => olderPipeline(platform, 'etl', name, stepWith(properties)));
  const seed = { namespaces: ['etl', 'dev'], artifacts: stepArtifacts(platform), applications };
  const emulator = await startEmulator({ port: 0, hubPort: 0, platform, seed });
  return {
    emulator,
    cdapctl: (line, options) => runCli([...line, '-u', emulator.url], options),
    async writes() {
      const text = await (await fetch(`${emulator.url}/emulator/requests`)).text();
      const entries = text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { method: string; path: string; headers: Record<string, string> });
      return entries
        .filter(({ method, headers }) => method !== 'GET' && headers['user-agent']?.startsWith('cdapctl/'))
        .map(({ method, path }) => `${method} ${path}`);
    },
    async call<T>(method: string, path: string, body?: unknown) {
      const answer = await fetch(`${emulator.url}/v3${path}`, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (answer.status > 299) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      const text = await answer.text();
      return (
        answer.headers.get('content-type')?.includes('json') === true && text !== 'OK' ? JSON.parse(text) : text
      ) as T;
    },
    close: () => emulator.close(),
  };
}
