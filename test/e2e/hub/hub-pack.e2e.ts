import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/emulator/start.js';
import { shopJar } from '../../support/sites/app-hub.js';
import { blocks, read } from '../../support/documents.js';
import { freePorts } from '../../support/free-ports.js';
import { configuredJar, driverJar, pluginJar, pomOf } from '../../support/sites/pack-jars.js';
import { CTRL_D, CTRL_U, ENTER, startPty } from '../../support/processes/pty.js';
import { openShell } from '../../support/processes/shell.js';
import { runCli, withTempDir } from '../../support/processes/run-cli.js';

const DOWN = '\u001b[B';
const PARENT = 'system:cdap-data-pipeline[6.1.0,7.0.0-SNAPSHOT)';
const JARS = {
  'acme-plugins-1.2.0.jar': pluginJar({ plugins: ['Trim', 'Join'], pom: pomOf([PARENT]) }),
  'postgresql-42.7.4.jar': driverJar('org.postgresql.Driver'),
  'shop-1.0.0.jar': shopJar(),
};

async function withJars(use: (home: string) => Promise<void>): Promise<void> {
  await withTempDir(async (home) => {
    for (const [name, bytes] of Object.entries(JARS)) await writeFile(join(home, name), bytes);
    await use(home);
  });
}

describe('hub pack', () => {
  it('makes packages that pass the check, are built, and install without a question', () =>
    withJars(async (home) => {
      const platform = await startEmulator({ port: 0, hubPort: 0 });
      const run = async (...line: readonly string[]): Promise<string> => {
        const { code, stdout, stderr } = await runCli(line, { home, cwd: home, env: { CDAPCTL_URL: platform.url } });
        expect(code, stderr).toBe(0);
        return stdout;
      };
      const about = ['--platform', '[6.1.0,7.0.0-SNAPSHOT)', '-D', 'hub'];
      await run('hub', 'pack', 'acme-plugins-1.2.0.jar', '-D', 'hub');
      await run('hub', 'pack', 'postgresql-42.7.4.jar', '--name', 'postgresql', '--parent', PARENT, ...about);
      await run('hub', 'pack', 'shop-1.0.0.jar', '--name', 'shop', '--artifact-version', '1.0.0', ...about);
      expect(JSON.parse(await run('hub', 'lint', 'hub', '--json'))).toMatchObject({ items: [] });
      await run('hub', 'build', 'hub', '--strict');
      for (const name of ['acme-plugins', 'postgresql', 'shop'])
        await run('install', name, '--hub', './hub', '--verify', 'off', '-y', '--no-input');
      const space = `${platform.url}/v3/namespaces/default`;
      const plugins = async (place: string): Promise<unknown> =>
        ((await (await fetch(`${space}/artifacts/${place}`)).json()) as { classes: { plugins: unknown } }).classes
          .plugins;
      expect(await plugins('acme-plugins/versions/1.2.0')).toHaveLength(2);
      expect(await plugins('postgresql/versions/42.7.4')).toMatchObject([{ name: 'postgresql', type: 'jdbc' }]);
      expect((await fetch(`${space}/apps/Shop`)).status).toBe(200);
      await platform.close();
    }));

  it('makes a hub of three JARs that others install from, as documented', () =>
    withJars(async (home) => {
      await writeFile(join(home, 'shop-1.0.0.jar'), configuredJar('io/cdap/cdap/api/Config'));
      const platform = await startEmulator({ port: 0, hubPort: 0, seed: { namespaces: ['etl'] } });
      const page = read('docs/host-a-hub.md');
      const [made, installed] = blocks(page.slice(page.indexOf('From three JARs')));
      const [port] = await freePorts();
      const script = [
        ...(made?.content.trim().split('\n') ?? []).map((line) =>
          line
            .replace(/hub serve .*$/u, `$& --port ${port} > ready &`)
            .replace(/hub key generate .*$/u, '$& -o name > fpr'),
        ),
        'until test -s ready; do sleep 0.1; done',
        installed?.content
          .trim()
          .replace('hub.example.org:8085', `127.0.0.1:${port}`)
          .replace('FPR', '"$(cat fpr)"')
          .replace('-n etl', '$& -y --verify require'),
        /`(cdapctl hub verify .*)`/u.exec(page)?.[1]?.replace('https://hub.example.org', `http://127.0.0.1:${port}`),
        'kill %1',
        'wait %1',
      ].join('\n');
      const shell = await openShell();
      const { code, output } = await shell.runStrictly(script, home, {
        CDAPCTL_URL: platform.url,
        CDAPCTL_PASSPHRASE: 'a passphrase',
      });
      await shell.close();
      expect(code, output).toBe(0);
      const artifact = `${platform.url}/v3/namespaces/etl/artifacts/acme-plugins/versions/1.2.0`;
      expect((await fetch(artifact)).status).toBe(200);
      await platform.close();
    }));

  it.skipIf(!existsSync('/usr/bin/script'))('lets the type be chosen in a terminal', () =>
    withJars(async (home) => {
      await writeFile(join(home, 'app.jar'), configuredJar('org/example/Settings'));
      const line = [
        'hub',
        'pack',
        'app.jar',
        '--name',
        'app',
        '--label',
        'A',
        '--description',
        'D',
        '--platform',
        '[6.11.0,6.11.0]',
      ];
      const pty = startPty([...line, '--category', 'c', '--author', 'A', '--org', 'O'], home, join(home, 'result'));
      await pty.see('type (--type)');
      pty.type(`${DOWN}${ENTER}`);
      expect(await pty.end(), pty.shown()).toBe(0);
      expect(await readFile(join(home, 'result'), 'utf8')).toBe(
        'app 1.0.0  one_step_deploy_plugin  packages/app/1.0.0\n',
      );
    }),
  );

  it('shows what it made, and exits with 2 without a terminal when something is missing', () =>
    withJars(async (home) => {
      const made = await runCli(['hub', 'pack', 'acme-plugins-1.2.0.jar'], { home, cwd: home });
      expect(made.stderr).toContain('next: cdapctl hub build .');
      expect(made.stdout).toBe('acme-plugins 1.2.0  one_step_deploy_plugin, 2 plugins  packages/acme-plugins/1.2.0\n');
      const { code, stderr } = await runCli(['hub', 'pack', 'postgresql-42.7.4.jar'], { home, cwd: home });
      expect(code).toBe(2);
      expect(stderr).toContain('--name NAME');
      expect(stderr).toContain("--parent 'system:cdap-data-pipeline[FROM,TO)'");
      expect(stderr).toContain('cdapctl hub pack postgresql-42.7.4.jar --name NAME --parent');
      expect(existsSync(join(home, 'packages/postgresql'))).toBe(false);
      const line = ['hub', 'pack', 'acme-plugins-1.2.0.jar', '-D', 'x', '--parent', PARENT.replace('system:', '')];
      const bare = await runCli(line, { home, cwd: home });
      expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining('NAMESPACE:NAME')]);
      expect(existsSync(join(home, 'x'))).toBe(false);
    }));

  it.skipIf(!existsSync('/usr/bin/script'))('asks in a terminal for what is missing, and proposes the rest', () =>
    withJars(async (home) => {
      const pty = startPty(['hub', 'pack', 'postgresql-42.7.4.jar', '-D', 'hub'], home, join(home, 'result'));
      await pty.see('name (--name): (postgresql)');
      pty.type(ENTER);
      await pty.see('(--parent):');
      pty.type(`cdap-data-pipeline${ENTER}`);
      await pty.see('use system:cdap-data-pipeline[6.1.0,7.0.0), with spaces between several');
      pty.type(`${CTRL_U}${PARENT} system:a[1.0,2.0)${ENTER}`);
      await pty.see('(--label): (postgresql)');
      pty.type(`PostgreSQL driver${ENTER}`);
      await pty.see('(--description): (postgresql)');
      pty.type(ENTER);
      await pty.see('(--category): (3rd-party-artifact)');
      pty.type(`jdbc, 3rd-party-artifact${ENTER}`);
      await pty.see('(--platform): ([6.1.0,7.0.0-SNAPSHOT))');
      pty.type(ENTER);
      await pty.see('(--author): (Example)');
      pty.type(ENTER);
      await pty.see('(--org): (Example)');
      pty.type(`Acme${ENTER}`);
      expect(await pty.end(), pty.shown()).toBe(0);
      const spec = await readFile(join(home, 'hub/packages/postgresql/42.7.4/spec.json'), 'utf8');
      expect(JSON.parse(spec)).toMatchObject({
        label: 'PostgreSQL driver',
        author: 'Example',
        org: 'Acme',
        categories: ['jdbc', '3rd-party-artifact'],
        cdapVersion: '[6.1.0,7.0.0-SNAPSHOT)',
      });
      expect(await readFile(join(home, 'result'), 'utf8')).toContain('postgresql 42.7.4');
      const next = ['--name', 'postgresql', '--artifact-version', '42.8.0', '--parent', 'system:a[1.0,2.0)'];
      const again = startPty(
        ['hub', 'pack', 'postgresql-42.7.4.jar', '-D', 'hub', ...next],
        home,
        join(home, 'result'),
      );
      for (const proposal of [
        '(--label): (PostgreSQL driver)',
        '(--description): (postgresql)',
        '(--category): (jdbc,3rd-party-artifact)',
        '(--platform): ([6.1.0,7.0.0-SNAPSHOT))',
        '(--author): (Example)',
        '(--org): (Acme)',
      ]) {
        await again.see(proposal);
        again.type(ENTER);
      }
      expect(await again.end(), again.shown()).toBe(0);
      const inside = await runCli(['hub', 'pack', 'postgresql-42.7.4.jar', '-D', 'hub/packages'], { home, cwd: home });
      expect([inside.code, inside.stderr]).toEqual([2, expect.stringContaining('use the folder that it is in')]);
      const declined = startPty(['hub', 'pack', 'postgresql-42.7.4.jar'], home, join(home, 'result'));
      await declined.see('(--name)');
      declined.type(CTRL_D);
      expect(await declined.end()).toBe(13);
      expect(existsSync(join(home, 'packages'))).toBe(false);
    }),
  );
});
