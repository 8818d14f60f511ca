import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../../../src/core/errors.js';
import { deployJar, getApplication, listApplications } from '../../../../../../src/platform/apps.js';
import type { Platform } from '../../../../../../src/platform/client.js';
import type { FactValue, StepContext } from '../../../../../../src/services/install/action.js';
import { appStep } from '../../../../../../src/services/install/things/application/step.js';
import { contextWith, errorWith } from '../../support.js';

/** Applications by name: `ARTIFACT VERSION ID`. */
type Apps = Readonly<Record<string, string>>;

/** What a platform shows: whether the artifact is there, and its applications. */
interface Shown {
  readonly artifact?: boolean;
  readonly apps?: Apps;
}

interface Setup {
  readonly version?: string;
  readonly done?: boolean;
  readonly facts?: Readonly<Record<string, FactValue>>;
  readonly force?: boolean;
  /** The platform counts the versions of an application. */
  readonly counts?: boolean;
}

const APP = {
  name: 'shop',
  mainClass: 'org.example.Shop',
  file: 'shop.jar',
  jar: { kind: 'hub', name: 'shop.jar' },
} as const;

const records = (apps: Apps) =>
  Object.entries(apps).map(([name, text]) => {
    const [artifact = '', version = '', id = '', scope = 'USER'] = text.split(' ');
    return { name, version: id, appVersion: id, artifact: { name: artifact, version, scope } };
  });

/** A platform that shows one state after the other, the last one for ever; a deploy ends as told. */
function platformOf(states: readonly Shown[], deploy: () => void) {
  let looks = 0;
  const sent: string[] = [];
  let now: Shown = {};
  const platform: Platform = {
    base: 'http://platform.example',
    call: async (endpoint) => {
      if ((endpoint as unknown) === deployJar) {
        sent.push('POST');
        deploy();
        return '' as never;
      }
      const own = (endpoint as unknown) === listApplications;
      const found = own ? records(now.apps ?? {}).filter(({ artifact }) => artifact.name === 'shop') : [];
      return found as never;
    },
    find: async (endpoint, parameters) => {
      if ((endpoint as unknown) === getApplication) {
        const { application } = parameters as { application: string };
        return records(now.apps ?? {}).find(({ name }) => name === application) as never;
      }
      now = states[Math.min(looks, states.length - 1)] ?? {};
      looks += 1;
      return (now.artifact === true ? {} : undefined) as never;
    },
  };
  return { platform, sent };
}

function setUp({ version = '1.0.0', done = false, facts, force = false, counts = true }: Setup, platform: Platform) {
  const known = new Map<string, unknown>(Object.entries(facts ?? {}));
  const noted: string[] = [];
  const context = contextWith({
    platform,
    force,
    capabilities: { ...contextWith().capabilities, applicationVersions: counts },
    history: { begun: facts !== undefined, done, facts: known },
    jar: { file: '/x/shop.jar', bytes: 1, sha256: 'f' },
    note: async (name, value) => {
      known.set(name, value);
      if (typeof value === 'string') noted.push(value);
    },
  });
  return { context, noted, step: appStep({ ...APP, version }) };
}

const tell = (error: unknown): string => (error instanceof CliError ? error.code : String(error));

async function judge(shown: Shown, setup: Setup): Promise<string> {
  const { step, context } = setUp(setup, platformOf([shown], () => undefined).platform);
  try {
    const observation = await step.observe(context);
    return observation.state === 'refused' ? observation.error.code : `${observation.state}: ${observation.effect}`;
  } catch (error) {
    return tell(error);
  }
}

const THERE = 'done: already exists (content not compared)';
const SENT = { deploy: 'sent', former: {} };
const SNAPSHOT = '1.0.0-SNAPSHOT';
const REPLACE = 'differs: overwrite application Shop (replaces the snapshot)';

describe('a release', () => {
  it.each<[string, Shown, Setup, string]>([
    ['that nobody has', {}, {}, 'absent: create from shop.jar'],
    ['with an application', { artifact: true, apps: { Shop: 'shop 1.0.0 a' } }, {}, THERE],
    ['with an application that names itself', { artifact: true, apps: { Kiosk: 'shop 1.0.0 a' } }, {}, THERE],
    ['without an application', { artifact: true }, {}, 'CONFLICT'],
    ['with one of the platform', { artifact: true, apps: { Kiosk: 'shop 1.0.0 a SYSTEM' } }, {}, 'CONFLICT'],
    ['without an application, forced', { artifact: true }, { force: true }, 'CONFLICT'],
    ['without an application, which was there when we were done', { artifact: true }, { done: true }, 'CONFLICT'],
    ['that our cut off run sent', { artifact: true }, { facts: SENT }, 'incomplete: wait for the interrupted deploy'],
    ['that was refused', { artifact: true }, { facts: { deploy: 'refused' } }, 'CONFLICT'],
    ['whose application has moved on', { artifact: true, apps: { Shop: 'shop 2.0.0 a' } }, {}, 'CONFLICT'],
    [
      'after another one',
      { apps: { Shop: 'shop 0.9.0 a' } },
      {},
      'differs: overwrite application Shop (made from shop 0.9.0)',
    ],
    [
      'after another one of an application that names itself',
      { apps: { Kiosk: 'shop 0.9.0 a' } },
      {},
      'differs: overwrite application Kiosk (made from shop 0.9.0)',
    ],
    ['where the name is taken', { apps: { Shop: 'till 1.0.0 a' } }, {}, 'CONFLICT'],
    [
      'where the name is taken, forced',
      { apps: { Shop: 'till 1.0.0 a' } },
      { force: true },
      'differs: overwrite application Shop (made from till 1.0.0)',
    ],
  ])('%s', async (_, shown, setup, expected) => {
    expect(await judge(shown, setup)).toBe(expected);
  });
});

describe('a snapshot', () => {
  const shown = { artifact: true, apps: { Shop: `shop ${SNAPSHOT} a` } };
  const before = { deploy: 'sent', former: { Shop: `shop ${SNAPSHOT} a` } };
  it.each<[string, Shown, Setup, string]>([
    ['of somebody else', shown, {}, REPLACE],
    ['that is our very JAR', shown, { done: true }, THERE],
    ['that we sent, and the platform said so', shown, { facts: { ...before, deploy: 'applied' } }, THERE],
    ['that we sent where none was', shown, { facts: SENT }, THERE],
    [
      'that we sent, another version now',
      shown,
      { facts: { ...before, former: { Shop: `shop ${SNAPSHOT} b` } } },
      THERE,
    ],
    [
      'that we sent over another release',
      shown,
      { facts: { ...before, former: { Shop: 'shop 0.9.0 a' } }, counts: false },
      THERE,
    ],
    ['that we sent in vain', shown, { facts: before }, REPLACE],
    ['that was refused', shown, { facts: { ...before, deploy: 'refused' } }, REPLACE],
    ['that we sent where nobody can tell', shown, { facts: before, counts: false }, 'UNKNOWN_OUTCOME'],
    ['without an application', { artifact: true }, {}, 'incomplete: replace the snapshot'],
  ])('%s', async (_, present, setup, expected) => {
    expect(await judge(present, { version: SNAPSHOT, ...setup })).toBe(expected);
  });
});

const NONE: Shown = {};
const HALF: Shown = { artifact: true };
const OTHER: Shown = { apps: { Shop: 'shop 0.9.0 a' } };
const WHOLE: Shown = { artifact: true, apps: { Shop: 'shop 1.0.0 a' } };

/** Applies the step: how it ended, how often it sent, what the journal holds, how long it waited. */
async function apply(states: readonly Shown[], failures: readonly CliError[], setup: Setup = {}) {
  const left = [...failures];
  const { platform, sent } = platformOf(states, () => {
    const failure = left.shift();
    if (failure !== undefined) throw failure;
  });
  const { step, context, noted } = setUp(setup, platform);
  const ended = await step.apply(context as StepContext, { state: 'absent', effect: '' }).then(() => 'done', tell);
  return { ended, sends: sent.length, noted, waits: context.waits.length, warnings: context.warnings };
}

describe('a deploy', () => {
  const lost = errorWith('NET_RESET');
  it.each<[string, Shown[], CliError[], Setup, object]>([
    ['that is answered', [NONE, WHOLE], [], {}, { ended: 'done', sends: 1, noted: ['sent', 'applied'] }],
    ['that the platform does not show', [NONE, NONE], [], {}, { ended: 'BAD_ANSWER', sends: 1 }],
    [
      'that is refused',
      [NONE],
      [errorWith('REMOTE_FAILED')],
      {},
      { ended: 'REMOTE_FAILED', sends: 1, noted: ['sent', 'refused'] },
    ],
    ['that is lost and still at work', [NONE, HALF, HALF, WHOLE], [lost], {}, { ended: 'done', sends: 1, waits: 2 }],
    [
      'that is lost and stays half done',
      [NONE, HALF],
      [lost],
      {},
      { ended: 'UNKNOWN_OUTCOME', sends: 1, noted: ['sent'], waits: 9 },
    ],
    ['that is lost and is undone', [NONE, HALF, NONE, NONE, NONE, WHOLE], [lost], {}, { ended: 'done', sends: 2 }],
    ['that somebody else was faster with', [NONE, WHOLE], [errorWith('CONFLICT')], {}, { ended: 'done', sends: 1 }],
    [
      'that somebody uploads the artifact for',
      [NONE, HALF],
      [errorWith('CONFLICT')],
      {},
      { ended: 'CONFLICT', sends: 1 },
    ],
    [
      'whose second send meets the first',
      [NONE, NONE, NONE, NONE, WHOLE],
      [lost, errorWith('CONFLICT')],
      {},
      { ended: 'done', sends: 2, warnings: [expect.stringContaining('sending it again')] },
    ],
    ['that was cut off and ends', [HALF, HALF, WHOLE], [], { facts: SENT }, { ended: 'done', sends: 0, waits: 1 }],
    ['that was cut off and is undone', [HALF, HALF, NONE, WHOLE], [], { facts: SENT }, { ended: 'done', sends: 1 }],
    ['that an application appeared for', [OTHER], [], {}, { ended: 'CONFLICT', sends: 0 }],
    ['that the very application appeared for', [WHOLE], [], {}, { ended: 'done', sends: 0 }],
    [
      'that was cut off over another one and is undone',
      [OTHER, WHOLE],
      [],
      { facts: SENT },
      { ended: 'done', sends: 1 },
    ],
    ['that was cut off and stays half done', [HALF], [], { facts: SENT }, { ended: 'CONFLICT', sends: 0, waits: 9 }],
  ])('%s', async (_, states, failures, setup, expected) => {
    expect(await apply(states, failures, setup)).toMatchObject(expected);
  });

  it('says that somebody else was faster', async () => {
    const { warnings } = await apply([NONE, WHOLE], [errorWith('CONFLICT')]);
    expect(warnings).toEqual([
      'application shop 1.0.0 was created by someone else in the meantime; content not compared',
    ]);
  });

  it.each([
    ['co.cask.cdap.api.app.AbstractApplication', 'REMOTE_FAILED'],
    ["'namespace:nowhere' was not found.", 'NOT_FOUND'],
  ])('tells a missing class from a missing namespace: %s', async (serverSaid, code) => {
    const failure = new CliError('NOT_FOUND', 'a 404', { serverSaid });
    expect(await apply([NONE], [failure])).toMatchObject({ ended: code, sends: 1 });
  });
});
