import type { Emit, TraceFact } from '../core/events.js';
import type { Clock } from '../core/clock.js';
import type { Hide } from '../core/secrets/hide-error.js';
import type { UrlPath } from './path.js';
import type { ProxySettings } from './proxy.js';

/** Whom a transport speaks to; decides names of errors and that a hub never sees a token. */
export type Peer = 'platform' | 'hub';

/**
 * The body of a request: text or bytes in memory, or a file of known size that is streamed from disk. Of a file with a
 * SHA-256, in hex, the end is only sent if it has that.
 */
export type RequestBody =
  | { readonly kind: 'bytes'; readonly content: Uint8Array; readonly contentType: string }
  | { readonly kind: 'text'; readonly text: string; readonly contentType: string }
  | {
      readonly kind: 'file';
      readonly file: string;
      readonly bytes: number;
      readonly sha256?: string;
      readonly contentType: string;
    };

/** One request; paths are relative to the base URL of the transport. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** A POST that only asks, so that it is repeated like a GET. */
  readonly asks?: boolean | undefined;
  readonly path: UrlPath;
  readonly query?: readonly (readonly [string, string])[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RequestBody;
  /** Most bytes of the (decoded) answer body that may be read; reading further is TOO_LARGE. */
  readonly maxBytes: number;
  /**
   * Milliseconds to the first byte of the answer. Applies unless the transport has a wait for all requests. Uploads
   * have 15 minutes.
   */
  readonly headersTimeout?: number;
  readonly signal: AbortSignal;
}

/** An answer of any status; the body is a stream that must be read or dropped with `discard`. */
export interface HttpAnswer {
  readonly status: number;
  /** Lower-case names; the first value of a repeated header. */
  readonly headers: Readonly<Record<string, string>>;
  /** The address that answered in the end, without secrets. */
  readonly url: string;
  readonly method: string;
  /** How often it was sent, 1 or more. */
  readonly attempts: number;
  /** Takes secrets out of words of the server, before they are cut. */
  readonly hide?: Hide | undefined;
  /** The body, decoded, capped; errors are CliError (NET_SHORT, NET_TIMEOUT, TOO_LARGE, ...). */
  readonly body: AsyncIterable<Uint8Array>;
  discard(): Promise<void>;
}

/** How a connection is encrypted. `validTo` is in milliseconds since the epoch. */
export interface TlsFacts {
  /** For example `TLSv1.3`. */
  readonly protocol: string;
  readonly validTo: number;
  /** The name of the authority, where the certificate tells it. */
  readonly issuer: string | undefined;
}

/**
 * The one port to the network. Sends, follows redirects of reads, repeats reads that may be repeated, never repeats a
 * write.
 */
export interface Transport<P extends Peer = Peer> {
  readonly peer: P;
  /** Base URL without trailing slash, without userinfo; its path is kept. */
  readonly base: string;
  send(request: HttpRequest): Promise<HttpAnswer>;
  /** Of the newest connection; undefined without one, and for http. */
  readonly tls?: TlsFacts | undefined;
  close(): Promise<void>;
}

/** What a transport to anybody is made with; times are in milliseconds. */
export interface TransportOptions {
  /** Address of the platform or hub, as `parseBaseUrl` takes it. */
  readonly base: string;
  readonly clock: Clock;
  /** Numbers from 0 to 1 for the jitter of waits. */
  readonly random: () => number;
  /** Connections for reads, 8 unless given. */
  readonly connections?: number | undefined;
  /** Tries of a read in all, 4 unless given. */
  readonly retries?: number | undefined;
  /** 10 s unless given. */
  readonly connectTimeout?: number | undefined;
  /** Until the first byte of an answer, for every request; 30 s, or what the request says, unless given. */
  readonly headersTimeout?: number | undefined;
  /** Without a byte in either direction, 30 s unless given. */
  readonly idleTimeout?: number | undefined;
  /** How long an upload waits for leave to send its body, 1 s unless given. */
  readonly continueTimeout?: number | undefined;
  /** The longest `Retry-After` that is obeyed, 60 s unless given; a longer one is RATE_LIMIT. */
  readonly maxRetryAfter?: number | undefined;
  readonly proxy?: ProxySettings | undefined;
  /** Certificates (PEM) to trust besides the usual ones. */
  readonly ca?: string | undefined;
  /** Accept any certificate. */
  readonly insecure?: boolean | undefined;
  /** Takes `retry` facts. */
  readonly emit?: Emit | undefined;
  /** Takes each request and answer, without the values of headers that may be secret. */
  readonly trace?: ((fact: TraceFact) => void) | undefined;
  /** Takes secrets out of words of the server. */
  readonly hide?: Hide | undefined;
  readonly userAgent: string;
}
