import * as z from 'zod/mini';
import { view } from '../view.js';

const text = z.optional(z.string());

const LogLine = z.looseObject({
  /** Milliseconds since the epoch. */
  timestamp: z.number(),
  timestampAt: z.string(),
  logLevel: text,
  threadName: text,
  loggerName: text,
  lineNumber: z.optional(z.number()),
  message: z.optional(z.nullable(z.string())),
  stackTrace: z.optional(z.nullable(z.string())),
  offset: z.string(),
});

/** Shows the lines of a log to other programs. */
export const logLineList = view({
  kind: 'LogLineList',
  none: 'no log lines found',
  schema: LogLine,
  name: ({ offset }) => offset,
  columns: [
    { key: 'timestampAt', header: 'TIME', value: ({ timestampAt }) => timestampAt, whole: true },
    { key: 'logLevel', header: 'LEVEL', value: ({ logLevel }) => logLevel },
    { key: 'message', value: ({ message }) => message },
    { key: 'stackTrace', value: ({ stackTrace }) => stackTrace, wide: true },
    { key: 'loggerName', header: 'LOGGER', value: ({ loggerName }) => loggerName, wide: true },
    { key: 'threadName', header: 'THREAD', value: ({ threadName }) => threadName, wide: true },
    { key: 'lineNumber', header: 'LINE', value: ({ lineNumber }) => lineNumber, wide: true },
  ],
});
