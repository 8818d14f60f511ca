import { expect, test } from 'vitest';
import type { Platform } from '../../../src/emulator/store/generation.js';
import type { SampleHub } from '../../../src/emulator/hub/build.js';
import type { SamplePackage } from '../../../src/emulator/hub/packages/sample-package.js';
import { hubPackage, signedHub } from './hub-tree.js';
import { openSite, type Install, type Site } from './install-site.js';

/** A configuration with all that a store may bend: how numbers are written, more digits than a double has, nulls, members of the user interface, an engine in lower case. */
export const CONFIGURATION = String.raw`{
  "stages": [
    {"name": "in", "plugin": {"name": "File", "type": "batchsource", "properties": {"port": 8080, "path": "caf\u00e9\/<in>", "none": null}}, "_uiPosition": {"top": "297px"}},
    {"name": "out", "plugin": {"name": "File", "type": "batchsink", "properties": {"path": "/out"}}}
  ],
  "connections": [{"from": "in", "to": "out"}],
  "resources": {"memoryMB": 512.0},
  "numOfRecordsPreview": 1e2,
  "engine": "spark",
  "none": null,
  "big": 12345678901234567890
}
`;
export const NAME = 'Orders draft';
/** The package of one draft, and a later version of it with another configuration. */
export const PACKAGE = 'orders';

/** A package of one draft, whose name may be changed. */
export function draftPackage(
  name: string,
  version: string,
  configuration: string,
  artifact: object = { name: 'cdap-data-pipeline', version: '6.1.1', scope: 'system' },
): SamplePackage {
  const given = { artifact, config: 'draft.json', name: NAME };
  const action = {
    type: 'create_pipeline_draft',
    label: 'Create the draft',
    arguments: Object.entries(given).map(([key, value]) => ({ name: key, value, canModify: key === 'name' })),
  };
  const spec = { cdapVersion: '[4.0.0,7.0.0)', actions: [action] };
  return hubPackage({ name, version, spec, resources: { 'draft.json': configuration } });
}

let hub: Promise<SampleHub> | undefined;

async function makeHub(): Promise<SampleHub> {
  const old = { name: 'cdap-etl-batch', version: '4.3.5', scope: 'SYSTEM' };
  const packages = [
    draftPackage(PACKAGE, '1.0.0', CONFIGURATION),
    draftPackage(PACKAGE, '2.0.0', CONFIGURATION.replace('"/out"', '"/elsewhere"')),
    draftPackage('odd-artifact', '1.0.0', CONFIGURATION, old),
  ];
  const { files, key } = await signedHub({ packages, now: Date.now() });
  return { files, ...key };
}

/** A draft as either generation shows it. */
export interface ShownDraft {
  readonly id: string;
  readonly name: string;
  readonly artifact: Readonly<Record<string, string>>;
  readonly config: Readonly<Record<string, unknown>>;
}

/** A site whose hub has packages of drafts. */
export interface DraftSite extends Site {
  readonly platform: Platform;
  /** All drafts of the namespace, wherever the platform keeps them. */
  drafts(): Promise<readonly ShownDraft[]>;
  /** Puts a draft there, as a person would. */
  putDraft(id: string, draft: object): Promise<void>;
  /** The text of the user's settings. */
  settings(): Promise<string>;
  putSettings(text: string): Promise<void>;
  close(): Promise<void>;
}

export const STORE = '/v3/configuration/user';
export const STUDIO = '/v3/namespaces/system/apps/pipeline/services/studio/methods/v1/contexts/default/drafts';

/** Calls an address and gives the text of a 200. */
export async function textOf(url: string, method = 'GET', body?: string): Promise<string> {
  const answer = await fetch(url, { method, ...(body !== undefined && { body }) });
  const text = await answer.text();
  expect(answer.status, `${method} ${url}: ${text}`).toBe(200);
  return text;
}

/** The settings in an answer of the user store, as they are written there. */
export const settingsIn = (answer: string): string => /^\{"id":"","property":(.*)\}$/su.exec(answer)?.[1] ?? '';

async function studioDrafts(url: string): Promise<ShownDraft[]> {
  return JSON.parse(await textOf(`${url}${STUDIO}?includeConfig=true&sortBy=id`)) as ShownDraft[];
}

async function storedDrafts(url: string): Promise<ShownDraft[]> {
  const settings = JSON.parse(settingsIn(await textOf(url + STORE))) as {
    hydratorDrafts?: Record<string, Record<string, Omit<ShownDraft, 'id'>>>;
  };
  return Object.entries(settings.hydratorDrafts?.['default'] ?? {}).map(([id, draft]) => ({ ...draft, id }));
}

/** All drafts of the namespace `default`, wherever the platform keeps them. */
export const draftsAt = (url: string, platform: Platform): Promise<readonly ShownDraft[]> =>
  platform === '6.11.0' ? studioDrafts(url) : storedDrafts(url);

/** Opens a site of a platform; the key of its hub is trusted. */
export async function openDraftSite(platform: Platform): Promise<DraftSite> {
  const made = await (hub ??= makeHub());
  const site = await openSite(made, platform);
  await site.pin(made);
  const isStudio = platform === '6.11.0';
  const settings = async (): Promise<string> => settingsIn(await textOf(site.url + STORE));
  const putSettings = async (text: string): Promise<void> => {
    await textOf(site.url + STORE, 'PUT', text);
  };
  return Object.assign(site, {
    platform,
    settings,
    putSettings,
    drafts: () => draftsAt(site.url, platform),
    putDraft: async (id: string, draft: object) => {
      if (isStudio) {
        await textOf(`${site.url}${STUDIO}/${id}`, 'PUT', JSON.stringify(draft));
        return;
      }
      const all = JSON.parse(await settings()) as { hydratorDrafts?: { default?: object } };
      const drafts = { ...all.hydratorDrafts, default: { ...all.hydratorDrafts?.default, [id]: draft } };
      await putSettings(JSON.stringify({ ...all, hydratorDrafts: drafts }));
    },
  });
}

/** Tests that are each given drafts of their own, on the platforms that they name. */
export const draftTest = test.extend<{ current: DraftSite; older: DraftSite; first: DraftSite }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of what a fixture needs from its parameter
  current: async ({}, use) => withSite('6.11.0', use),
  // oxlint-disable-next-line no-empty-pattern -- as above
  older: async ({}, use) => withSite('6.1.1', use),
  // oxlint-disable-next-line no-empty-pattern -- as above
  first: async ({}, use) => withSite('4.3.5', use),
});

/** Opens a site for some work and closes it. */
export async function withSite(
  platform: DraftSite['platform'],
  use: (site: DraftSite) => Promise<void>,
): Promise<void> {
  const site = await openDraftSite(platform);
  try {
    await use(site);
  } finally {
    await site.close();
  }
}

/** What drafts of pipelines are made for. */
export const ARTIFACT = { name: 'cdap-data-pipeline', version: '6.1.1', scope: 'SYSTEM' };
/** The draft of the package with another content. */
export const OTHER = {
  artifact: ARTIFACT,
  name: NAME,
  config: { stages: [], connections: [], resources: { memoryMB: 1 } },
};

/** Settings of somebody, written in ways that a number or an object of a program would not survive. */
export const SETTINGS =
  '{"choice":512.0,"hydratorDrafts":{"other":{"x":{"n":1e3,"none":null}},"default":{"d1":{"name":"mine","big":12345678901234567890}}},"2":[1,null],"1":"é<>&\'="}';

/** The warnings of an install, a line each. */
export const messages = ({ warnings }: Install): string => warnings.map(({ message }) => message).join('\n');
