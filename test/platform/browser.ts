import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';

const CHROMIUM = '/usr/bin/chromium';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

/** How a page is looked at. */
export interface Looking {
  readonly width: number;
  readonly scheme: 'light' | 'dark';
}

/** A real browser without a screen; every page is opened in a tab of its own. */
export interface Browser {
  /** Opens a file, waits until it is loaded and gives the value of an expression on it, with the addresses that the page asked for. */
  look(file: string, how: Looking, expression: string): Promise<{ readonly value: unknown; readonly asked: string[] }>;
  close(): Promise<void>;
}

/** Fetches Debian's chromium where it is missing, as `cdap prepare` does with what it needs. */
export function fetchChromium(): void {
  if (existsSync(CHROMIUM)) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [
    ['update', '-q'],
    ['install', '-yq', 'chromium'],
  ]) {
    const { status, stderr } = spawnSync('apt-get', args, { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`apt-get ${args.join(' ')}: ${stderr}`);
  }
}

/** Starts chromium, which is spoken to through two pipes; a name of a host leads nowhere in it. */
export async function startBrowser(profile: string): Promise<Browser> {
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe', '--no-first-run'];
  const lonely = ['--host-resolver-rules=MAP * ~NOTFOUND', `--user-data-dir=${profile}`, 'about:blank'];
  const child = spawn(CHROMIUM, [...flags, ...lonely], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  const [, , , input, output] = child.stdio as unknown as [unknown, unknown, unknown, Writable, Readable];
  const waiting = new Map<number, (message: Message) => void>();
  const listening = new Set<(message: Message) => void>();
  let rest = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\0');
    rest = parts.pop() ?? '';
    for (const message of parts.map((part) => JSON.parse(part) as Message)) {
      if (message.id === undefined) for (const listen of listening) listen(message);
      else waiting.get(message.id)?.(message);
    }
  });
  let last = 0;
  const ask = async (method: string, params: object, sessionId?: string): Promise<Record<string, unknown>> => {
    const id = ++last;
    const answered = new Promise<Message>((done) => waiting.set(id, done));
    input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    const { result, error } = await Promise.race([
      answered,
      ended.then((): Message => ({ error: { message: 'the browser ended' } })),
    ]);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result ?? {};
  };
  return {
    async look(file, { width, scheme }, expression) {
      const { targetId } = await ask('Target.createTarget', { url: 'about:blank' });
      const { sessionId } = (await ask('Target.attachToTarget', { targetId, flatten: true })) as { sessionId: string };
      const tell = (method: string, params: object = {}) => ask(method, params, sessionId);
      const asked: string[] = [];
      const loaded = new Promise<void>((done) => {
        listening.add(({ method, params }) => {
          if (method === 'Page.loadEventFired') done();
          if (method === 'Network.requestWillBeSent') asked.push((params as { request: { url: string } }).request.url);
        });
      });
      const screen = { width, height: 900, deviceScaleFactor: 1, mobile: false };
      await tell('Emulation.setDeviceMetricsOverride', screen);
      await tell('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
      await tell('Page.enable');
      await tell('Network.enable');
      await tell('Page.navigate', { url: `file://${file}` });
      await loaded;
      const { result, exceptionDetails } = await tell('Runtime.evaluate', { expression, returnByValue: true });
      if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
      listening.clear();
      await ask('Target.closeTarget', { targetId });
      return { value: (result as { value: unknown }).value, asked };
    },
    async close() {
      await ask('Browser.close', {});
      await ended;
    },
  };
}
