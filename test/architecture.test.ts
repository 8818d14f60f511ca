import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../src');
/** Keys and recordings, which tools have made. */
const FIXTURES = join(import.meta.dirname, 'fixtures');

/** Who may import whom (docs/architecture.md); `types` = only `import type`. */
const ROOMS: Record<string, { rooms: string[]; types?: string[]; libraries: string[] }> = {
  core: { rooms: [], libraries: ['zod/mini'] },
  http: { rooms: ['core'], libraries: ['undici', 'zod/mini'] },
  state: { rooms: ['core'], libraries: ['zod/mini'] },
  config: { rooms: ['core'], libraries: ['zod/mini', 'yaml'] },
  trust: { rooms: ['core'], libraries: ['zod/mini', 'openpgp'] },
  platform: { rooms: ['http', 'core'], libraries: ['zod/mini'] },
  hub: { rooms: ['http', 'core'], libraries: ['zod/mini'] },
  services: {
    rooms: ['platform', 'hub', 'trust', 'state', 'core'],
    types: ['http', 'config'],
    libraries: ['zod/mini'],
  },
  output: { rooms: ['core'], types: ['services', 'platform', 'hub'], libraries: ['zod/mini', 'cli-table3', 'yaml'] },
  flags: { rooms: ['core', 'hub', 'output', 'services'], libraries: ['@oclif/core'] },
  cli: {
    rooms: ['config', 'core', 'flags', 'http', 'hub', 'output', 'platform', 'services', 'state', 'trust'],
    libraries: ['@oclif/core', '@inquirer', 'ora', 'zod/mini', 'yaml'],
  },
  flows: {
    rooms: ['cli', 'config', 'core', 'flags', 'output', 'services', 'state'],
    types: ['hub', 'http', 'platform', 'trust'],
    libraries: ['zod/mini'],
  },
  commands: { rooms: ['flows', 'cli', 'flags', 'services', 'output', 'core'], libraries: ['@oclif/core'] },
  emulator: { rooms: ['core'], libraries: ['openpgp', 'zod/mini'] },
};
const EMULATOR_BANS = ['core/version.ts', 'core/version-range.ts', 'core/names.ts', 'core/errors.ts'];
/** What one service may use of another: how names are found, how all of them send; an install and its removal look alike. */
const DOORS =
  /^services\/(?:catalog\/[^/]+|writing\/[^/]+|dashboard\/(?:cron|zones)\.ts|pipelines\/(?:find(?:-run)?|run-record)\.ts|install\/(?:thing-(?:kind|state)|things\/table)\.ts)$/u;
/** Functions that services are given in their options. */
const CALLED_BY_SERVICES = [
  'CatalogRequest.published',
  'DashboardRequest.window',
  'FetchOptions.sink',
  'MirrorRequest.remember',
  'ObserveOptions.jar',
  'RemovalDeps.includes',
  'SendDeps.wait',
  'ServeOptions.log',
];
const PRINT = /\bconsole\.|process\.(?:stdout|stderr)|\.exitCode\s*=(?!=)|process\.exit\(/u;
const MAY_PRINT = ['cli/terminal/terminal.ts', 'main.ts'];

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replaceAll('\\', '/'));

interface Import {
  file: string;
  target: string;
  typeOnly: boolean;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  const found: Import[] = [];
  const statement = /(?:^|\n)\s*(?:import|export)\s+(type\s+)?[^;'"]*?from\s+['"]([^'"]+)['"]/gu;
  const dynamic = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/gu;
  for (const match of text.matchAll(statement))
    found.push({ file, target: match[2] ?? '', typeOnly: match[1] !== undefined });
  for (const match of text.matchAll(dynamic)) found.push({ file, target: match[1] ?? '', typeOnly: false });
  return found.map((entry) =>
    entry.target.startsWith('.')
      ? {
          ...entry,
          target: `src:${relative(SRC, resolve(SRC, file, '..', entry.target))
            .replaceAll('\\', '/')
            .replace(/\.js$/u, '.ts')}`,
        }
      : entry,
  );
}

function violation({ file, target, typeOnly }: Import): string | undefined {
  const room = file.includes('/') ? file.slice(0, file.indexOf('/')) : 'main';
  const rule = ROOMS[room];
  if (target.startsWith('node:') || rule === undefined) return undefined;
  if (!target.startsWith('src:')) {
    return rule.libraries.some((library) => target === library || target.startsWith(`${library}/`))
      ? undefined
      : `${file} imports the library ${target}`;
  }
  const inside = target.slice(4);
  const other = inside.slice(0, inside.indexOf('/'));
  if (room === 'emulator' && EMULATOR_BANS.includes(inside)) return `${file} shares ${inside} with the client`;
  if (other === 'emulator')
    return file.startsWith('commands/emulator/') || room === 'emulator' ? undefined : `${file} imports the emulator`;
  if (other === room) {
    const use = (path: string): string => path.split('/').slice(0, 2).join('/');
    if (use(file) === 'services/catalog' && use(inside) === 'services/install') return `${file} imports ${inside}`;
    if (room === 'services' && !typeOnly && use(file) !== use(inside) && !DOORS.test(inside))
      return `${file} imports an inner file of ${use(inside)}`;
    return undefined;
  }
  if (rule.rooms.includes(other)) return undefined;
  if (typeOnly && rule.types?.includes(other) === true) return undefined;
  return `${file} imports ${inside}`;
}

/** Files that import each other in a circle, one group a circle. */
function circles(imports: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const order: string[] = [];
  const seen = new Set<string>();
  const visit = (from: ReadonlyMap<string, readonly string[]>, file: string, left: string[]): void => {
    if (seen.has(file) || !from.has(file)) return;
    seen.add(file);
    for (const next of from.get(file) ?? []) visit(from, next, left);
    left.push(file);
  };
  for (const file of imports.keys()) visit(imports, file, order);
  const users = new Map<string, string[]>([...imports.keys()].map((file) => [file, []]));
  for (const [file, targets] of imports) for (const target of targets) users.get(target)?.push(file);
  seen.clear();
  return order
    .reverse()
    .map((file) => {
      const group: string[] = [];
      visit(users, file, group);
      return group;
    })
    .filter((group) => group.length > 1);
}

/** The words of a doc comment on one line. */
const proseOf = (comment: string): string =>
  comment
    .slice(3, -2)
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/u, '').trim())
    .join(' ')
    .trim();

/** The first sentence of a text; stops inside code and brackets end none. */
function firstSentence(text: string): string {
  const hidden = text.replace(/`[^`]*`|\([^()]*\)/gu, ({ length }) => '_'.repeat(length));
  const end = /[.!?](?= |$)/u.exec(hidden);
  return end === null ? text : text.slice(0, end.index + 1);
}

/** Members of a table, each of which has a file. */
const MEMBERS = /^(?:services\/install\/(?:actions|things)|emulator\/(?:hub\/packages|resources))\//u;
/** Other files of less than 30 lines with one user in their room. It may only shrink. */
const SMALL_FILES = [
  'emulator/hub/packages.ts',
  'flows/install/package-commands.ts',
  'services/upgrade/plan/missing-pipelines.ts',
];

describe('the house', () => {
  it('finds a circle', () => {
    const line = ['a', 'b', 'c', 'd'].map((file, at, all) => [file, all.slice(at + 1, at + 2)] as const);
    expect(circles(new Map(line))).toEqual([]);
    expect(circles(new Map([...line, ['c', ['d', 'a']]])).map((group) => [...group].sort())).toEqual([['a', 'b', 'c']]);
  });

  it('has source files to judge', () => {
    expect(files.length).toBeGreaterThan(20);
  });

  it('lets dependencies point one way', () => {
    expect(
      files
        .flatMap(importsOf)
        .map(violation)
        .filter((text) => text !== undefined),
    ).toEqual([]);
  });

  it('has no endpoint that nobody calls', () => {
    const texts = files.map((file) => readFileSync(join(SRC, file), 'utf8'));
    const imported = new Set(
      texts
        .flatMap((text) => text.match(/^import \{[^}]*\}/gmu) ?? [])
        .join()
        .match(/\w+/gu),
    );
    const endpoints = texts.flatMap((text) => [...text.matchAll(/^export const (\w+) = endpoint[(<]/gmu)]);
    expect(endpoints.length).toBeGreaterThan(50);
    expect(endpoints.map(([, name = '']) => name).filter((name) => !imported.has(name))).toEqual([]);
  });

  it('has no circle, types included', () => {
    expect(circles(new Map(files.map((file) => [file, importsOf(file).map(({ target }) => target.slice(4))])))).toEqual(
      [],
    );
  });

  it('has no loop of folders', () => {
    const folders = new Map<string, string[]>(files.map((file) => [dirname(file), []]));
    for (const { file, target } of files.flatMap(importsOf))
      if (target.startsWith('src:') && dirname(target.slice(4)) !== dirname(file))
        folders.get(dirname(file))?.push(dirname(target.slice(4)));
    expect(circles(folders).map((group) => [...group].sort())).toEqual([]);
  });

  it('keeps what is small and has one user in the file of that user', () => {
    const users = new Map<string, Set<string>>();
    for (const { file, target } of files.flatMap(importsOf))
      users.set(target.slice(4), (users.get(target.slice(4)) ?? new Set()).add(file));
    const isSmall = (file: string): boolean => readFileSync(join(SRC, file), 'utf8').split('\n').length <= 30;
    const roomOf = (file: string): string => file.split('/', file.startsWith('services/') ? 2 : 1).join('/');
    const alone = files.filter((file) => {
      const [user, ...others] = users.get(file) ?? [];
      return user !== undefined && others.length === 0 && roomOf(user) === roomOf(file) && isSmall(file);
    });
    expect(alone.filter((file) => !MEMBERS.test(file)).sort()).toEqual(SMALL_FILES);
  });

  it('keeps the kinds of objects that an install makes apart from each other', () => {
    const kindOf = (path: string): string => /^services\/install\/things\/(\w+)\//u.exec(path)?.[1] ?? '';
    const known = files
      .filter((file) => kindOf(file) !== '')
      .flatMap(importsOf)
      .map(({ file, target }) => [kindOf(file), kindOf(target.slice(4))])
      .filter(([kind, other]) => other !== '' && other !== kind);
    // An application of a package is its artifact and what runs of it.
    expect(known).toEqual([['application', 'artifact']]);
  });

  it('gives flows what they need, and no whole session or context', () => {
    const whole = (file: string): readonly string[] =>
      readFileSync(join(SRC, file), 'utf8')
        .split('\n')
        .filter((line) => /(?<!Pick<)\b(?:Session|CommandContext)\b/u.test(line) && !line.startsWith('import '));
    expect(files.filter((file) => file.startsWith('flows/') && whole(file).length > 0)).toEqual([]);
  });

  it('names commands and flags above services only', () => {
    const spoken = (file: string): readonly string[] =>
      readFileSync(join(SRC, file), 'utf8')
        .split('\n')
        .filter(
          (line) =>
            !/^\s*(?:\/\/|\/?\*)/u.test(line) && /\bcdapctl |--(?:[a-z]|\$\{)|[ '"`(]-[a-z][ '"`),]/iu.test(line),
        )
        .filter((line) => !line.includes('`curl '));
    expect(files.filter((file) => file.startsWith('services/')).flatMap(spoken)).toEqual([]);
    const topics = readdirSync(join(SRC, 'commands')).map((name) => name.replace('.ts', ''));
    const ours = new RegExp(
      `cdapctl (?:${topics.join('|')})\\b|(?<!gpg )--(?:[a-z]|\\$\\{)|[ '"\`(]-[a-z][ '"\`),]`,
      'iu',
    );
    const rooms = ['config', 'core', 'http', 'hub', 'platform', 'state', 'trust'];
    const below = rooms.flatMap((room) => files.filter((file) => file.startsWith(`${room}/`)));
    const lines = below.flatMap((file) => spoken(file).map((line) => `${file}: ${line.trim()}`));
    // Other programs, settings of V8, armor, and the titles of errors, which are a table of help.
    const others = /mkdir -p|spawn\(program, \['-f', folder\]|rm -r|gpg --|setFlagsFromString|'--heap-|-----|title: '/u;
    expect(lines.filter((line) => ours.test(line) && !others.test(line))).toEqual([]);
  });

  it('shows, verifies and downloads packages without what installs them', () => {
    const loaded = new Set<string>();
    const load = (file: string): void => {
      if (loaded.has(file) || !files.includes(file)) return;
      loaded.add(file);
      for (const { target, typeOnly } of importsOf(file)) if (!typeOnly) load(target.slice(4));
    };
    for (const name of ['show', 'verify', 'download']) load(`commands/hub/${name}.ts`);
    expect(loaded).toContain('services/catalog/resolve.ts');
    expect([...loaded].filter((file) => file.startsWith('services/install/'))).toEqual([]);
  });

  it('names every folder of services and flows in its table', () => {
    const text = readFileSync(join(SRC, '../docs/architecture.md'), 'utf8');
    for (const room of ['services', 'flows']) {
      const row = text.split('\n').find((line) => line.startsWith(`| \`${room}\``)) ?? '';
      const folders = new Set(files.flatMap((file) => (file.startsWith(`${room}/`) ? (file.split('/')[1] ?? []) : [])));
      expect([...folders].filter((name) => !name.endsWith('.ts') && !row.includes(`\`${name}/\``))).toEqual([]);
    }
  });

  it('describes commands by files that they load', () => {
    const text = readFileSync(join(SRC, '../docs/architecture.md'), 'utf8');
    const walks = text.split('\n### `cdapctl ').slice(1);
    expect(walks).toHaveLength(3);
    for (const walk of walks) {
      const named = new Set((/```\n([^]*?)```/u.exec(walk)?.[1] ?? '').match(/[a-z][\w/-]*\/[\w/-]+\.ts\b/gu));
      const [command = ''] = [...named].filter((file) => file.startsWith('commands/'));
      const loaded = new Set<string>();
      const load = (file: string): void => {
        if (loaded.has(file) || !files.includes(file)) return;
        loaded.add(file);
        for (const { target } of importsOf(file)) load(target.slice(4));
      };
      for (const file of [command, 'main.ts']) load(file);
      expect(named.size).toBeGreaterThan(5);
      expect([...named].filter((file) => !loaded.has(file))).toEqual([]);
    }
  });

  it('names each file in one line of the steps of a command', () => {
    const text = readFileSync(join(SRC, '../docs/architecture.md'), 'utf8');
    for (const walk of text.split('\n### `cdapctl ').slice(1)) {
      const lines = (/```\n([^]*?)```/u.exec(walk)?.[1] ?? '').split('\n');
      const named = lines.flatMap((line) => [...new Set(line.match(/[a-z][\w/-]*\/[\w/-]+\.ts\b/gu))]);
      expect(named.filter((file, at) => named.indexOf(file) !== at)).toEqual([]);
    }
  });

  it('hands services values and events, and few functions', () => {
    const bag = /interface (\w+(?:Commands|Deps|Options|Request))\b[^{]*\{([^]*?)\n\}/gu;
    const member = /\n {2}(?:readonly )?(\w+)\??(?:\([^)]*\):|: [^;]*=>)/gu;
    const found = files
      .filter((file) => file.startsWith('services/'))
      .flatMap((file) => [...readFileSync(join(SRC, file), 'utf8').matchAll(bag)])
      .flatMap(([, name, body = '']) =>
        [...body.replaceAll(/\/\*\*[^]*?\*\//gu, '').matchAll(member)].map(([, own]) => `${name}.${own}`),
      );
    // This list may only become shorter: name a value, or emit an event, in place of a function.
    expect(found.sort()).toEqual(CALLED_BY_SERVICES);
  });

  it('has folders that a person can read through', () => {
    const counts = new Map<string, number>();
    const tests = readdirSync(import.meta.dirname, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    const read = tests.filter((file) => !file.startsWith(FIXTURES));
    for (const file of [...files, ...read]) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > 25)).toEqual([]);
    // The seam to oclif and the terminal is kept small on purpose.
    expect(files.filter((file) => file.startsWith('cli/')).length).toBeLessThanOrEqual(35);
  });

  it('says what a thing is for in a first sentence of at most 100 characters', () => {
    expect(firstSentence('Reads `a. b` (e.g. c). Then more.')).toBe('Reads `a. b` (e.g. c).');
    const comments = files.flatMap((file) => readFileSync(join(SRC, file), 'utf8').match(/\/\*\*[^]*?\*\//gu) ?? []);
    expect(comments.length).toBeGreaterThan(1000);
    expect(comments.map((comment) => firstSentence(proseOf(comment))).filter(({ length }) => length > 100)).toEqual([]);
    expect(comments.flatMap((comment) => comment.split('\n')).filter(({ length }) => length > 120)).toEqual([]);
  });

  it('says of each exported thing what it is for', () => {
    const exported = /^export (?:async |abstract )?(?:function|const|let|class|interface|type) [^{]/u;
    const found = files
      .filter((file) => !file.startsWith('commands/'))
      .flatMap((file) => {
        const lines = readFileSync(join(SRC, file), 'utf8').split('\n');
        return lines.flatMap((line, at) => (exported.test(line) ? [[`${file}: ${line}`, lines[at - 1] ?? '']] : []));
      });
    expect(found.length).toBeGreaterThan(1500);
    expect(found.filter(([, before]) => before?.endsWith('*/') !== true)).toEqual([]);
  });

  it('spreads no list into a function of Math, where many numbers overflow the stack (core/extremes.ts)', () => {
    const spread = /\bMath\.\w+\([^()]*\.\.\./u;
    expect(spread.test('Math.max(0, ...list)')).toBe(true);
    expect(files.filter((file) => spread.test(readFileSync(join(SRC, file), 'utf8')))).toEqual([]);
  });

  it('mocks no module of its own in a test', () => {
    const mocked = /\bvi\.(?:do)?mock\(/iu;
    const tests = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    expect(tests.length).toBeGreaterThan(400);
    expect(tests.filter((name) => mocked.test(readFileSync(join(import.meta.dirname, name), 'utf8')))).toEqual([]);
  });

  it('prints and ends the process in the named places only', () => {
    expect(
      files.filter((file) => !MAY_PRINT.includes(file) && PRINT.test(readFileSync(join(SRC, file), 'utf8'))),
    ).toEqual([]);
  });

  it('has no variable of a run in a module, as tests run many lines with the same modules (docs/decisions/013)', () => {
    const kept = files.flatMap((file) =>
      [...readFileSync(join(SRC, file), 'utf8').matchAll(/^(?:export )?let (.+?)\s*(?:[:=;]|$)/gmu)].map(
        (found) => `${file} ${found[1]}`,
      ),
    );
    // What identifies the process, and the script of a page that browsers run.
    expect(kept.filter((name) => !name.startsWith('output/html/')).toSorted()).toEqual([
      'state/process-identity.ts own',
      'state/temporary.ts drawn',
      'state/temporary.ts mark',
    ]);
  });

  it('has default exports under commands only', () => {
    expect(
      files.filter(
        (file) => !file.startsWith('commands/') && /^export default/mu.test(readFileSync(join(SRC, file), 'utf8')),
      ),
    ).toEqual([]);
  });

  it('uses the words of the field for names of files', () => {
    expect(files.filter((file) => /manager|helper|util|common|processor|impl|handler/iu.test(file))).toEqual([]);
  });
});
