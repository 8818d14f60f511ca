import { setTimeout as wait } from 'node:timers/promises';
import { bare, Refusal } from './http/answers.js';
import type { EmulatorAnswer, EmulatorRequest, EmulatorRoutes } from './http/exchange.js';
import type { Route, RouteRequest } from './http/route.js';
import { answeringRun, REPORT_PROGRAM, settleReportService } from './resources/reports/service.js';
import { activeRuns } from './store/runs.js';
import type { Store } from './store/store.js';

/** Calls into a program's own service, of which the emulator runs two. */
const SERVICE_CALL = /^\/v3\/namespaces\/[^/]+\/apps\/[^/]+\/(?:services|spark)\/[^/]+\/methods\//u;
const STUDIO_CALL = '/v3/namespaces/system/apps/pipeline/services/studio/methods/';
const REPORT_CALL = `${REPORT_PROGRAM}/methods/`;
const UNANSWERED_MS = 100;

/** Turns a table of routes into the platform's port, including errors of its HTTP layer. See docs/platform.md 0.2. */
export function routesOf(
  routes: readonly Route[],
  world: { readonly store: Store; readonly hub: () => string },
): EmulatorRoutes {
  return (request) => {
    const { path, uri = path } = request;
    settleReportService(world.store);
    if (SERVICE_CALL.test(path) && !serviceAnswers(path, world.store)) {
      const isFirst = world.store.generation.platform === '4.3.5';
      const told = isFirst
        ? `endpoint strategy found for request : ${uri}`
        : `discoverable found for request ${request.method} ${uri} HTTP/1.1`;
      const answer = bare(503, `No ${told}`);
      return wait(UNANSWERED_MS, answer, { ref: false });
    }
    return dispatch(routes, request, { uri, store: world.store, hub: world.hub() });
  };
}

function serviceAnswers(path: string, store: Store): boolean {
  if (path.startsWith(REPORT_CALL)) return answeringRun(store) !== undefined;
  return path.startsWith(STUDIO_CALL) && studioRuns(store);
}

function studioRuns(store: Store): boolean {
  const application = store.application('system', 'pipeline');
  return application !== undefined && activeRuns(application, store.now()).length > 0;
}

function dispatch(
  routes: readonly Route[],
  request: EmulatorRequest,
  world: Pick<RouteRequest, 'uri' | 'store' | 'hub'>,
): EmulatorAnswer {
  const broken = /%(?![0-9a-f]{2})/iu.exec(request.path);
  if (broken !== null) return bare(500, `Malformed escape pair at index ${broken.index}: ${request.path}`);
  const path = resolveDots(request.path);
  const matching = routes.flatMap((candidate) => {
    const params = path === undefined ? undefined : match(candidate.segments, path);
    return params === undefined ? [] : [{ candidate, params }];
  });
  const chosen = matching.find(({ candidate }) => candidate.method === request.method);
  if (chosen !== undefined) return callRoute(chosen.candidate, chosen.params, request, world);
  if (SERVICE_CALL.test(request.path) && request.method === 'HEAD') return bare(404, '');
  if (matching.length > 0) return bare(405, request.method === 'HEAD' ? '' : world.uri);
  return bare(404, `Problem accessing: ${world.uri}. Reason: Not Found`);
}

function callRoute(
  chosen: Route,
  params: ReadonlyMap<string, string>,
  request: EmulatorRequest,
  world: Pick<RouteRequest, 'uri' | 'store' | 'hub'>,
): EmulatorAnswer {
  try {
    return chosen.answer({
      ...request,
      ...world,
      param: (name) => params.get(name) ?? '',
      text: () => request.body.toString('utf8'),
    });
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  }
}

/**
 * The segments after `.` and `..` were resolved and one trailing slash dropped. Escaped dots stay (docs/platform.md
 * 0.1).
 */
function resolveDots(path: string): string[] | undefined {
  const resolved: string[] = [];
  const segments = path.split('/').slice(1);
  for (const [index, segment] of segments.entries()) {
    if (segment === '..') resolved.pop();
    else if (segment === '' && index < segments.length - 1) return undefined;
    else if (segment !== '.' && segment !== '') resolved.push(segment);
  }
  return resolved;
}

function match(pattern: readonly string[], path: readonly string[]): Map<string, string> | undefined {
  const wanted = pattern.filter((segment) => segment !== '');
  if (wanted.length !== path.length) return undefined;
  const params = new Map<string, string>();
  for (const [index, segment] of wanted.entries()) {
    const decoded = decodeSegment(path[index] ?? '');
    if (decoded.includes('/')) return undefined;
    if (segment.startsWith('{')) params.set(segment.slice(1, -1), decoded);
    else if (segment !== decoded) return undefined;
  }
  return params;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
