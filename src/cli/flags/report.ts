import * as Flags from '@oclif/core/flags';
import type { InferredFlags } from '@oclif/core/interfaces';
import { ENGINES } from '../../services/reports/choose-engine.js';
import { connectionFlags } from './connection.js';
import { withTwins } from './twins.js';
import { durationFlag, list, pipelineFlag, several } from './values.js';

const { namespace: one, ...connection } = connectionFlags;

const selection = {
  namespace: Flags.string({
    ...list,
    char: 'n',
    summary: 'only runs in this namespace (default: that of the context, else all); repeatable',
    helpValue: one.helpValue ?? 'NS',
  }),
  'all-namespaces': Flags.boolean({ char: 'A', summary: 'runs of all namespaces, whatever a context says' }),
  pipeline: pipelineFlag({ ...list, summary: 'only runs of matching pipelines; repeatable' }),
  status: Flags.string({ ...list, summary: 'only runs with this status: FAILED, KILLED, ...; repeatable' }),
  'all-programs': Flags.boolean({
    summary: 'a record for each program (default: for each run)',
  }),
  'program-type': Flags.string({
    ...list,
    summary: 'programs of this type: Workflow, Spark, ...; repeatable',
    helpValue: 'TYPE',
  }),
  user: Flags.string({ ...list, summary: 'only runs that this user started; repeatable', helpValue: 'NAME' }),
  filter: Flags.string({
    ...several,
    summary: 'further condition: user!=alice, duration>=60, start=FROM..TO with TO excluded; repeatable',
    helpValue: 'EXPR',
  }),
};

const request = {
  start: Flags.string({
    summary: 'begin of the window: yesterday, now-24h, ...',
    helpValue: 'TIME',
    exclusive: ['last'],
  }),
  end: Flags.string({ summary: 'end of the window (default: now); a day alone is its 0:00', helpValue: 'TIME' }),
  last: durationFlag({ summary: 'window that ends with --end or now: 24h, 7d, ...' }),
  'report-fields': Flags.string({
    ...list,
    summary: 'fields of every run, or all',
    helpValue: 'FIELD',
  }),
  field: Flags.string({ ...list, summary: 'same as --report-fields', helpValue: 'FIELD', hidden: true }),
  sort: Flags.string({ ...several, summary: 'order of the records, by one field', helpValue: 'FIELD[:asc|desc]' }),
  name: Flags.string({ summary: 'name of the report (default: by what it holds)', helpValue: 'NAME' }),
  like: Flags.string({
    summary: 'begin with the request of another report',
    helpValue: 'REPORT',
    exclusive: ['request'],
  }),
  request: Flags.string({ char: 'f', summary: 'begin with the request in a file, - for stdin', helpValue: 'FILE' }),
  engine: Flags.option({
    summary: 'made on the platform or locally (default: auto)',
    options: ENGINES,
    helpValue: 'WHO',
  })(),
};

const consent = {
  confirm: Flags.string({ summary: 'name of the protected context to make it on', helpValue: 'NAME' }),
};

const waiting = {
  timeout: durationFlag({ summary: 'longest wait for the report (default: 10m)' }),
  interval: durationFlag({ summary: 'time between checks (default: 2s)' }),
};

/** Flags of commands that speak to the platform about reports, which belong to no namespace. */
export const reportConnectionFlags = connection;

/** Flags that say what a report is to hold. */
export const requestFlags = { ...withTwins(selection, 'SELECTION'), ...withTwins(request, 'REQUEST') };

/** Flag of commands that leave a report on a platform, whose context may be protected. */
export const reportConsentFlags = withTwins(consent, 'REQUEST');

/** Flags of commands that wait for a report. */
export const waitFlags = withTwins(waiting, 'WAITING');

const listing = {
  status: Flags.option({
    ...list,
    summary: 'only reports with this status; repeatable',
    options: ['RUNNING', 'COMPLETED', 'FAILED'] as const,
    helpValue: 'STATUS',
  })(),
  name: Flags.string({ summary: 'only reports whose name matches the pattern', helpValue: 'GLOB' }),
  limit: Flags.integer({ summary: 'at most this many (default: all)', min: 0, helpValue: 'N' }),
  offset: Flags.integer({ summary: 'leave out the first ones', min: 0, helpValue: 'N' }),
  'all-pages': Flags.boolean({ summary: 'all of them, as without --limit', exclusive: ['limit'] }),
};

/** Flags of `report list`. */
export const reportListFlags = withTwins(listing, 'SELECTION');

const deletion = {
  status: listing.status,
  'older-than': durationFlag({ summary: 'only reports that were made longer ago: 7d, ...' }),
  force: Flags.boolean({
    summary: 'also what has been RUNNING for more than half an hour, or is broken so that the platform cannot tell',
  }),
};

/** Flags of `report delete`. */
export const reportDeleteFlags = withTwins(deletion, 'SELECTION');

/** The flags that say what a report is to hold. */
export type RequestFlags = InferredFlags<typeof requestFlags>;
