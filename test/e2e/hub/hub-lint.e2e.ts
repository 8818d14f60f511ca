import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeJar } from '../../../src/emulator/jar/make-jar.js';
import { hubPackage, serveHub, signedHub, writeHubTree } from '../../support/sites/hub-tree.js';
import { runCli, withTempDir } from '../../support/processes/run-cli.js';

const SAMPLES = resolve(import.meta.dirname, '../../fixtures/hub/packages');
const ODD_TREE = resolve(import.meta.dirname, '../../support/sites/odd-tree.mjs');

interface Fault {
  file: string;
  line: number;
  column: number;
  rule: string;
  severity: string;
}

/** Lints a tree that is made in a home. */
async function lintTree(make: (hub: string) => void, ...flags: string[]) {
  return withTempDir(async (home) => {
    make(join(home, 'hub'));
    const run = (...more: string[]) => runCli(['hub', 'lint', './hub', ...flags, ...more], { home, cwd: home });
    const [text, json] = [await run(), await run('--json')];
    const document = JSON.parse(json.stdout) as {
      items?: Fault[];
      error?: { code: string };
      item?: { items: Fault[] };
    };
    return { text, json, faults: document.items ?? document.item?.items ?? [] };
  });
}

function put(hub: string, path: string, content: unknown): void {
  mkdirSync(dirname(join(hub, path)), { recursive: true });
  writeFileSync(join(hub, path), typeof content === 'string' ? content : JSON.stringify(content));
}

const GOOD = {
  label: 'Good',
  categories: ['example'],
  actions: [],
  created: 1_700_000_000,
  cdapVersion: '[6.1.0,7.0.0-SNAPSHOT)',
};

describe('hub lint', () => {
  it('says nothing of a good tree but how many packages it has', async () => {
    const { text, faults } = await lintTree((hub) => {
      put(hub, 'packages/good/1.0.0/spec.json', GOOD);
    });
    expect([text.code, text.stdout, text.stderr]).toEqual([0, '', '1 package, 0 errors, 0 warnings\n']);
    expect(faults).toEqual([]);
  });

  it('lists all faults by file with their places, and exits with 12', async () => {
    const { text, json, faults } = await lintTree((hub) => {
      put(
        hub,
        'packages/bad/1.0.0/spec.json',
        '{"label": 1,\n "label": "x",\n  "actions": [{"type": "nothing", "label": "x"}]\n}',
      );
      put(hub, 'packages/cut/1.0.0/spec.json', '{\n  "label": oops}');
    });
    expect([text.code, json.code]).toEqual([12, 12]);
    const [first, ...lines] = text.stdout.split('\n');
    expect(first).toBe('hub/packages/bad/1.0.0/spec.json');
    expect(lines.join('\n')).toMatch(/^ {2}2:2 +error +DUP_KEY +duplicate member "label", first in line 1$/mu);
    expect(text.stderr).toContain('2 packages, 5 errors, 1 warning');
    expect(faults.map(({ file, line, column, rule }) => `${file.slice(13, 16)} ${line}:${column} ${rule}`)).toEqual([
      'bad 1:1 MEMBER_MISSING',
      'bad 1:1 MEMBER_MISSING',
      'bad 1:1 RANGE_MISSING',
      'bad 2:2 DUP_KEY',
      'bad 3:24 ACTION_TYPE',
      'cut 2:12 BAD_JSON',
    ]);
  });

  it('finds no error in real packages but files that are missing there', async () => {
    const { faults } = await lintTree((hub) => {
      cpSync(SAMPLES, join(hub, 'packages'), { recursive: true });
      for (const [file, bytes] of JARS) {
        mkdirSync(dirname(join(hub, file)), { recursive: true });
        writeFileSync(join(hub, file), bytes);
      }
    });
    const errors = faults.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ file, rule }) => `${file} ${rule}`)).toEqual([
      'hub/packages/solution-cdc-oracle-to-kudu/2.0.0/spec.json REF_MISSING',
      'hub/packages/solution-cdc-oracle-to-kudu/2.0.0/spec.json REF_MISSING',
    ]);
    const rules = new Set(faults.map(({ rule }) => rule));
    for (const rule of ['RANGE_EMPTY', 'RANGE_MISSING', 'VERSION_BAD', 'INPUT_ASKED', 'PARENT_NAMESPACE', 'REF_UNUSED'])
      expect(rules).toContain(rule);
  });

  it('finds every oddity of a tree', async () => {
    const { text, faults } = await lintTree((hub) => execFileSync(process.execPath, [ODD_TREE, hub, '256']));
    expect(text.code).toBe(12);
    const rules = new Set(faults.map(({ rule }) => rule));
    for (const rule of [
      'CREATED_RANGE',
      'ICON_TYPE',
      'INPUT_ASKED',
      'JAR_BAD',
      'RANGE_EMPTY',
      'RANGE_MISSING',
      'RANGE_OVERLAP',
      'RANGE_SNAPSHOT',
      'REF_MISSING',
      'REF_UNUSED',
      'VERSION_BAD',
    ])
      expect(rules).toContain(rule);
    for (const { rule, line, column } of faults)
      if (rule === 'RANGE_EMPTY' || rule === 'CREATED_RANGE') expect(line * column).toBeGreaterThan(1);
  });

  it('finds what the platform or an installation would reject', async () => {
    const argument = (name: string, value: unknown): object => ({ name, value });
    const plugin = (name: string, ...more: readonly object[]): object => ({
      type: 'one_step_deploy_plugin',
      arguments: [argument('name', name), argument('config', 'p.json'), argument('jar', 'p.jar'), ...more],
    });
    const jar = (content: string): string =>
      makeJar({
        manifest: { 'Bundle-Version': '1.0.0' },
        entries: [{ name: 'A.class', bytes: Buffer.from(content) }],
      }).toString('latin1');
    const uses = (name: string): object => ({ plugin: { artifact: { name, version: '9.9.9', scope: 'USER' } } });
    const pipeline = {
      type: 'create_pipeline',
      arguments: [argument('artifact', {}), argument('name', 'P'), argument('config', 'c.json')],
    };
    const driver = { type: 'create_driver_artifact', arguments: [argument('name', 'd'), argument('config', 'd.json')] };
    const { text, faults } = await lintTree((hub) => {
      const all = [plugin('p', argument('version', '12c'), argument('scope', 'system')), pipeline, driver];
      const stream = { type: 'create_stream', arguments: [argument('name', 's'), argument('loadfiles', 'p.json')] };
      put(hub, 'packages/a/1.0.0/spec.json', { ...GOOD, actions: [...all, stream] });
      put(hub, 'packages/a/1.0.0/p.json', { properties: { 'widgets.A-batch': '{' } });
      put(hub, 'packages/a/1.0.0/d.json', { parents: 'system:cdap-data-pipeline[6.1.0,7.0.0)' });
      put(hub, 'packages/a/1.0.0/c.json', { stages: [uses('q')], postActions: [uses('none')] });
      put(hub, 'packages/a/1.1.0/spec.json', { ...GOOD, label: 'Better', cdapVersion: '[7.0.0,7.1.0-SNAPSHOT)' });
      for (const [name, content] of Object.entries({ b: 'x', c: 'y' })) {
        put(hub, `packages/${name}/1.0.0/spec.json`, { ...GOOD, actions: [plugin('q')] });
        put(hub, `packages/${name}/1.0.0/p.json`, { parents: ['system:cdap-data-pipeline[6.1-SNAPSHOT.0,7.0.0)'] });
        writeFileSync(join(hub, `packages/${name}/1.0.0/p.jar`), jar(content), 'latin1');
      }
      writeFileSync(join(hub, 'packages/a/1.0.0/p.jar'), jar('z'), 'latin1');
      put(hub, 'categories/example/icon.png', 'GIF89a');
    });
    expect(text.code).toBe(12);
    const found = new Set(faults.map(({ file, rule }) => `${file.replace(/^hub\/(?:packages\/)?/u, '')} ${rule}`));
    for (const fault of [
      'a/1.0.0/p.json PARENT_MISSING',
      'a/1.0.0/p.json PROPERTY_BAD',
      'a/1.0.0/d.json CONFIG_TYPE',
      'a/1.0.0/d.json PLUGIN_MISSING',
      'a/1.0.0/spec.json ARG_VALUE',
      'a/1.0.0/spec.json ARG_UNKNOWN',
      'a/1.0.0/spec.json LABEL_MISSING',
      'a/1.0.0/c.json ARTIFACT_ABSENT',
      'a/1.1.0/spec.json LABEL_CHANGED',
      'b/1.0.0/spec.json LABEL_SHARED',
      'b/1.0.0/p.json PARENT_BAD',
      'c/1.0.0/spec.json JAR_DIFFERS',
      'categories/example/icon.png ICON_TYPE',
    ])
      expect(found).toContain(fault);
    expect(faults.filter(({ rule }) => rule === 'ARTIFACT_ABSENT' || rule === 'ARG_VALUE')).toHaveLength(4);
  });

  it('compares with a published hub, whose index trusted keys must have signed', () =>
    withTempDir(async (home) => {
      const { files, key } = await signedHub({ packages: [hubPackage({ name: 'one' })], now: Date.now() });
      await writeHubTree(join(home, 'hub'), files);
      for (const name of ['index.json', 'packages.json']) rmSync(join(home, 'hub', name));
      const hub = await serveHub(files);
      try {
        const lint = (...flags: string[]) => runCli(['hub', 'lint', './hub', '--json', ...flags], { home, cwd: home });
        const against = ['--against', hub.url];
        put(join(home, 'hub'), 'packages/one/1.0.0/new.txt', 'new');
        expect((await lint()).stdout).not.toContain('REPUBLISH');
        const changed = await lint(...against);
        expect([changed.code, changed.stdout]).toEqual([12, expect.stringContaining('"REPUBLISH"')]);
        const forced = await lint(...against, '--force-file', 'one/1.0.0/new.txt');
        expect([forced.code, forced.stdout]).toEqual([0, expect.not.stringContaining('"REPUBLISH"')]);
        const add = ['hub', 'key', 'add', '-', '--hub', hub.url, '--fingerprint', key.fingerprint];
        expect((await runCli(add, { home, stdin: key.publicKey })).code).toBe(0);
        expect((await lint(...against)).code).toBe(12);
        files.set('index.json', Buffer.concat([files.get('index.json') ?? Buffer.alloc(0), Buffer.from(' ')]));
        expect((await lint(...against)).code).toBe(9);
        files.delete('index.json');
        const none = await lint(...against, '--force-file', 'one/1.0.0/new.txt');
        expect([none.code, none.stderr]).toEqual([0, expect.stringContaining('so nothing is compared with it')]);
      } finally {
        await hub.close();
      }
    }));

  it('says that a baseline is not complete', async () => {
    await withTempDir(async (home) => {
      const files = Array.from({ length: 20_001 }, (_, at) => `f${at}`);
      const given = [
        { name: 'name', value: 'n' },
        { name: 'files', value: files },
      ];
      const actions = [{ type: 'load_datapack', label: 'Load', arguments: given }];
      put(join(home, 'hub'), 'packages/bad/1.0.0/spec.json', { ...GOOD, actions });
      const { code, stderr } = await runCli(['hub', 'lint', './hub', '--baseline-out', 'known.json'], {
        home,
        cwd: home,
      });
      expect([code, stderr]).toEqual([
        0,
        expect.stringContaining('known.json has only the first 20000 of 20001 errors and warnings'),
      ]);
    });
  });

  it('writes reports, and ignores what is in a baseline', async () => {
    await withTempDir(async (home) => {
      const hub = join(home, 'hub');
      const run = (...flags: string[]) => runCli(['hub', 'lint', './hub', ...flags], { home, cwd: home });
      const text = JSON.stringify({ ...GOOD, cdapVersion: '<x>' });
      const column = text.indexOf('"<x>"') + 1;
      put(hub, 'packages/bad/1.0.0/spec.json', text);
      await runCli(['hub', 'lint', '../../..', '--sarif', join(home, 'up.sarif')], {
        home,
        cwd: join(hub, 'packages/bad/1.0.0'),
      });
      expect(readFileSync(join(home, 'up.sarif'), 'utf8')).toContain('"uri":"spec.json"');
      mkdirSync(join(home, 'b c'));
      await runCli(['hub', 'lint', hub, '--sarif', join(home, 'out.sarif')], { home, cwd: join(home, 'b c') });
      expect(readFileSync(join(home, 'out.sarif'), 'utf8')).toMatch(/"uri":"file:\/\/\/[^"]*\/hub\/packages\/bad\/1/u);
      expect((await run('--junit', 'lint.xml', '--sarif', 'lint.sarif')).code).toBe(12);
      const xml = readFileSync(join(home, 'lint.xml'), 'utf8');
      expect(xml).toContain('tests="1" failures="1" errors="0"');
      expect(xml).toContain(
        `>hub/packages/bad/1.0.0/spec.json:1:${column}: "&lt;x&gt;" is not a version range</failure>`,
      );
      const { version, runs } = JSON.parse(readFileSync(join(home, 'lint.sarif'), 'utf8')) as {
        version: string;
        runs: { results: { ruleId: string; level: string; locations: object[] }[] }[];
      };
      const location = {
        artifactLocation: { uri: 'hub/packages/bad/1.0.0/spec.json' },
        region: { startLine: 1, startColumn: column },
      };
      expect([version, runs[0]?.results]).toMatchObject([
        '2.1.0',
        [{ ruleId: 'RANGE_BAD', level: 'error', locations: [{ physicalLocation: location }] }],
      ]);
      const twice = `{"author": "a", "author": "b",${text.slice(1)}`;
      put(hub, 'packages/bad/1.0.0/spec.json', twice);
      expect((await run('--baseline-out', 'known.json')).code).toBe(0);
      expect(readFileSync(join(home, 'known.json'), 'utf8')).toContain('"message":"duplicate member \\"author\\""');
      writeFileSync(join(home, 'other'), '', { mode: 0o644 });
      const modeOf = (name: string): number => statSync(join(home, name)).mode;
      for (const name of ['lint.xml', 'lint.sarif', 'known.json']) expect(modeOf(name)).toBe(modeOf('other'));
      // The same fault on another line, and a new one.
      put(hub, 'packages/bad/1.0.0/spec.json', `\n\n${twice.replaceAll(',', ',\n')}`);
      const again = await run('--baseline', 'known.json', '--junit', 'lint.xml');
      expect([again.code, again.stdout, again.stderr]).toEqual([
        0,
        '',
        '1 package, 0 errors, 0 warnings, 2 of the baseline\n',
      ]);
      const passed =
        '<testcase classname="hub/packages/bad/1.0.0" name="no errors or warnings" time="0.000"></testcase>';
      const clean = readFileSync(join(home, 'lint.xml'), 'utf8');
      expect(clean).toContain('tests="1" failures="0" errors="0"');
      expect(clean).toContain(passed);
      put(hub, 'packages/new/1.0.0/spec.json', { ...GOOD, cdapVersion: 'y' });
      const third = await run('--baseline', 'known.json', '--junit', 'lint.xml');
      expect([third.code, third.stdout.split('\n')[0]]).toEqual([12, 'hub/packages/new/1.0.0/spec.json']);
      const mixed = readFileSync(join(home, 'lint.xml'), 'utf8');
      expect(mixed).toContain('tests="3" failures="1" errors="0"');
      expect(mixed).toContain(passed);
      expect((await run('--baseline', 'lint.sarif')).stderr).toContain('lint.sarif is not a baseline');
    });
  });

  it('takes severities, lists rules and refuses unknown ones', async () => {
    const tree = (hub: string): void => {
      put(hub, 'packages/good/1.0.0/spec.json', { ...GOOD, cdapVersion: 'x' });
    };
    expect((await lintTree(tree, '--rule', 'RANGE_BAD=warn')).text.code).toBe(0);
    const { json, faults } = await lintTree(tree, '--rule', 'RANGE_EMPTY=warn,RANGE_BAD=off');
    expect([json.code, faults]).toEqual([0, []]);
    const unknown = await runCli(['hub', 'lint', '.', '--rule', 'RANGE_BED=off']);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('RANGE_BAD');
    const list = await runCli(['hub', 'lint', '--list-rules']);
    expect([list.code, list.stdout.includes('JAR_DIFFERS')]).toEqual([0, true]);
  });

  it('compares with a commit, and runs nothing that a repository configures', () =>
    withTempDir(async (home) => {
      const hub = join(home, 'repository/hub');
      const git = (...line: string[]): void => {
        const name = ['-c', 'user.name=A', '-c', 'user.email=a@example.org', '-c', 'init.defaultBranch=main'];
        execFileSync('git', ['-C', join(home, 'repository'), ...name, ...line], {
          stdio: 'ignore',
          env: { ...process.env, HOME: home },
        });
      };
      put(hub, 'packages/good/1.0.0/spec.json', GOOD);
      git('init');
      git('add', '.');
      git('commit', '-m', 'one');
      // Permissions alone, which stay changed below.
      git('update-index', '--chmod=+x', 'hub/packages/good/1.0.0/spec.json');
      const trap = `sh -c 'touch ${home}/trapped; cat'`;
      put(join(home, 'repository'), '.gitattributes', '* filter=trap diff=trap\n');
      for (const name of ['filter.trap.clean', 'filter.trap.smudge', 'diff.trap.textconv', 'diff.trap.command'])
        git('config', name, trap);
      for (const name of ['core.fsmonitor', 'core.pager', 'diff.external', 'core.sshCommand'])
        git('config', name, trap);
      put(hub, 'packages/good/1.1.0/spec.json', { ...GOOD, cdapVersion: '[7.0.0,7.1.0-SNAPSHOT)' });
      const lint = (...flags: string[]) =>
        runCli(['hub', 'lint', './repository/hub', '--json', ...flags], { home, cwd: home });
      const since = () => lint('--changed-since', 'main');
      expect((await since()).code).toBe(0);
      expect((await since()).stderr).not.toContain('note:');
      put(hub, 'packages/good/1.0.0/spec.json', { ...GOOD, description: 'Better' });
      const edited = await since();
      expect([edited.code, edited.stderr]).toEqual([
        0,
        expect.stringMatching(
          /^note: packages\/good\/1\.0\.0\/spec\.json changed after git add, and only committed and staged files are compared$/mu,
        ),
      ]);
      expect(existsSync(join(home, 'trapped'))).toBe(false);
      git('-c', 'filter.trap.clean=cat', '-c', 'core.fsmonitor=false', 'add', '.');
      rmSync(join(home, 'trapped'), { force: true });
      const changed = await since();
      expect([changed.code, changed.stdout]).toEqual([12, expect.stringContaining('"VERSION_NOT_RAISED"')]);
      expect(changed.stdout).not.toContain('1.1.0');
      expect(existsSync(join(home, 'trapped'))).toBe(false);
      for (const ref of ['nosuch', '--output=x', 'HEAD:hub'])
        expect((await lint(`--changed-since=${ref}`)).code).toBe(2);
      expect((await lint('--changed-since=nosuch')).stdout).toContain('commit \\"nosuch\\" not found"');
      const outside = await runCli(['hub', 'lint', '.', '--changed-since', 'main'], { home, cwd: home });
      expect([outside.code, outside.stderr]).toEqual([2, expect.stringContaining('is not in a Git repository')]);
    }));

  it('corrects what is certain', () =>
    withTempDir(async (home) => {
      put(home, 'hub/packages/good/1.0.0/spec.json', { ...GOOD, created: 1_700_000_000_000 });
      const lint = (...flags: string[]) => runCli(['hub', 'lint', './hub', ...flags], { home, cwd: home });
      expect((await lint()).stderr).toBe('1 package, 0 errors, 1 warning\n');
      expect((await lint('--fix')).stderr).toBe(
        'note: corrected CREATED_RANGE in packages/good/1.0.0/spec.json\n1 package, 0 errors, 0 warnings\n',
      );
      expect(readFileSync(join(home, 'hub/packages/good/1.0.0/spec.json'), 'utf8')).toBe(JSON.stringify(GOOD));
    }));
});

/** Stand-ins for the JARs that the sample packages name. */
const JARS = readFileSync(resolve(SAMPLES, '../FILES.txt'), 'utf8')
  .split('\n')
  .filter((line) => line.endsWith('.jar'))
  .map((line) => [`packages/${line}`, makeJar({ manifest: {}, entries: [] })] as const);
