import { expect } from 'vitest';
import type { Platform } from '../../../src/emulator/store/generation.js';
import type { SampleHub } from '../../../src/emulator/hub/build.js';
import { openSite, type Logged, type Site } from '../../support/sites/install-site.js';
import type { RunResult } from '../../support/processes/run-cli.js';

const NO_HUB: SampleHub = {
  files: new Map(),
  publicKey: '',
  fingerprint: '',
  sign: () => Promise.reject(new Error('nothing is signed here')),
};

/** The schedule that somebody added to `pipeline-00001` over HTTP. */
export const BY_HAND = 'by-hand';

/** The numbers of generated pipelines that are made of older artifacts. */
export const oldOnes = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index).filter((index) => index % 10 !== 6 && index % 10 !== 7);

/** The name of a generated pipeline. */
export const named = (index: number): string => `pipeline-${String(index).padStart(5, '0')}`;

/** A platform with generated pipelines, some with an active schedule, one with a second one that was made by hand. */
export async function openUpgradeSite(
  count = 20,
  platform: Platform = '6.11.0',
): Promise<Site & { close(): Promise<void> }> {
  const site = await openSite(NO_HUB, platform, { pipelines: [{ count }] });
  const schedule = `/apps/${named(1)}/schedules/${BY_HAND}`;
  await site.call('PUT', schedule, {
    name: BY_HAND,
    description: 'made by hand',
    program: { programName: 'DataPipelineWorkflow', programType: 'WORKFLOW' },
    trigger: { cronExpression: '5 4 * * *', type: 'TIME' },
    properties: { made: 'by hand' },
  });
  await site.call('POST', `${schedule}/resume`);
  await site.forget();
  return site;
}

/** What a platform does that keeps no schedule over a deploy: made ones are suspended, those of somebody are gone. */
export async function loseSchedules(site: Site, method: string, path: string): Promise<void> {
  const [, name] = /\/apps\/([^/?]+)$/u.exec(path) ?? [];
  if (method !== 'PUT' || name === undefined) return;
  const settings = [
    ['POST', 'dataPipelineSchedule/suspend'],
    ['DELETE', BY_HAND],
  ] as const;
  for (const [how, what] of settings) await site.call(how, `/apps/${name}/schedules/${what}`).catch(() => undefined);
}

interface Shown {
  readonly name: string;
  readonly artifact: unknown;
  readonly configuration: string;
}

interface ShownSchedule {
  readonly name: string;
  readonly description: string;
  readonly status: string;
  readonly trigger: unknown;
  readonly properties: unknown;
}

/** The pipelines of a site with their artifacts, configurations and schedules, without times and version ids. */
export async function upgradeState(site: Site): Promise<unknown> {
  const listed = await site.call<{ name: string }[]>('GET', '/apps');
  return Promise.all(
    listed.map(async ({ name }) => {
      const { artifact, configuration } = await site.call<Shown>('GET', `/apps/${name}`);
      const schedules = await site.call<ShownSchedule[]>('GET', `/apps/${name}/schedules`);
      return {
        name,
        artifact,
        configuration,
        schedules: schedules.map(({ name: schedule, description, status, trigger, properties }) => ({
          schedule,
          description,
          status,
          trigger,
          properties,
        })),
      };
    }),
  );
}

const isDeploy = ({ method, path }: Logged): boolean => method === 'PUT' && /\/apps\/[^/]+$/u.test(path);

/** The deploys that the platform got from the tool: the name of the pipeline, one for each; those that had their effect unless told otherwise. */
export async function deploysOf(site: Site, which: 'applied' | 'all' = 'applied'): Promise<readonly string[]> {
  return (await site.requests())
    .filter((logged) => isDeploy(logged) && logged.headers['user-agent']?.startsWith('cdapctl/') === true)
    .filter(({ applied }) => which === 'all' || applied)
    .map(({ path }) => path.replace(/^.*\//u, ''))
    .sort();
}

/** The line of an upgrade of the site. */
export const upgradeLine = (site: Site, ...more: readonly string[]): string[] => [
  'upgrade',
  '-u',
  site.through,
  '-n',
  'default',
  ...more,
];

/** An upgrade that came to its end. */
export interface EndedUpgrade {
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** By the name of the pipeline. */
  readonly states: Readonly<Record<string, string>>;
  readonly error: { readonly code: string; readonly message: string; readonly hints: readonly string[] } | undefined;
  /** The command that goes on, as words of a line. */
  readonly retry: readonly string[];
}

interface Document {
  readonly error?: EndedUpgrade['error'];
  readonly item?: {
    readonly retry?: string;
    readonly pipelines?: readonly { readonly name: string; readonly state: string }[];
  } | null;
}

/** Reads what an upgrade with `--json` left: one document, whatever happened. */
export function endOf({ code, stdout, stderr }: RunResult): EndedUpgrade {
  expect(stdout.split('\n'), `one document on stdout; stderr was\n${stderr}`).toHaveLength(2);
  expect(`${stdout}${stderr}`, 'a stack trace').not.toMatch(/^\s+at .+:\d+:\d+\)?$/mu);
  const { error, item } = JSON.parse(stdout) as Document;
  return {
    code,
    stdout,
    stderr,
    error,
    states: Object.fromEntries((item?.pipelines ?? []).map(({ name, state }) => [name, state])),
    retry: item?.retry?.split(' ').slice(1) ?? [],
  };
}

/** Upgrades the pipelines of a site. */
export async function runUpgrade(
  site: Site,
  more: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<EndedUpgrade> {
  return endOf(await site.cdapctl(upgradeLine(site, ...more, '--json'), { env, timeout: 60_000 }));
}
