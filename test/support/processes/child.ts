import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, withTempDir } from './run-cli.js';

/** How a process for a piece of the sources ended. */
export interface ChildResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The most memory that it had, in MB; 0 when it did not live to tell. */
  readonly peak: number;
  readonly milliseconds: number;
}

/** What a process for a piece of the sources is started with. */
export interface ChildOptions {
  readonly flags?: readonly string[];
  /** What `data` is in the text. */
  readonly data?: unknown;
  /** Kills it after this many milliseconds (default 60,000). */
  readonly timeout?: number;
}

const BEFORE = `const data = JSON.parse(process.argv[2] ?? 'null');`;
const AFTER = `process.on('exit', () => process.stderr.write('PEAK ' + process.resourceUsage().maxRSS / 1024 + '\\n'));`;

/** Runs TypeScript, whose imports begin at the root of the project, in a Node process of its own, so that its memory and collector are its own. */
export async function inChild(imports: string, body: string, options: ChildOptions = {}): Promise<ChildResult> {
  const contents = `${imports}\n${BEFORE}\n${AFTER}\nasync function main() {\n${body}\n}\nvoid main();`;
  return withTempDir(async (folder) => {
    const file = join(folder, 'child.cjs');
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: ROOT, loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'cjs',
      write: false,
      logLevel: 'silent',
    });
    await writeFile(file, outputFiles[0]?.contents ?? '');
    return start(file, options);
  });
}

async function start(file: string, { flags = [], data, timeout = 60_000 }: ChildOptions): Promise<ChildResult> {
  const started = performance.now();
  const child = spawn(process.execPath, [...flags, file, JSON.stringify(data ?? null)], {
    timeout,
    killSignal: 'SIGKILL',
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (texts[name] += text));
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', (code, signal) => {
      const peak = Number(/PEAK ([\d.]+)/u.exec(texts.stderr)?.[1] ?? 0);
      done({ code, signal, ...texts, peak, milliseconds: performance.now() - started });
    });
  });
}
