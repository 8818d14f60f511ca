import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Transport } from '../../../../src/http/transport.js';
import { platformClient, type Platform } from '../../../../src/platform/client.js';
import {
  pluginOffers,
  type PluginOffer,
  type PluginProperty,
} from '../../../../src/services/upgrade/plugins/available-plugins.js';
import type { ArtifactName, PluginUse } from '../../../../src/services/upgrade/pipeline.js';

const RECORDINGS = resolve(import.meta.dirname, '../../../fixtures/recordings');

interface Recording {
  readonly id: string;
  readonly request: { readonly path: string };
  readonly response: { readonly status: number; readonly body: string };
}

/** What a real platform answered to a request for plugins, and the path that it was asked for. */
export function recorded(version: string, id: string) {
  const recordings = JSON.parse(readFileSync(resolve(RECORDINGS, version, 'artifacts.json'), 'utf8')) as Recording[];
  const found = recordings.find((recording) => recording.id === id);
  if (found === undefined) throw new Error(`no recording ${id} of ${version}`);
  return { path: found.request.path, status: found.response.status, body: found.response.body };
}

/** A platform that gives these answers one after the other, the last one again and again; `asked` are the paths. */
export function platformAnswering(...answers: readonly { readonly status: number; readonly body: string }[]) {
  const asked: string[] = [];
  const transport: Transport<'platform'> = {
    peer: 'platform',
    base: 'http://platform.example',
    async send({ method, path, query }) {
      const { status = 500, body: text = '' } = answers[asked.length] ?? answers.at(-1) ?? {};
      const url = `${path}?${new URLSearchParams((query ?? []).map(([name, value]) => [name, value])).toString()}`;
      asked.push(url);
      const body = (async function* () {
        yield Buffer.from(text);
      })();
      return { status, headers: {}, body, url, method, attempts: 1, discard: async () => undefined };
    },
    close: async () => undefined,
  };
  const platform: Platform = platformClient(transport);
  return { platform, asked };
}

/** The offers that a recorded answer holds. */
export function recordedOffers(version: string, id: string): Promise<readonly PluginOffer[]> {
  const { platform } = platformAnswering(recorded(version, id));
  const parent: ArtifactName = { name: 'cdap-data-pipeline', version, scope: 'SYSTEM' };
  return pluginOffers(platform, new AbortController().signal).of('default', parent, 'transform', 'Noop');
}

/** An artifact written as `name 1.0.0`, with ` user` behind it when it is in the user scope. */
export function artifact(text: string): ArtifactName {
  const [name = '', version = '', scope] = text.split(' ');
  return { name, version, scope: scope === 'user' ? 'USER' : 'SYSTEM' };
}

/** An offer with properties; what is not told of one is a text that can be a macro and need not be there. */
export function offer(text: string, properties: Readonly<Record<string, Partial<PluginProperty>>> = {}): PluginOffer {
  const usual = { type: 'string', required: false, macroSupported: true, children: [] };
  const entries = Object.entries(properties).map(([name, property]) => [name, { ...usual, ...property }] as const);
  return { artifact: artifact(text), properties: new Map(entries) };
}

/** A use of the transform Noop in stage `n`; of no artifact for an empty text. */
export function use(text: string, properties: Readonly<Record<string, unknown>> = {}): PluginUse {
  return {
    place: 'stage',
    stage: 'n',
    plugin: 'Noop',
    type: 'transform',
    artifact: text === '' ? undefined : artifact(text),
    version: undefined,
    properties: new Map(Object.entries(properties)),
  };
}
