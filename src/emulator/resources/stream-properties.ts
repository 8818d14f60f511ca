import { empty, Refusal, refuse } from '../http/answers.js';
import { endOfInput, isObject, parseJson, stringOf, type JsonObject } from '../http/json.js';
import type { Stream } from '../store/model.js';

/** The largest value that the platform knows, as a JavaScript number; a real platform sends ...775. */
const FOREVER_SECONDS = 9_223_372_036_854_776;
const THRESHOLD_MB = 1024;
const FORMATS = ['avro', 'clf', 'combined', 'csv', 'grok', 'stream', 'syslog', 'text', 'tsv'];
const WRONG =
  'Invalid stream configuration. Please check that the configuration is a valid JSON Object with a valid schema. Cause: ';

/** A stream as it is made when nothing is said of it. */
export function newStream(namespace: string, name: string): Stream {
  const format = { name: 'text', schema: schemaOf('text'), settings: {} };
  return { namespace, name, ttl: FOREVER_SECONDS, format, threshold: THRESHOLD_MB, events: [] };
}

/**
 * Reads properties as they are put, or sent with a create: those that are named. Refuses wrong ones with 400
 * (docs/platform.md 7).
 */
export function readStreamProperties(body: string): Partial<Stream> {
  const value = parseJson(body);
  if (body === '' || value === null) throw new Refusal(empty(500));
  if (value === undefined) refuse(400, `${WRONG}${endOfInput(body)}`);
  if (!isObject(value)) refuse(400, `${WRONG}java.lang.IllegalStateException: Not a JSON Object: ${body}`);
  const [ttl, threshold] = ['ttl', 'notification.threshold.mb'].map((name) => whole(value, name));
  if (ttl !== undefined && ttl < 0) refuse(400, `Invalid TTL ${ttl * 1000}. TTL value should be positive.`);
  const format = isObject(value['format']) ? formatOf(value['format']) : undefined;
  if (threshold !== undefined && threshold <= 0) {
    refuse(400, `Invalid threshold ${threshold}. Threshold value should be greater than zero.`);
  }
  const description = stringOf(value, 'description');
  return {
    ...(ttl === undefined ? {} : { ttl }),
    ...(format === undefined ? {} : { format }),
    ...(threshold === undefined ? {} : { threshold }),
    ...(description === undefined ? {} : { description }),
  };
}

function whole(object: JsonObject, name: string): number | undefined {
  const value = object[name];
  if (value === undefined || value === null) return undefined;
  const number = typeof value === 'object' ? Number.NaN : Number(value);
  return Number.isInteger(number) ? number : refuse(400, `${WRONG}For input string: ${JSON.stringify(value)}`);
}

function formatOf(format: JsonObject): Stream['format'] {
  const name = stringOf(format, 'name') ?? refuse(400, 'A format name must be specified.');
  if (!FORMATS.includes(name)) refuse(400, `Invalid format, unable to instantiate format ${name}`);
  const settings = isObject(format['settings']) ? format['settings'] : {};
  return { name, schema: format['schema'] ?? schemaOf(name), settings };
}

function schemaOf(format: string): unknown {
  if (format === 'text') return { type: 'record', name: 'stringBody', fields: [{ name: 'body', type: 'string' }] };
  const fields = [{ name: 'body', type: { type: 'array', items: 'string' } }];
  return { type: 'record', name: 'streamEvent', fields };
}
