import type { EmulatorAnswer } from '../../http/exchange.js';
import { isObject, parseJson, stringOf } from '../../http/json.js';
import type { RouteRequest } from '../../http/route.js';
import { deny, reportText, stumble } from './answers.js';
import { parserComplaint } from './members.js';
import { stateOfReport } from './status.js';

/** Where the real service keeps its reports, as its errors tell. */
export const REPORT_FOLDER = '/data/namespaces/system/data/ReportFileset/system';

/**
 * Gives a report that has ended a name and a description, once. A body that is nothing breaks it (docs/platform.md
 * 1.5).
 */
export function saveReport(request: RouteRequest): EmulatorAnswer {
  const { store } = request;
  const [id, source] = [request.param('report'), request.text()];
  const value = parseJson(source);
  const isNothing = source === '' || value === null;
  if (!isNothing && !isObject(value)) {
    const complaint = `com.google.gson.JsonSyntaxException: ${parserComplaint(source, store.generation)}`;
    deny(400, `Failed to parse the report saving request: ${complaint}`);
  }
  const report = store.reports.reports.get(id);
  const state = report === undefined ? 'GONE' : stateOfReport(report, store);
  if (report === undefined || state === 'GONE' || state === 'EXPIRED')
    deny(404, `Report with id ${id} does not exist.`);
  if (report.saved === 'broken') {
    const file = `file:${REPORT_FOLDER}/${id}/_SAVED`;
    deny(500, `Failed to create a file ${file} for saving the report with id ${id} since it already exists`);
  }
  if (report.saved !== undefined) {
    const { name, description } = report.saved;
    const already = `already saved with name '${name ?? 'null'}' and description '${description ?? 'null'}'`;
    deny(403, `Report with id ${id} is ${already}. Updating the saved report is not allowed.`);
  }
  if (state !== 'COMPLETED') deny(403, `Cannot save the report with status ${state}`);
  if (!isObject(value)) {
    report.saved = 'broken';
    return stumble('null');
  }
  const [name, description] = [stringOf(value, 'name'), stringOf(value, 'description')];
  report.saved = { name, description };
  const words = `the name: '${name ?? 'null'}' and description: '${description ?? 'null'}'`;
  return reportText(200, `Report with id ${id} is saved successfully with ${words} `);
}
