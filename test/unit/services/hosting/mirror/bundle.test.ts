import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tarHeader, tarPadding } from '../../../../../src/services/hosting/mirror/bundle/tar.js';
import { hubKey } from '../../../../support/sites/hub-tree.js';
import { atMirror, plugin, treeOf } from '../../../../support/sites/mirror-site.js';
import { tarOf, type Member } from './tar-file.js';

describe('a bundle', () => {
  it('has the mirror, which appears byte for byte where it is imported, and is verified there', () =>
    atMirror(async ({ home, url, mirror, item, load, tree, run }) => {
      const bundle = join(home, 'hub.tar');
      const made = await mirror('--bundle', bundle);
      expect(item(made)).toMatchObject({ added: 2, bundle: { file: bundle, files: 19 } });
      expect((await mirror('--bundle', bundle)).error?.code).toBe('EXISTS');
      expect((await mirror('--bundle', join(home, 'mirror/x.tar'))).error?.code).toBe('USAGE');
      const closed = join(home, 'closed');
      expect(item(await load(bundle, closed))).toMatchObject({ added: 2, whole: true, catalog: 'written' });
      expect([...treeOf(closed)]).toEqual([...tree()]);
      expect(item(await load(bundle, closed))).toMatchObject({ unchanged: 2, files: 0, catalog: 'unchanged' });
      const { error } = await run('hub:verify', closed, '--all', '--strict', '--keyring', join(home, 'key.asc'));
      expect(error).toBeUndefined();
      expect((await load(bundle, closed, '--hub', 'https://other.example.com')).error?.message).toMatch(
        /hub\.tar is a bundle of http:.* not of https:\/\/other\.example\.com/u,
      );
      for (const spelling of [url, `${url}/`, `${url}/v2`, `${url}/v2/`])
        expect((await load(bundle, closed, '--hub', spelling)).error).toBeUndefined();
      expect((await load(bundle, closed, 'one')).error?.code).toBe('USAGE');
    }));

  it.each([true, false])(
    'V26: has only what an earlier one has not, and leads to the same hub in any order (with an index: %s)',
    (index) =>
      atMirror(
        async ({ home, publish, mirror, item, load, tree }) => {
          const bundles: string[] = [];
          const states: string[] = [];
          const contentOf = (folder: string): string =>
            [...treeOf(folder)]
              .map(([name, bytes]) => `${name} ${createHash('sha256').update(bytes).digest('hex')}`)
              .join('\n');
          const steps = [
            [plugin('one'), plugin('two')],
            [plugin('one', 'changed'), plugin('two'), plugin('three')],
            [plugin('one', 'changed again'), plugin('three'), plugin('four')],
          ];
          for (const [at, packages] of steps.entries()) {
            await publish(packages);
            const bundle = join(home, `${at}.tar`);
            const since = bundles.at(-1);
            const more = since === undefined ? [] : ['--since', since];
            const result = await mirror('--verify', 'off', '--prune', '--confirm', '99', '--bundle', bundle, ...more);
            expect(result.error).toBeUndefined();
            bundles.push(bundle);
            states.push(contentOf(join(home, 'mirror')));
          }
          expect(readFileSync(bundles[2] ?? '').includes('jar of three')).toBe(false);
          for (const [at, order] of [bundles, bundles.toReversed()].entries()) {
            const folder = join(home, `closed-${at}`);
            for (const bundle of order) {
              const { error } = await load(bundle, folder, '--verify', 'off', '--prune', '--confirm', '99');
              expect([undefined, 'PARTIAL']).toContain(error?.code);
              // Readers see one of the states, or no hub yet.
              expect(['', ...states]).toContain(contentOf(folder));
            }
            expect([at, contentOf(folder)]).toEqual([at, states[2]]);
            expect(existsSync(join(folder, '.cdapctl-mirror/pending'))).toBe(false);
          }
          expect(item(await load(bundles[0] ?? '', join(home, 'closed-0'), '--verify', 'off'))).toMatchObject({
            added: 0,
            catalog: 'unchanged',
          });
          expect(contentOf(join(home, 'closed-0'))).toBe(states[2]);
          const older = await load(bundles[1] ?? '', join(home, 'closed-0'), '--verify', 'off');
          expect(older.terminal.notes.join()).toContain('the mirror has a newer state of the hub');
          expect(tree().size).toBeGreaterThan(20);
        },
        { index, trusted: false },
      ),
  );

  it('has the icons of categories, which are asked for only when they have changed', () =>
    atMirror(
      async ({ home, files, mirror, item, load, tree }) => {
        const icon = Buffer.from('an icon');
        const categories = [
          { name: 'example', hasIcon: true },
          { name: 'none', hasIcon: true },
          { name: '../up', hasIcon: true },
          { name: 'bare', hasIcon: false },
          'odd',
        ];
        files.set('categories.json', Buffer.from(JSON.stringify(categories)));
        files.set('categories/example/icon.png', icon);
        const made = await mirror('--bundle', join(home, 'hub.tar'));
        expect(item(made)).toMatchObject({ added: 2 });
        expect(made.terminal.warnings.map(({ code }) => code)).toContain('BAD_NAME');
        expect(tree().get('categories/example/icon.png')).toEqual(icon);
        expect((await load(join(home, 'hub.tar'), join(home, 'closed'))).error?.code).toBe('NO_TRUST');
        expect(existsSync(join(home, 'closed'))).toBe(false);
        await load(join(home, 'hub.tar'), join(home, 'closed'), '--verify', 'warn');
        expect((await load(join(home, 'hub.tar'), join(home, 'closed'))).error).toBeUndefined();
        expect([...treeOf(join(home, 'closed'))]).toEqual([...tree()]);
        files.set('categories/example/icon.png', Buffer.from('another'));
        expect((await mirror()).error).toBeUndefined();
        expect(tree().get('categories/example/icon.png')).toEqual(Buffer.from('another'));
        files.set('categories.json', Buffer.from('{'));
        expect((await mirror()).error).toBeUndefined();
      },
      { index: false, trusted: false },
    ));

  const forged = (path: string, change: (manifest: Record<string, unknown>) => object, into: string): void => {
    const bytes = readFileSync(path);
    const size = parseInt(bytes.toString('latin1', 124, 135), 8);
    const manifest = JSON.parse(bytes.toString('utf8', 512, 512 + size)) as Record<string, unknown>;
    const text = Buffer.from(JSON.stringify({ ...manifest, ...change(manifest) }));
    const rest = bytes.subarray(512 + size + tarPadding(size));
    writeFileSync(into, Buffer.concat([tarOf([['bundle.json', text]]).subarray(0, -1024), rest]));
  };
  const more = { path: 'packages/two/1.0.0/more.jar', size: 3, sha256: 'a'.repeat(64) };

  it('V26: does not hold up others by a number that its index has not, by a time to come, or for another hub', () =>
    atMirror(async ({ home, mirror, load, item }) => {
      const [bundle, bad, folder] = [join(home, 'hub.tar'), join(home, 'bad.tar'), join(home, 'closed')];
      await mirror('--bundle', bundle);
      const files = (manifest: Record<string, unknown>) => [...(manifest['files'] as readonly object[]), more];
      const index = (manifest: Record<string, unknown>) => manifest['index'] as object;
      forged(bundle, (old) => ({ files: files(old), index: { ...index(old), sequence: 9e15 } }), bad);
      expect((await load(bad, folder)).error?.code).toBe('BAD_BUNDLE');
      const soon = new Date(Date.now() + 3_600_000).toISOString();
      for (const base of [{}, { base: 'https://other.example.com' }]) {
        forged(bundle, (old) => ({ ...base, created: soon, files: files(old) }), bad);
        expect((await load(bad, folder, '--verify', 'warn')).error?.code).toBe('PARTIAL');
        expect(existsSync(join(folder, '.cdapctl-mirror/pending/bundle.json'))).toBe(true);
      }
      forged(bundle, (old) => ({ created: soon, files: files(old) }), bad);
      expect((await load(bad, folder)).error?.code).toBe('PARTIAL');
      const imported = await load(bundle, folder);
      expect(item(imported)).toMatchObject({ added: 2, failed: 0 });
      expect(existsSync(join(folder, '.cdapctl-mirror/pending/bundle.json'))).toBe(true);
      expect(imported.terminal.warnings.map(({ message }) => message).join()).toContain(
        'a newer state of the hub is not published yet',
      );
    }));

  it('V26: waits for one whose manifest has another spelling of the address of the hub', () =>
    atMirror(async ({ home, url, publish, mirror, load, item }) => {
      const [first, second, folder] = [join(home, '1.tar'), join(home, '2.tar'), join(home, 'closed')];
      await mirror('--bundle', first);
      await publish([plugin('one'), plugin('two'), plugin('three')]);
      await mirror('--bundle', second, '--since', first);
      forged(second, () => ({ base: `${url}/v2/` }), join(home, 'v2.tar'));
      expect((await load(join(home, 'v2.tar'), folder)).error?.code).toBe('PARTIAL');
      expect(item(await load(first, folder))).toMatchObject({ added: 3, sequence: 2 });
    }));

  it('V26: waits in any order for the others, also on a machine that has seen the latest state', () =>
    atMirror(async ({ home, publish, mirror, load, item }) => {
      const [first, second, third] = [join(home, '1.tar'), join(home, '2.tar'), join(home, '3.tar')];
      await mirror('--bundle', first);
      await publish([plugin('one'), plugin('two'), plugin('three')]);
      await mirror('--bundle', second, '--since', first);
      await publish([plugin('one'), plugin('two'), plugin('three'), plugin('four')]);
      await mirror('--bundle', third, '--since', second);
      for (const bundle of [first, second, third]) item(await load(bundle, join(home, 'closed')));
      const other = join(home, 'other');
      for (const bundle of [third, first]) expect((await load(bundle, other)).error?.code).toBe('PARTIAL');
      expect(item(await load(second, other))).toMatchObject({ added: 4, sequence: 3 });
    }));

  it('V26: does not take the place of a later one that has an index, which waits', () =>
    atMirror(async ({ home, url, publish, mirror, load, run }) => {
      const [first, second, third, closed] = ['1.tar', '2.tar', '3.tar', 'closed'].map((name) => join(home, name));
      await mirror('--bundle', first ?? '');
      await publish([plugin('one'), plugin('two'), plugin('three')]);
      await mirror('--bundle', second ?? '', '--since', first ?? '');
      expect((await load(second ?? '', closed ?? '')).error?.code).toBe('PARTIAL');
      await publish([plugin('one')], { index: false });
      const other = ['--hub', url, '-D', join(home, 'other'), '--verify', 'off', '--bundle', third ?? ''];
      expect((await run('hub:mirror', ...other)).error).toBeUndefined();
      const { error } = await load(third ?? '', closed ?? '', '--verify', 'warn');
      expect([error?.code, error?.message]).toEqual([
        'ROLLBACK',
        expect.stringMatching(/^the hub has no index in the state of .*Z, but it had one before$/u),
      ]);
      expect([...treeOf(closed ?? '')]).toEqual([]);
    }));

  it('V26: is not held up by one that waits and that no trusted key has signed', () =>
    atMirror(async ({ home, publish, mirror, load, item }) => {
      const [first, second, closed] = [join(home, '1.tar'), join(home, '2.tar'), join(home, 'closed')];
      await mirror('--bundle', first);
      await publish([plugin('one'), plugin('two'), plugin('three')], { key: await hubKey() });
      await mirror('--verify', 'off', '--bundle', second, '--since', first);
      expect((await load(second, closed, '--verify', 'off')).error?.code).toBe('PARTIAL');
      expect(existsSync(join(closed, '.cdapctl-mirror/pending/bundle.json'))).toBe(true);
      expect(item(await load(first, closed))).toMatchObject({ added: 2, failed: 0 });
    }));

  it('names its hub in the next step where a key is not trusted', () =>
    atMirror(async ({ home, url, publish, mirror, load }) => {
      const bundle = join(home, 'hub.tar');
      await publish([plugin('one')], { key: await hubKey() });
      expect((await mirror('--verify', 'off', '--bundle', bundle)).error).toBeUndefined();
      const { error } = await load(bundle, join(home, 'closed'));
      expect([error?.code, error?.details.hints?.at(-1)]).toEqual(['KEY_UNKNOWN', { next: 'add-key', hub: url }]);
    }));

  it('states the address of its hub, and nothing beside it that a next step would show', () =>
    atMirror(async ({ home, url, mirror, load }) => {
      const [bundle, bad, folder] = [join(home, 'hub.tar'), join(home, 'bad.tar'), join(home, 'closed')];
      await mirror('--bundle', bundle);
      forged(bundle, () => ({ base: 'https://me:secret@h/ a;x?y=`id`#$(id)' }), bad);
      const { error } = await load(bad, folder);
      expect([error?.code, error?.details.hints?.[0]]).toEqual([
        'NO_TRUST',
        { next: 'add-key', hub: 'https://h/%20a;x' },
      ]);
      forged(bundle, () => ({ base: `${url}/%2e%2f` }), bad);
      expect((await load(bad, folder)).error?.code).toBe('BAD_BUNDLE');
    }));

  it('is not said to wait where no key vouches for its index', () =>
    atMirror(async ({ home, publish, mirror, load }) => {
      const [first, second, closed] = [join(home, '1.tar'), join(home, '2.tar'), join(home, 'closed')];
      const key = await hubKey();
      await publish([plugin('one')], { key });
      expect((await mirror('--verify', 'off', '--bundle', first)).error).toBeUndefined();
      await publish([plugin('one'), plugin('two')], { key });
      expect((await mirror('--verify', 'off', '--bundle', second, '--since', first)).error).toBeUndefined();
      const { error } = await load(second, closed, '--verify', 'warn');
      expect(error?.message).toMatch(
        /are missing and must come from other bundles; nothing was published: import this bundle again/u,
      );
      expect(existsSync(join(closed, '.cdapctl-mirror/pending'))).toBe(false);
    }));

  it('tells of all of its files, and of those that need not be in it', () =>
    atMirror(async ({ home, url, folder, publish, run }) => {
      const write = async (...more: readonly string[]) =>
        (await run('hub:mirror', '--hub', url, '-D', folder, '--bundle', ...more)).terminal.out.join('');
      const [first, second] = [join(home, '1.tar'), join(home, '2.tar')];
      expect(await write(first)).toMatch(
        /\nbundle .*1\.tar: 18 files, \d+ bytes; 1 more with the same content as one of these\n/u,
      );
      await publish([plugin('one'), plugin('two'), plugin('three')]);
      const words = await write(second, '--since', first);
      expect(words).toMatch(
        /\nbundle .*2\.tar: \d+ files, \d+ bytes; 2 more with the same content as one of these; 6 more in the earlier bundle\n/u,
      );
    }));

  it('is looked into without any change by a preview', () =>
    atMirror(async ({ home, folder, mirror, publish, load, item }) => {
      const [first, second, closed] = [join(home, '1.tar'), join(home, '2.tar'), join(home, 'closed')];
      await mirror('--bundle', first);
      const preview = await load(first, closed, '--dry-run');
      expect(item(preview)).toMatchObject({ added: 2, dryRun: true, catalog: 'outdated' });
      expect((await load(first, closed, '--dry-run', '--detailed-exitcode')).error?.code).toBe('CHANGES');
      expect(existsSync(closed)).toBe(false);
      await load(first, closed);
      await publish([plugin('one'), plugin('two'), plugin('three')]);
      await mirror('--bundle', second, '--since', first);
      const early = await load(second, join(home, 'early'), '--dry-run');
      expect([early.error?.code, early.error?.message]).toEqual([
        'PARTIAL',
        expect.stringMatching(/are missing and must come from other bundles; nothing would be published$/u),
      ]);
      expect(existsSync(join(home, 'early'))).toBe(false);
      expect((await load(second, folder, '--dry-run', '--detailed-exitcode')).error).toBeUndefined();
      const before = [...treeOf(closed)];
      expect(item(await load(second, closed, '--dry-run'))).toMatchObject({ added: 1, catalog: 'outdated' });
      expect(item(await load(first, folder, '--dry-run'))).toMatchObject({ dryRun: true, catalog: 'unchanged' });
      expect([...treeOf(closed)]).toEqual(before);
      const late = join(home, 'late');
      expect((await load(second, late)).error?.code).toBe('PARTIAL');
      for (const more of [['--dry-run'], []])
        expect(item(await load(first, late, ...more))).toMatchObject({ added: 3, sequence: 2 });
      expect(existsSync(join(late, '.cdapctl-mirror/pending'))).toBe(false);
    }));

  it('V26: asks for a content again that waited and is not whole', () =>
    atMirror(
      async ({ home, publish, mirror, load }) => {
        const [first, second, folder] = [join(home, '1.tar'), join(home, '2.tar'), join(home, 'closed')];
        await mirror('--verify', 'off', '--bundle', first);
        await publish([plugin('one'), plugin('two'), plugin('three')]);
        await mirror('--verify', 'off', '--bundle', second, '--since', first);
        expect((await load(second, folder, '--verify', 'off')).error?.code).toBe('PARTIAL');
        const sha256 = createHash('sha256').update('jar of three').digest('hex');
        writeFileSync(join(folder, '.cdapctl-mirror/pending/files', sha256), '');
        const imported = await load(first, folder, '--verify', 'off');
        expect(imported.error).toBeUndefined();
        expect(imported.terminal.warnings.map(({ message }) => message)).toContain(
          'a newer state of the hub is not published yet: 1 of 26 files (12 bytes) are missing and must come from other bundles',
        );
        expect((await load(second, folder, '--verify', 'off')).error).toBeUndefined();
        expect([...treeOf(folder).keys()].join()).toContain('packages/three/1.0.0/plug.jar');
      },
      { trusted: false },
    ));

  it('is not written where nothing could be mirrored', () =>
    atMirror(async ({ home, files, mirror }) => {
      files.set('packages/one/1.0.0/plug.jar', Buffer.from('JAR of one'));
      files.delete('packages/two/1.0.0/plug.jar');
      expect((await mirror('--bundle', join(home, 'hub.tar'))).error?.code).toBe('PARTIAL');
      expect(existsSync(join(home, 'hub.tar'))).toBe(false);
    }));

  it('V26: is refused where it is not as this tool writes them, before anything changes', () =>
    atMirror(async ({ home, load }) => {
      const content = Buffer.from('[]\n');
      const sha256 = createHash('sha256').update(content).digest('hex');
      const file = { path: 'packages.json', size: content.length, sha256 };
      const base = 'https://hub.example.com/v2';
      const written = (created: string, files: readonly object[]): Member => [
        'bundle.json',
        Buffer.from(JSON.stringify({ format: 1, base, created, whole: true, files })),
      ];
      const manifest = (...files: readonly object[]): Member => written('2026-01-01T00:00:00Z', files);
      const blob: Member = [`files/${sha256}`, content];
      const good = tarOf([manifest(file), blob]);
      const damaged = Buffer.from(good);
      damaged.writeUInt8(0x41, 0);
      const cases: Readonly<Record<string, readonly [bytes: Buffer, reason: string]>> = {
        'no tar': [Buffer.from('PK\u0003\u0004'), 'it is truncated'],
        'an empty file': [Buffer.alloc(0), 'it is truncated'],
        'no manifest first': [tarOf([blob, manifest(file)]), 'it does not begin with bundle.json'],
        'no JSON': [
          tarOf([['bundle.json', Buffer.from('{')]]),
          'bundle.json is not valid JSON (it ends too early, at byte 1)',
        ],
        'another manifest': [
          tarOf([['bundle.json', Buffer.from('{"format":2}')]]),
          'bundle.json cannot be read | format must be 1 | base must be a string | created must be a string | whole must be a boolean | files must be an array',
        ],
        'a path that climbs': [
          tarOf([manifest({ ...file, path: 'packages/../x/spec.json' }), blob]),
          '"packages/../x/spec.json" is not a file of a hub',
        ],
        'an absolute path': [
          tarOf([manifest({ ...file, path: '/etc/passwd' }), blob]),
          '"/etc/passwd" is not a file of a hub',
        ],
        'a hidden file': [
          tarOf([manifest({ ...file, path: '.cdapctl-mirror/state.json' }), blob]),
          '".cdapctl-mirror/state.json" is not a file of a hub',
        ],
        'a NUL in a path': [
          tarOf([manifest({ ...file, path: 'packages/one\u0000/1.0.0/spec.json' }), blob]),
          '"packages/one\\u0000/1.0.0/spec.json" is not a file of a hub',
        ],
        'a backslash in a path': [
          tarOf([manifest({ ...file, path: 'packages/..\\x/1.0.0/spec.json' }), blob]),
          '"packages/..\\\\x/1.0.0/spec.json" is not a file of a hub',
        ],
        'an empty part of a path': [
          tarOf([manifest({ ...file, path: 'packages//1.0.0/spec.json' }), blob]),
          '"packages//1.0.0/spec.json" is not a file of a hub',
        ],
        'a size below zero': [
          tarOf([manifest({ ...file, size: -1 }), blob]),
          'bundle.json cannot be read | files[0].size must not be less than 0',
        ],
        'a size beyond all numbers': [
          tarOf([manifest({ ...file, size: 2 ** 60 }), blob]),
          'bundle.json cannot be read | files[0].size must not be more than 9007199254740991',
        ],
        'a member with a NUL': [
          tarOf([manifest(file), [`files/\u0000${'a'.repeat(64)}`, content]]),
          '"files/" is an unexpected member',
        ],
        'a folder': [tarOf([manifest(file), ['files/', Buffer.alloc(0), '5']]), '"files/" is not a regular file'],
        'a symbolic link': [
          tarOf([manifest(file), [blob[0], Buffer.alloc(0), '2']]),
          '"files/SHA" is not a regular file',
        ],
        'a hard link': [tarOf([manifest(file), [blob[0], Buffer.alloc(0), '1']]), '"files/SHA" is not a regular file'],
        'a device': [tarOf([manifest(file), [blob[0], Buffer.alloc(0), '3']]), '"files/SHA" is not a regular file'],
        'a long name of GNU tar': [
          tarOf([manifest(file), ['././@LongLink', Buffer.from('files/x\0'), 'L']]),
          '"././@LongLink" is not a regular file',
        ],
        'a header of POSIX': [
          tarOf([manifest(file), ['x', Buffer.from('20 path=../../evil\n'), 'x']]),
          '"x" is not a regular file',
        ],
        'a content that is cut': [good.subarray(0, -1024 - 510), '"files/SHA" is truncated'],
        'a manifest twice': [tarOf([manifest(file), manifest(file), blob]), '"bundle.json" is an unexpected member'],
        'no address': [
          tarOf([
            [
              'bundle.json',
              Buffer.from(
                JSON.stringify({ format: 1, base: 'x', created: '2026-01-01T00:00:00Z', whole: true, files: [file] }),
              ),
            ],
            blob,
          ]),
          'bundle.json cannot be read | base must be the URL of a hub',
        ],
        'a file elsewhere': [
          tarOf([manifest({ ...file, path: 'other/a/b/c' }), blob]),
          '"other/a/b/c" is not a file of a hub',
        ],
        'a path twice': [tarOf([manifest(file, file), blob]), '"packages.json" is listed twice'],
        'a member that climbs': [tarOf([manifest(file), ['../evil', content]]), '"../evil" is an unexpected member'],
        'a content twice': [tarOf([manifest(file), blob, blob]), '"files/SHA" is an unexpected member'],
        'a content that no file has': [
          tarOf([manifest(file), blob, [`files/${'a'.repeat(64)}`, content]]),
          '"files/AAA" is an unexpected member',
        ],
        'another size': [
          tarOf([manifest({ ...file, size: 2 }), blob]),
          '"files/SHA" has a different size than the manifest lists',
        ],
        'two sizes': [tarOf([manifest(file, { ...file, path: 'x.json', size: 2 }), blob]), '"x.json" has two sizes'],
        'a time to come': [
          tarOf([written(new Date(Date.now() + 2 * 86_400_000).toISOString(), [file]), blob]),
          'it was written at TIME, which is in the future',
        ],
        'another content': [
          tarOf([manifest(file), [blob[0], Buffer.from('[1]')]]),
          'packages.json does not match its SHA-256',
        ],
        'a size that lies': [
          Buffer.concat([tarOf([manifest(file)]).subarray(0, -1024), tarHeader(blob[0], 1_000_000_000)]),
          '"files/SHA" is truncated',
        ],
        'no catalog': [tarOf([manifest({ ...file, path: 'metadata.json' }), blob]), 'it has no packages.json'],
        'no end': [good.subarray(0, -1024), 'it is truncated'],
        'a damaged header': [damaged, 'a header is damaged'],
      };
      for (const [name, [bytes, reason]] of Object.entries(cases)) {
        const path = join(home, 'bad.tar');
        writeFileSync(path, bytes);
        const folder = join(home, `closed ${name}`);
        const { error } = await load(path, folder, '--verify', 'warn');
        expect([name, error?.code, error?.exitCode]).toEqual([name, 'BAD_BUNDLE', 12]);
        const said = [error?.message, ...(error?.details.lines ?? [])].join(' | ').replace(sha256, 'SHA');
        const plain = said.replace('a'.repeat(64), 'AAA').replace(/(?<=written at )[^,]*/u, 'TIME');
        expect([name, plain]).toEqual([name, `${path} is not a valid bundle: ${reason}`]);
        expect(error?.details.target).toEqual({ file: path });
        expect([name, existsSync(folder) ? [...treeOf(folder)] : []]).toEqual([name, []]);
      }
      writeFileSync(join(home, 'good.tar'), good);
      expect((await load(join(home, 'good.tar'), join(home, 'empty'), '--verify', 'warn')).error).toBeUndefined();
      expect((await load(join(home, 'none.tar'), join(home, 'empty'))).error?.code).toBe('LOCAL_IO');
      expect((await load(home, join(home, 'empty'))).error?.code).toBe('LOCAL_IO');
    }));
});
