/** A platform that the contract suite talks to: a real one, or an emulator of this process; `hub` is the base URL of the emulator's hub. */
export interface ContractTarget {
  readonly url: string;
  readonly real: boolean;
  readonly hub?: string;
  close(): Promise<void>;
}

/** The platform at `CDAPCTL_CONTRACT_URL`, or else an emulator on a free port; `close` ends only what was started here. */
export async function contractTarget(): Promise<ContractTarget> {
  const url = process.env['CDAPCTL_CONTRACT_URL'];
  if (url !== undefined && url !== '')
    return { url: url.replace(/\/+$/u, ''), real: true, close: async () => undefined };
  const { startEmulator } = await import('../../src/emulator/start.js');
  const emulator = await startEmulator({ port: 0, hubPort: 0 });
  return { url: emulator.url, real: false, hub: emulator.hub, close: () => emulator.close() };
}
