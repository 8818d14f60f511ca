import type { EmulatorAnswer, EmulatorRequest } from './http/exchange.js';
import type { Faults } from './http/faults.js';
import { parseJson } from './http/json.js';
import { RunOrder } from './store/model.js';
import type { RequestLog } from './http/request-log.js';
import { reportControl } from './resources/reports/control.js';
import type { Store } from './store/store.js';

/** Paths of the emulator itself, on the platform's port. */
export const CONTROL_PREFIX = '/emulator/';

/** What the emulator's own paths look at and change. */
export interface ControlDeps {
  readonly log: RequestLog;
  readonly faults: Faults;
  readonly store: Store;
}

/**
 * Serves the emulator's own paths. `requests` takes GET and DELETE, `faults` GET, POST and DELETE, `reports` GET and
 * POST, and `runs` POST.
 */
export function control(request: EmulatorRequest, { log, faults, store }: ControlDeps): EmulatorAnswer {
  switch (`${request.method} ${request.path}`) {
    case 'GET /emulator/requests':
      return answer(200, log.text(), 'application/x-ndjson');
    case 'DELETE /emulator/requests':
      log.clear();
      return answer(200, '');
    case 'GET /emulator/faults':
      return answer(200, JSON.stringify(faults.list()), 'application/json');
    case 'DELETE /emulator/faults':
      faults.clear();
      return answer(200, '');
    case 'POST /emulator/faults': {
      const complaint = faults.add(parseJson(request.body.toString('utf8')));
      return complaint === undefined ? answer(200, '') : answer(400, `${complaint}\n`);
    }
    case 'GET /emulator/reports':
      return answer(200, JSON.stringify(store.reports.settings), 'application/json');
    case 'POST /emulator/reports': {
      const complaint = reportControl(store, parseJson(request.body.toString('utf8')));
      return complaint === undefined ? answer(200, '') : answer(400, `${complaint}\n`);
    }
    case 'POST /emulator/runs': {
      const order = RunOrder.safeParse(parseJson(request.body.toString('utf8')));
      if (order.success) store.nextRuns = order.data;
      return order.success ? answer(200, '') : answer(400, 'runs take lasts (milliseconds), outcome and token\n');
    }
    default:
      return answer(
        404,
        'the emulator has /emulator/requests, /emulator/faults, /emulator/reports and /emulator/runs\n',
      );
  }
}

function answer(status: number, body: string, type = 'text/plain; charset=utf-8'): EmulatorAnswer {
  return { status, headers: { 'content-type': type }, body };
}
