import { runProgram } from '../../cli/child-program.js';
import type { Session } from '../../cli/session.js';
import { CliError } from '../../core/errors.js';
import type { History } from '../../services/hosting/lint/changed-files.js';

/** Milliseconds for one question. */
const LIMIT = 60_000;
const MOST_OUTPUT = 32 * 1024 * 1024;
/** A repository may be hostile: nothing that it configures is run, and nothing is fetched. */
const CAREFUL = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '--no-pager', '--literal-pathspecs'];
const NO_FETCH = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
const ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u;
/** A file of the index, with what else git knows of it. */
const ADDED = /([^\0\n]+)\0 {2}ctime: [^\n]*\n {2}mtime: (\d+):\d+\n[^\n]*\n[^\n]*\n {2}size: (\d+)\t/gu;
const LISTED = ['-z', '--name-only'];
const RAW = ['-r', '-z', '--no-renames'];
/** A change of permissions alone, which no client sees. */
const SAME_CONTENT = /^:\d+ \d+ ([0-9a-f]+) \1 M$/u;

/**
 * What git knows of the repository around a folder. Only what git stores is compared: no file of the folder goes
 * through a filter.
 */
export function gitHistory(folder: string, { env, signal }: Pick<Session, 'env' | 'signal'>): History {
  const git = async (...words: readonly string[]): Promise<string | undefined> => {
    const options = { env: { ...env, ...NO_FETCH }, signal, limit: LIMIT, most: MOST_OUTPUT };
    const { stdout, why } = await runProgram('git', ['-C', folder, ...CAREFUL, ...words], options);
    signal.throwIfAborted();
    if (why === 'was not found') throw new CliError('USAGE', 'the program git was not found');
    return why === undefined ? stdout : undefined;
  };
  const list = async (...words: readonly string[]): Promise<readonly string[]> => {
    const text = await git(...words);
    if (text === undefined) throw new CliError('USAGE', `git cannot compare ${folder} with the commit`);
    return text.split('\0').filter((path) => path !== '');
  };
  return {
    isThere: async () => (await git('rev-parse', '--git-dir')) !== undefined,
    async commit(name) {
      const id = await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`);
      return id !== undefined && ID.test(id.trim()) ? id.trim() : undefined;
    },
    async changed(id) {
      const words = await list('diff-index', '--cached', ...RAW, '--relative', id, '--', 'packages');
      return words.flatMap((path, at) => (at % 2 === 1 && !SAME_CONTENT.test(words[at - 1] ?? '') ? [path] : []));
    },
    async added() {
      const text = (await git('ls-files', '--debug', '-z', '--', 'packages')) ?? '';
      return [...text.matchAll(ADDED)].map(([, path = '', time, size]) => ({
        path,
        time: Number(time),
        size: Number(size),
      }));
    },
    folders: (id, paths) => list('ls-tree', '-d', ...LISTED, id, ...paths),
  };
}
