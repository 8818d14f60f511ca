import { expect, it } from 'vitest';
import { runInProcess } from '../../support/processes/in-process.js';
import { withTempDir } from '../../support/processes/run-cli.js';

const OLD = 'http://127.0.0.1:11015';
const NEW = 'https://cdap.example.com:10443';

it('what changes a context says so in a line, and shows all of it to programs', () =>
  withTempDir(async (home) => {
    const said = async (id: string, ...words: readonly string[]): Promise<string> => {
      const { error, terminal } = await runInProcess(id, words, home);
      expect(error).toBeUndefined();
      return terminal.out.join('');
    };
    const lines = [
      await said('context:add', 'old', '--url', OLD, '-n', 'etl'),
      await said('context:add', 'prod', '--url', NEW),
      await said('context:add', 'prod', '--url', NEW),
      await said('context:set', 'prod', '-n', ''),
      await said('context:set', 'prod', '-n', 'etl'),
      await said('context:set', 'prod', '-n', 'etl'),
      await said('context:rename', 'old', 'older'),
      await said('context:use', 'prod'),
      await said('context:remove', 'older', '-y'),
    ];
    expect(lines).toEqual([
      `Added context old (${OLD}), now the current one\n`,
      `Added context prod (${NEW})\n`,
      `Context prod (${NEW}) already has these values; nothing changed\n`,
      `Context prod (${NEW}) already has these values; nothing changed\n`,
      `Changed context prod (${NEW})\n`,
      `Context prod (${NEW}) already has these values; nothing changed\n`,
      `Renamed context old to older (${OLD})\n`,
      `Switched to context prod (${NEW})\n`,
      `Removed context older (${OLD})\n`,
    ]);
    const json: unknown = JSON.parse(await said('context:set', 'prod', '-n', 'sales', '--json'));
    expect(json).toEqual({
      schemaVersion: 1,
      kind: 'Context',
      warnings: [],
      item: { name: 'prod', url: NEW, namespace: 'sales', protected: false, current: true },
    });
    expect(await said('context:show', 'prod')).toMatch(/^namespace +sales$/mu);
    await said('context:set', 'prod', '-n', '');
    expect(await said('context:show', 'prod')).toMatch(/^namespace +-\n[^]*^token file +-\n[^]*^ca file +-$/mu);
    expect(await said('context:list', '-o', 'wide')).toMatch(
      / TOKEN FILE {2}TOKEN COMMAND {2}CA FILE {2}PROXY {2}UI {2}LOGIN$/mu,
    );
  }));

it('a list on a narrow terminal says how many columns it hides, and what shows all', () =>
  withTempDir(async (home) => {
    for (const name of ['old', 'prod']) await runInProcess('context:add', [name, '-u', NEW, '-n', 'etl'], home);
    const stdout = { terminal: true, color: false, columns: 60, unicode: true, utc: true };
    const told = async (...words: readonly string[]) =>
      (await runInProcess('context:list', words, home, { stdout })).terminal.notes;
    expect(await told()).toEqual(['1 column hidden: -o wide shows all']);
    for (const words of [
      ['-o', 'wide'],
      ['-o', 'csv'],
      ['--fields', 'name,url'],
    ])
      expect(await told(...words)).toEqual([]);
  }));

it('a hub that is added again with the same values is told to be there, and another address is refused', () =>
  withTempDir(async (home) => {
    const add = (...words: readonly string[]) => runInProcess('hub:add', words, home);
    expect((await add('mine', NEW)).terminal.out.join('')).not.toContain('already exists');
    const again = await add('mine', NEW);
    expect([again.error, again.terminal.out.join('')]).toEqual([
      undefined,
      expect.stringContaining('already exists with these values; nothing changed'),
    ]);
    expect((await add('mine', OLD)).error).toMatchObject({
      code: 'CONFLICT',
      message: 'hub "mine" already exists with another url',
    });
  }));

it('shows of a command for tokens its program alone', () =>
  withTempDir(async (home) => {
    const command = "'/opt/get it' -su alice:hunter2secret -p hunter2secret https://sso.example.com";
    await runInProcess('context:add', ['prod', '--url', NEW, '--token-command', command], home);
    await runInProcess('context:add', ['bare', '--url', NEW, '--token-command', 'print-token'], home);
    const shown: string[] = [];
    for (const [id, ...words] of [
      ['context:show', 'prod'],
      ['context:list', '--json'],
      ['config:get', 'tokenCommand'],
      ['config:list', '--json'],
      ['config:set', 'tokenCommand', command],
    ] as const) {
      const { terminal } = await runInProcess(id, words, home);
      shown.push(terminal.out.join('') + terminal.notes.join(''));
    }
    for (const text of shown) {
      expect(text).toContain("'/opt/get it' ***");
      expect(text).not.toMatch(/hunter2|alice|sso/u);
    }
    expect(shown[1]).toContain('"tokenCommand":"print-token"');
  }));

it('version names the range of platforms', () =>
  withTempDir(async (home) => {
    const out = async (...words: readonly string[]): Promise<string> =>
      (await runInProcess('version', words, home)).terminal.out.join('');
    expect(await out()).toMatch(/^platforms +CDAP 4\.3\.5 to 6\.11\.0$/mu);
    const platforms = { oldest: '4.3.5', newest: '6.11.0' };
    expect(JSON.parse(await out('--json'))).toMatchObject({ item: { platforms } });
  }));
