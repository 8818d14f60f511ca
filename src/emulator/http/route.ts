import type { EmulatorAnswer, EmulatorRequest } from './exchange.js';
import type { Store } from '../store/store.js';

/** A request that matched a route. `param` returns a decoded path segment, `uri` is the path as sent with its query. */
export interface RouteRequest extends EmulatorRequest {
  readonly uri: string;
  readonly store: Store;
  /** Base URL of the emulator's hub, with its `/v2`. */
  readonly hub: string;
  readonly param: (name: string) => string;
  readonly text: () => string;
}

/** A method, a path with `{parameters}`, and the function that answers. */
export interface Route {
  readonly method: string;
  readonly segments: readonly string[];
  readonly answer: (request: RouteRequest) => EmulatorAnswer;
}

/** Names a route of the platform. */
export function route(method: string, path: string, answer: Route['answer']): Route {
  return { method, segments: path.split('/').slice(1), answer };
}
