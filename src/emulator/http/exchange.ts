/**
 * A request as one of the two ports of the emulator received it. `path` is still percent-encoded, `headers` have
 * lower-case names.
 */
export interface EmulatorRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Path and query as they were sent. */
  readonly uri?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What the emulator answers; `content-length` is added when it is sent, nothing else. */
export interface EmulatorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
  /** What comes after the body, made while it is sent; such an answer is sent in chunks. */
  readonly more?: Iterable<string>;
}

/** The routes of one port: they answer every request, also one for a path that does not exist. */
export type EmulatorRoutes = (request: EmulatorRequest) => EmulatorAnswer | Promise<EmulatorAnswer>;
