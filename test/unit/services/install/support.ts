import { CliError, type ErrorCode } from '../../../../src/core/errors.js';
import type { Action, Argument } from '../../../../src/hub/specification.js';
import type {
  Observation,
  PackageCommands,
  PreparedAction,
  Step,
  StepContext,
} from '../../../../src/services/install/action.js';
import type { ActionOutcome } from '../../../../src/services/install/run/result.js';
import type { Inputs } from '../../../../src/services/catalog/open-inputs.js';
import type { Platform } from '../../../../src/platform/client.js';
import type { InMemory } from '../in-memory-platform.js';
import { warningsTo } from '../../../support/warnings.js';

/** An argument of a package; its value is fixed unless told. */
export const argument = (name: string, value: unknown, canModify = false): Argument => ({ name, value, canModify });

export const action = (n: number, type: string, ...given: readonly Argument[]): Action => ({
  n,
  type,
  label: `Label ${n}`,
  arguments: given,
  raw: {},
});

/** An informational action, one that needs a JAR, and one whose name may be changed. */
export const ACTIONS = [
  action(1, 'informational', argument('steps', ['Read'])),
  action(2, 'create_driver_artifact', argument('name', 'driver'), argument('config', 'driver.json')),
  action(
    3,
    'create_pipeline',
    argument('name', 'Copy', true),
    argument('artifact', { name: 'a' }),
    argument('config', 'c'),
  ),
];
export const NO_INPUTS: Inputs = { set: new Map(), jars: new Map(), acceptLicense: false };

export const errorWith = (code: ErrorCode, message = 'it went wrong'): CliError => new CliError(code, message);

/** A platform that must not be asked. */
export const NO_PLATFORM: Platform = {
  base: 'http://platform.example',
  call: async () => Promise.reject(new Error('the platform was asked')),
  find: async () => Promise.reject(new Error('the platform was asked')),
};

/** What hints name. */
export const COMMANDS: PackageCommands = {
  uninstall: 'cdapctl installed uninstall copy@1.0.0 -n default',
  versions: 'cdapctl hub show copy --versions',
  actions: 'cdapctl hub show copy --actions',
};

/** A step context that remembers what it was told. */
export function contextWith(
  changes: Partial<StepContext> = {},
): StepContext & { readonly waits: number[]; readonly warnings: string[] } {
  const waits: number[] = [];
  const warnings: string[] = [];
  return {
    platform: NO_PLATFORM,
    namespace: 'default',
    capabilities: {
      streams: false,
      configurationAsText: true,
      applicationVersions: true,
      upgradeCall: true,
      studio: true,
      stopsSystemPrograms: true,
      hidesNewRuns: false,
    },
    force: false,
    again: false,
    upcoming: [],
    commands: COMMANDS,
    history: { begun: false, done: false, facts: new Map() },
    jar: undefined,
    signal: new AbortController().signal,
    clock: { monotonic: () => 0 },
    wait: async (milliseconds) => void waits.push(milliseconds),
    note: async () => undefined,
    ...warningsTo(warnings),
    ...changes,
    waits,
    warnings,
  };
}

/** A step context on a platform in memory; what is noted is in `facts`, which the history of the step shows at once. */
export function contextOn(site: InMemory, changes: Partial<StepContext> = {}, noted: Record<string, unknown> = {}) {
  const facts = new Map<string, unknown>(Object.entries(noted));
  const context = contextWith({
    platform: site.platform,
    capabilities: site.capabilities,
    history: { begun: facts.size > 0, done: false, facts },
    note: async (name, value) => void facts.set(name, value),
    ...changes,
  });
  return { ...context, facts };
}

const step = (name: string): Step => ({
  title: `pipeline ${name}`,
  target: { kind: 'pipeline', name },
  material: { name },
  observe: async () => ({ state: 'absent', effect: 'create' }),
  apply: async () => undefined,
});

export const prepared = (n: number, name: string): PreparedAction => ({
  n,
  type: 'create_pipeline',
  label: name,
  target: { kind: 'pipeline', name },
  texts: [],
  notices: [],
  inputs: { name },
  step: step(name),
});

export const observed = (state: 'absent' | 'done'): Observation => ({ state, effect: state });

export const outcome = (
  n: number,
  state: ActionOutcome['state'],
  changes: Partial<ActionOutcome> = {},
): ActionOutcome => ({
  n,
  state,
  requests: [],
  durationMs: 1,
  ...changes,
});

export const request = (status: number, path = '/x'): ActionOutcome['requests'][number] => ({
  method: 'PUT',
  path,
  status,
  ms: 1,
});
