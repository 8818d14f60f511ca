import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test as base } from 'vitest';
import { PLATFORMS } from '../../../src/emulator/store/generation.js';
import { openAppSite, shopJar } from '../../support/sites/app-hub.js';
import type { Site } from '../../support/sites/install-site.js';
import { CTRL_U, ENTER, startPty } from '../../support/processes/pty.js';

const SPACE = '/v3/namespaces/default';
const SHOP = ['shop@1.0.0', '-y'] as const;

interface App {
  readonly name: string;
  readonly version: string;
  readonly artifact: { readonly name: string; readonly version: string; readonly scope: string };
}

const it = base.extend<{ site: Site }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of what a fixture needs from its parameter
  site: async ({}, use) => {
    const site = await openAppSite();
    await use(site);
    await site.close();
  },
});

const applications = async (site: Site): Promise<readonly string[]> =>
  (await site.call<App[]>('GET', '/apps')).map(({ name, artifact }) => `${name} ${artifact.name} ${artifact.version}`);
const artifacts = async (site: Site): Promise<readonly string[]> =>
  (await site.call<App[]>('GET', '/artifacts?scope=user')).map(({ name, version }) => `${name} ${version}`);

const upload = (site: Site, jar: Buffer, name: string, version: string): Promise<Response> =>
  fetch(`${site.url}${SPACE}/artifacts/${name}`, {
    method: 'POST',
    body: new Uint8Array(jar),
    headers: { 'Artifact-Version': version },
  });

describe.each(PLATFORMS)('on a platform %s', (platform) => {
  base('an application is deployed from the JAR of the package, once', async () => {
    const site = await openAppSite(platform);
    const { item } = await site.install(...SHOP);
    expect(item).toMatchObject({
      state: 'installed',
      actions: [
        {
          type: 'one_step_deploy_app',
          state: 'done',
          target: { kind: 'application', name: 'shop', version: '1.0.0' },
          effect: 'create from shop-1.0.0.jar',
          inputs: { jar: 'shop-1.0.0.jar', name: 'shop', version: '1.0.0', mainClass: 'example.Shop' },
          requests: [{ method: 'POST', path: `${SPACE}/apps`, status: 200 }],
        },
      ],
    });
    const [post] = (await site.requests()).filter(({ method }) => method === 'POST');
    expect(post).toMatchObject({
      path: `${SPACE}/apps`,
      bodySha256: createHash('sha256').update(shopJar(platform)).digest('hex'),
      headers: { 'x-archive-name': 'shop-1.0.0.jar', 'content-type': 'application/octet-stream' },
    });
    expect(post?.headers).not.toHaveProperty('x-app-config');
    expect(await applications(site)).toEqual(['Shop shop 1.0.0']);
    expect(await site.call('GET', '/apps/Shop')).toMatchObject({ programs: [{ type: 'Workflow', name: 'Nightly' }] });
    await site.forget();
    expect((await site.install(...SHOP)).item).toMatchObject({
      state: 'already-present',
      actions: [{ state: 'already-present', effect: 'already exists (content not compared)', writes: false }],
    });
    await site.install(...SHOP, '--again');
    expect(await site.writes()).toEqual([]);
    await site.close();
  });

  base('an artifact without an application is a refusal that says how to go on', async () => {
    const site = await openAppSite(platform);
    await upload(site, shopJar(platform), 'shop', '1.0.0');
    await site.forget();
    const { error } = await site.install(...SHOP);
    expect(error).toMatchObject({
      code: 'CONFLICT',
      exitCode: 6,
      message: 'artifact shop 1.0.0 already exists, but no application uses it',
    });
    expect(error.hints.join()).toContain(`DELETE ${SPACE}/artifacts/shop/versions/1.0.0`);
    expect(await site.writes()).toEqual([]);
    await site.call('DELETE', '/artifacts/shop/versions/1.0.0');
    expect((await site.install(...SHOP)).item?.state).toBe('installed');
    await site.close();
  });

  base('another release is deployed over the application only with a yes', async () => {
    const site = await openAppSite(platform);
    await site.install(...SHOP);
    await site.forget();
    const asked = await site.unasked('shop@2.0.0', '--no-input');
    expect(asked.error).toMatchObject({ code: 'CONSENT_MISSING', exitCode: 13 });
    expect(asked.error.message).toContain('overwrite application Shop');
    expect(await site.writes()).toEqual([]);
    expect((await site.install('shop@2.0.0', '-y')).item?.actions).toMatchObject([
      { state: 'done', effect: 'overwrite application Shop (made from shop 1.0.0)' },
    ]);
    expect(await site.writes()).toEqual([`POST ${SPACE}/apps 200`]);
    expect(await applications(site)).toEqual(['Shop shop 2.0.0']);
    const back = await site.install(...SHOP);
    expect(back.error).toMatchObject({ code: 'CONFLICT' });
    expect(back.error.message).toContain('application Shop uses shop 2.0.0');
    await site.close();
  });

  base('a snapshot is deployed again unless the journal knows that very JAR', async () => {
    const site = await openAppSite(platform);
    await site.install('shop@3.0.0', '-y');
    await site.forget();
    expect((await site.install('shop@3.0.0', '-y')).item?.state).toBe('already-present');
    expect(await site.writes()).toEqual([]);
    const elsewhere = await site.cdapctl(site.line(['shop@3.0.0', '--verify', 'off', '--no-input']), {
      home: join(site.home, 'elsewhere'),
    });
    expect(elsewhere.code, elsewhere.stderr).toBe(13);
    expect(elsewhere.stderr).toContain('overwrite application Shop');
    expect((await site.install('shop@3.0.0', '-y', '--again')).item?.actions).toMatchObject([
      { state: 'done', effect: 'overwrite application Shop (replaces the snapshot)' },
    ]);
    expect(await site.writes()).toEqual([`POST ${SPACE}/apps 200`]);
    await site.close();
  });

  base('an application of another generation is refused with the class that it needs', async () => {
    const site = await openAppSite(platform);
    const { error } = await site.install('shop-other', '-y');
    expect(error).toMatchObject({ code: 'REMOTE_FAILED', exitCode: 11 });
    expect(error.message).toMatch(
      /^application shop 1\.0\.0 needs the class [a-z.]+cdap\.api\.app\.AbstractApplication,/u,
    );
    expect(error.details).toContain('another platform version');
    expect(await artifacts(site)).toEqual([]);
    await site.close();
  });
});

describe('the JAR of deploy_app', () => {
  it(
    'is asked for until it is an application with a name that the platform takes',
    { skip: !existsSync('/usr/bin/script') },
    async ({ site }) => {
      await site.file('shop.jar', shopJar());
      await site.file('till-1.0.0.jar', (await import('../../contract/jars.js')).classesJar());
      await site.file('shop-1.5.0.jar', shopJar());
      const pty = startPty(site.line(['shop-ask']), site.home, join(site.home, 'result'));
      await pty.see('Action 1  deploy_app  "Your shop": the package does not include the JAR for this action');
      await pty.see('Path of the JAR (--jar 1=PATH)');
      pty.type(`shop.jar${ENTER}`);
      await pty.see('the platform requires NAME-VERSION.jar');
      pty.type(`${CTRL_U}till-1.0.0.jar${ENTER}`);
      await pty.see('has no Main-Class');
      expect(await site.writes()).toEqual([]);
      pty.type(`${CTRL_U}shop-1.5.0.jar${ENTER}`);
      await pty.see('application example.Shop, will be artifact shop 1.5.0');
      await pty.see('into namespace default');
      pty.type(ENTER);
      expect(await pty.end(), pty.shown()).toBe(0);
      expect(await readFile(join(site.home, 'result'), 'utf8')).toContain('Installed shop-ask 1.0.0 in default');
      expect(await applications(site)).toEqual(['Shop shop 1.5.0']);
    },
  );

  it.for([
    ['a flag', async (_: Site, jar: string) => ['--jar', `1=${jar}`]],
    ['a flag by type', async (_: Site, jar: string) => ['--jar', `deploy_app[1]=${jar}`]],
    [
      'a values file',
      async (site: Site, jar: string) => ['-f', await site.file('values.yaml', `actions: { 1: { jar: ${jar} } }\n`)],
    ],
  ] as const)('is given by %s', async ([, words], { site }) => {
    const jar = await site.file('shop-1.5.0.jar', shopJar());
    const { item } = await site.install('shop-ask', '--no-input', ...(await words(site, jar)));
    expect(item?.actions).toMatchObject([{ state: 'done', inputs: { jar, version: '1.5.0' } }]);
    expect(await applications(site)).toEqual(['Shop shop 1.5.0']);
    await site.forget();
    await site.install('shop-ask', '--no-input', ...(await words(site, jar)));
    expect(await site.writes()).toEqual([]);
  });

  it('is listed as missing where nobody can be asked', async ({ site }) => {
    const { error, item } = await site.install('shop-ask', '-y', '--no-input');
    expect(error).toMatchObject({ code: 'INPUT_MISSING', exitCode: 2 });
    expect(item?.missing).toMatchObject([{ kind: 'jar', n: 1, flag: '--jar 1=PATH' }]);
    expect(await site.writes()).toEqual([]);
  });

  it.for([
    ['no name and version in its file name', 'shop.jar', shopJar(), 'NAME-VERSION.jar'],
    ['a version that is none', 'shop-12c.jar', shopJar(), 'NAME-VERSION.jar'],
    ['no archive in it', 'shop-1.0.0.jar', Buffer.from('no zip'), 'not a valid JAR'],
  ] as const)('with %s is refused before anything is sent', async ([, name, bytes, words], { site }) => {
    const { error } = await site.install('shop-ask', '--jar', `1=${await site.file(name, bytes)}`, '-y');
    expect(error).toMatchObject({ code: 'BAD_JAR', exitCode: 12 });
    expect(error.message).toContain(words);
    expect(await site.writes()).toEqual([]);
  });
});

describe('what is no application', () => {
  it.for([
    ['shop-unnamed', 12, 'BAD_JAR', 'the platform requires NAME-VERSION.jar', 0],
    ['shop-without-class', 12, 'BAD_JAR', 'its manifest has no Main-Class', 0],
    ['shop-gone', 12, 'BAD_JAR', 'does not contain its main class example.Gone', 0],
    ['shop-no-app', 11, 'REMOTE_FAILED', 'with status 400', 1],
  ] as const)('%s ends with %i', async ([name, exitCode, code, message, writes], { site }) => {
    const { error } = await site.install(name, '-y');
    expect(error).toMatchObject({ code, exitCode });
    expect(error.message).toContain(message);
    expect(await site.writes()).toHaveLength(writes);
    expect(await artifacts(site)).toEqual([]);
  });
});

describe('an application of the same name from another artifact', () => {
  it('is deployed over with --force only', async ({ site }) => {
    await upload(site, shopJar(), 'boutique', '1.0.0');
    await site.call('PUT', '/apps/Shop', { artifact: { name: 'boutique', version: '1.0.0', scope: 'USER' } });
    await site.forget();
    const { error } = await site.install(...SHOP);
    expect(error).toMatchObject({ code: 'CONFLICT', exitCode: 6 });
    expect(error.message).toContain('with another artifact (boutique 1.0.0)');
    expect(await site.writes()).toEqual([]);
    expect((await site.install(...SHOP, '--force')).item?.state).toBe('installed');
    expect(await applications(site)).toEqual(['Shop shop 1.0.0']);
  });
});

describe('the schedules of an application that is deployed over', () => {
  const yearly = {
    name: 'yearly',
    program: { programType: 'WORKFLOW', programName: 'Nightly' },
    trigger: { type: 'TIME', cronExpression: '0 0 1 1 *' },
  };

  base.for([
    ['6.11.0', 'false', ['yearly SCHEDULED']],
    ['6.1.1', undefined, []],
    ['4.3.5', undefined, []],
  ] as const)('on %s', async ([platform, header, left]) => {
    const site = await openAppSite(platform);
    await site.install(...SHOP);
    const [first] = (await site.requests()).filter(({ method }) => method === 'POST');
    expect(first?.headers).not.toHaveProperty('x-app-deploy-update-schedules');
    await site.call('PUT', '/apps/Shop/schedules/yearly', yearly);
    await site.call('POST', '/apps/Shop/schedules/yearly/resume');
    await site.forget();
    const { warnings } = await site.install('shop@2.0.0', '-y');
    expect(await site.schedules('Shop')).toEqual(left);
    const gone = warnings.filter(({ message }) =>
      message.includes('application Shop no longer has these schedules: yearly'),
    );
    expect(gone).toHaveLength(left.length === 0 ? 1 : 0);
    const [second] = (await site.requests()).filter(({ method }) => method === 'POST');
    expect(second?.headers['x-app-deploy-update-schedules']).toBe(header);
    expect(await site.writes()).toEqual([`POST ${SPACE}/apps 200`]);
    await site.close();
  });
});

describe('at 80 columns', () => {
  it('the plan and the result say what is deployed', async ({ site }) => {
    const run = await site.cdapctl([...site.line([...SHOP]), '--dry-run']);
    expect(run.stdout).toContain('1  one_step_deploy_app  application shop 1.0.0  create from shop-1.0.0.jar');
    expect(
      run.stdout.split('\n').every((line) => line.length <= 80),
      run.stdout,
    ).toBe(true);
    expect(await site.writes()).toEqual([]);
  });

  it('hub show numbers the action and marks the JAR that is asked for', async ({ site }) => {
    const shown = async (name: string): Promise<string> =>
      (await site.cdapctl(['hub', 'show', name, '--hub', site.hub, '--actions'])).stdout;
    expect(await shown('shop@1.0.0')).toMatch(
      /1 {2}one_step_deploy_app {2}"The shop"\n\s+jar {2}shop-1\.0\.0\.jar {2}fixed/u,
    );
    expect(await shown('shop-ask')).toContain('1  deploy_app  "Your shop"   needs a JAR (--jar)');
  });
});
