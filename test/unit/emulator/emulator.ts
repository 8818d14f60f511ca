import { connect } from 'node:net';
import { startEmulator, type EmulatorOptions, type RunningEmulator } from '../../../src/emulator/start.js';

/** A hub with one file, so that no key has to be made. */
const HUB = {
  files: new Map([['packages.json', Buffer.from('[]')]]),
  fingerprint: '0'.repeat(40),
  publicKey: '',
  sign: async () => '',
};

/** Starts an emulator on free ports, runs the case, and ends it. */
export async function withEmulator(
  run: (emulator: RunningEmulator) => Promise<void>,
  options: Partial<EmulatorOptions> = {},
): Promise<void> {
  const emulator = await startEmulator({ port: 0, hubPort: 0, sampleHub: HUB, ...options });
  try {
    await run(emulator);
  } finally {
    await emulator.close();
  }
}

/** Sends bytes over a bare socket and gives everything that came back until the other side closed, or how the connection broke. */
export function overSocket(url: string, sent: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(sent));
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => (received += String(chunk)));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      received += `<${error.code ?? ''}>`;
    });
    socket.on('close', () => {
      resolve(received);
    });
  });
}

/** Orders a fault. */
export async function fail(url: string, fault: object): Promise<Response> {
  return fetch(`${url}/emulator/faults`, { method: 'POST', body: JSON.stringify(fault) });
}

/** The log of requests. */
export async function requests(url: string): Promise<Record<string, unknown>[]> {
  const text = await (await fetch(`${url}/emulator/requests`)).text();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
