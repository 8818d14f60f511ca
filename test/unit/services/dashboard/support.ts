import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../../src/core/clock.js';
import type { HttpRequest } from '../../../../src/http/transport.js';
import { platformClient, type Platform } from '../../../../src/platform/client.js';
import type { DashboardRecord } from '../../../../src/platform/dashboard.js';
import type { Dashboard } from '../../../../src/services/dashboard/dashboard.js';
import { itemOf, type DashboardItem } from '../../../../src/services/dashboard/item.js';
import { summaryOf } from '../../../../src/services/dashboard/summary.js';

export const NEVER = new AbortController().signal;

/** Thursday, 2 May 2024, 22:00 UTC in epoch seconds. */
export const NOW = Date.UTC(2024, 4, 2, 22) / 1000;
export const HOUR = 3600;
export const DAY = 24 * HOUR;

export function clockAt(seconds: () => number): Clock {
  return { now: () => seconds() * 1000, monotonic: () => seconds() * 1000, sleep: () => Promise.resolve() };
}

/** What a platform of a test answers: a value as JSON, or a status and text; undefined is 404. */
export type Answer = { readonly json: unknown } | { readonly status: number; readonly text: string } | undefined;

/** A platform whose answers a test decides; `asked` has every request with its query. */
export function platformOf(answer: (line: string, body: string) => Answer): {
  readonly platform: Platform;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const send = async ({ method, path, query = [], body }: HttpRequest) => {
    const text = query.map(([name, value]) => `${name}=${value}`).join('&');
    const line = `${method} ${path}${text === '' ? '' : `?${text}`}`;
    asked.push(line);
    const found = answer(line, body?.kind === 'text' ? body.text : '');
    const status = found === undefined ? 404 : 'json' in found ? 200 : found.status;
    const content = found === undefined ? '' : 'json' in found ? JSON.stringify(found.json) : found.text;
    const stream = (async function* () {
      yield Buffer.from(content);
    })();
    const url = `http://platform.example${path}`;
    return { status, headers: {}, body: stream, url, method, attempts: 1, discard: async () => undefined };
  };
  const base = 'http://platform.example';
  return { platform: platformClient({ peer: 'platform', base, send, close: async () => undefined }), asked };
}

/** A run of a pipeline; what is given wins. */
export function record(given: Partial<DashboardRecord> = {}): DashboardRecord {
  return {
    namespace: 'etl',
    application: { name: 'orders-hourly', version: '-SNAPSHOT' },
    type: 'WORKFLOW',
    program: 'DataPipelineWorkflow',
    run: '5d9c0a70-e569-11f1-a52d-acde48001122',
    startMethod: 'SCHEDULED',
    start: NOW - HOUR,
    running: NOW - HOUR + 4,
    end: NOW - HOUR + 95,
    status: 'COMPLETED',
    ...given,
  };
}

/** A run that has not ended. */
export function atWork(given: Partial<DashboardRecord> = {}): DashboardRecord {
  const open: Partial<DashboardRecord> = record({ run: 'open', status: 'RUNNING', ...given });
  delete open.end;
  return open as DashboardRecord;
}

/** A start to come. */
export function startAt(start: number, name = 'orders-hourly'): DashboardRecord {
  const { namespace, type, program } = record();
  return { namespace, type, program, application: { name, version: 'x' }, startMethod: 'SCHEDULED', start };
}

/** A dashboard of twelve hours around now. */
export function dashboardOf(items: readonly DashboardItem[], given: Partial<Dashboard> = {}): Dashboard {
  return {
    now: NOW,
    window: { start: NOW - 12 * HOUR, end: NOW + 12 * HOUR },
    namespaces: ['etl'],
    items,
    summary: summaryOf(items),
    notJudged: 0,
    ...given,
  };
}

/** Items of records. */
export const itemsOf = (...records: readonly DashboardRecord[]): DashboardItem[] =>
  records.map((one) => itemOf(one, NOW));

/** The records that a real platform answered a recorded question with. */
export function recorded(platform: '6.11.0' | '6.1.1', id: string): DashboardRecord[] {
  const file = join(import.meta.dirname, '../../../fixtures/recordings', platform, 'dashboard.json');
  const all = JSON.parse(readFileSync(file, 'utf8')) as { id: string; response: { body: string } }[];
  const found = all.find((one) => one.id === id);
  return JSON.parse(found?.response.body ?? '') as DashboardRecord[];
}
