import * as Flags from '@oclif/core/flags';
import type { InferredFlags } from '@oclif/core/interfaces';
import { ENGINES } from '../../services/reports/choose-engine.js';
import { connectionFlags } from '../connection.js';
import { withTwins } from '../environment-names.js';
import { durationFlag, list, pipelineFlag, several } from '../values.js';

const { namespace: one, ...connection } = connectionFlags;

const selection = {
  namespace: Flags.string({
    ...list,
    char: 'n',
    summary: 'only runs in this namespace (default: from the context, else all); repeatable',
    helpValue: one.helpValue ?? 'NS',
  }),
  'all-namespaces': Flags.boolean({ char: 'A', summary: 'runs in all namespaces, even if the context sets one' }),
  pipeline: pipelineFlag({ ...list, summary: 'only runs of matching pipelines; repeatable' }),
  status: Flags.string({ ...list, summary: 'only runs with status FAILED, KILLED, ...; repeatable' }),
  'all-programs': Flags.boolean({
    summary: 'one record per program instead of per run',
  }),
  'program-type': Flags.string({
    ...list,
    summary: 'only programs of this type: Workflow, Spark, ...; repeatable',
    helpValue: 'TYPE',
  }),
  user: Flags.string({ ...list, summary: 'only runs started by this user; repeatable', helpValue: 'NAME' }),
  filter: Flags.string({
    ...several,
    summary: 'more conditions: user!=alice, duration>=60, start=FROM..TO; repeatable',
    helpValue: 'EXPR',
  }),
};

const request = {
  start: Flags.string({
    summary: 'start of the time window: yesterday, now-24h, ...',
    helpValue: 'TIME',
    exclusive: ['last'],
  }),
  end: Flags.string({
    summary: 'end of the time window (default: now)',
    helpValue: 'TIME',
  }),
  last: durationFlag({ summary: 'time window up to --end or now: 24h, 7d, ...' }),
  'report-fields': Flags.string({
    ...list,
    summary: 'fields of each record, or all',
    helpValue: 'FIELD',
  }),
  field: Flags.string({ ...list, summary: 'same as --report-fields', helpValue: 'FIELD', hidden: true }),
  sort: Flags.string({ summary: 'sort records by one field', helpValue: 'FIELD[:asc|desc]' }),
  name: Flags.string({ summary: 'name of the report (default: from the request)', helpValue: 'NAME' }),
  like: Flags.string({
    summary: 'start from the request of another report',
    helpValue: 'REPORT',
    exclusive: ['request'],
  }),
  request: Flags.string({ char: 'f', summary: 'start from the request in a file, - for stdin', helpValue: 'FILE' }),
  engine: Flags.option({
    summary: 'generate on the platform or from run records (default: auto)',
    options: ENGINES,
    helpValue: 'WHO',
  })(),
};

const consent = {
  confirm: Flags.string({ summary: 'confirm the protected context by its name', helpValue: 'NAME' }),
};

const waiting = {
  timeout: durationFlag({ summary: 'maximum time to wait for the report (default: 10m)' }),
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
  limit: Flags.integer({ summary: 'maximum number of reports (default: all)', min: 0, helpValue: 'N' }),
  offset: Flags.integer({ summary: 'skip this many reports', min: 0, helpValue: 'N' }),
  'all-pages': Flags.boolean({ summary: 'list all reports (the default without --limit)', exclusive: ['limit'] }),
};

/** Flags of `report list`. */
export const reportListFlags = withTwins(listing, 'SELECTION');

const deletion = {
  status: listing.status,
  'older-than': durationFlag({ summary: 'only reports older than this: 7d, ...' }),
  force: Flags.boolean({
    summary: 'also delete reports that are RUNNING for more than 30 minutes or have no readable status',
  }),
};

/** Flags of `report delete`. */
export const reportDeleteFlags = withTwins(deletion, 'SELECTION');

/** The flags that say what a report is to hold. */
export type RequestFlags = InferredFlags<typeof requestFlags>;
