import { json, refuse, text } from '../http/answers.js';
import { route, type Route } from '../http/route.js';
import { noRun, programAt } from './programs.js';

const RUN = '/v3/namespaces/{namespace}/apps/{app}/workflows/{program}/runs/{run}';
const NODE = 'phase-1';
const SCOPES = ['USER', 'SYSTEM'];

/** The token of a workflow's run (docs/platform.md 11): what its nodes have put there. */
export const workflowTokenRoutes: readonly Route[] = [
  route('GET', `${RUN}/token`, (request) => {
    const { param, query } = request;
    const type = { ...request, param: (name: string) => (name === 'type' ? 'workflows' : param(name)) };
    const { application, program } = programAt(type);
    const scope = (query.get('scope') ?? 'USER').toUpperCase();
    if (!SCOPES.includes(scope)) refuse(500, `No enum constant io.cdap.cdap.api.workflow.WorkflowToken.Scope.${scope}`);
    const run = application.runs.find(({ id }) => id === param('run')) ?? noRun(type, program.name, param('run'));
    const values = Object.entries(scope === 'USER' ? (run.token ?? {}) : {});
    const key = query.get('key');
    const wanted = values.filter(([name]) => key === null || name === key);
    if (key !== null && wanted.length === 0) return text(404, key);
    return json(Object.fromEntries(wanted.map(([name, value]) => [name, [{ node: NODE, value }]])));
  }),
];
