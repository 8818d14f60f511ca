import { partsOf } from '../../core/collections.js';
import { CliError } from '../../core/errors.js';
import { parseDuration } from '../../core/duration.js';
import { parseTime } from '../../core/time.js';
import { closest, didYouMean } from '../../core/closest.js';
import type { ReportField } from '../../services/reports/request/fields.js';
import { knownField } from '../../services/reports/request/read-request.js';
import type { ReportFilter } from '../../services/reports/request/request.js';

/** A filter as it is sent, and what was made of the words that it was given in. */
export interface ParsedFilter {
  readonly filter: ReportFilter;
  readonly notes: readonly string[];
}

const SHAPE = /^\s*(\w+)\s*(!=|>=|<=|=|<|>)\s*(.*?)\s*$/su;
const LONGEST = 2000;
const EXAMPLE = 'write status=FAILED,KILLED, user!=alice, duration>=60 or start=2024-05-01..2024-05-02';
/** Fields with a closed set of values, spelled as the platform does. It compares them letter by letter. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  status: 'PENDING STARTING RUNNING SUSPENDED RESUMING STOPPING COMPLETED FAILED KILLED STOPPED REJECTED'.split(' '),
  artifactScope: ['SYSTEM', 'USER'],
  startMethod: ['MANUAL', 'SCHEDULED', 'TRIGGERED'],
  programType: ['Workflow', 'Spark', 'Mapreduce', 'Service', 'Worker', 'Flow'],
};
/** Statuses of runs that only the records of runs have (docs/platform.md 1.2, 2). */
const ONLY_RUNS: readonly string[] = ['PENDING', 'REJECTED'];
const TIMES: readonly string[] = ['start', 'running', 'end'];

/**
 * Parses a filter of the command line, such as `status=FAILED,KILLED`. Others are `user!=alice,bob`, `duration>=60` and
 * `start=2024-05-01..2024-05-02`, whose upper end is excluded. `now` is in milliseconds. Times without a zone are
 * local, or UTC with `utc`.
 * @throws USAGE when it is anything else
 */
export function parseFilter(text: string, now: number, utc = false): ParsedFilter {
  const [, name, operator = '', value = ''] = SHAPE.exec(text.slice(0, LONGEST)) ?? [];
  const shown = JSON.stringify(text.slice(0, 60));
  if (name === undefined || text.length > LONGEST)
    throw new CliError('USAGE', `${shown} is not a filter`, { hints: [EXAMPLE] });
  const field = knownField(name, `filter ${shown}`, (problem) => {
    throw new CliError('USAGE', problem, { hints: ['cdapctl report fields'] });
  });
  if (field?.filter === 'values') return valuesFilter(field.name, operator, value, shown);
  if (field?.filter === 'range') return { filter: rangeFilter(field, operator, value, { shown, now, utc }), notes: [] };
  throw new CliError('USAGE', `filter ${shown}: field ${name} cannot be used in a filter`);
}

/**
 * The filter that keeps runs with one of some values in a field.
 * @throws USAGE for words that the field never has
 */
export function valuesFilter(fieldName: string, operator: string, text: string, shown: string): ParsedFilter {
  if (operator !== '=' && operator !== '!=')
    throw new CliError('USAGE', `filter ${shown}: field ${fieldName} is text; use = or !=`);
  const words = partsOf(text);
  if (words.includes('')) throw new CliError('USAGE', `filter ${shown}: a value is missing`, { hints: [EXAMPLE] });
  const notes: string[] = [];
  const values = [...new Set(words.flatMap((word) => wordsOf(fieldName, word, notes)))];
  const unheard = fieldName === 'status' && operator === '=' ? values.filter((one) => ONLY_RUNS.includes(one)) : [];
  if (unheard.length > 0)
    notes.push(`the report service does not know runs with status ${unheard.join(' or ')}; use --engine runs`);
  if (fieldName === 'artifactScope') notes.push('artifactScope: platform 6.1 reports USER for all runs');
  if (fieldName === 'user' && operator === '!=') notes.push('a filter on user also excludes runs with unknown user');
  return { filter: operator === '=' ? { fieldName, whitelist: values } : { fieldName, blacklist: values }, notes };
}

function wordsOf(fieldName: string, word: string, notes: string[]): readonly string[] {
  const closed = WORDS[fieldName];
  if (closed === undefined) return [word];
  const known = closed.find((one) => one.toUpperCase() === word.toUpperCase());
  if (known === undefined) {
    const near = closest(word, closed);
    throw new CliError(
      'USAGE',
      `field ${fieldName} is never ${JSON.stringify(word.slice(0, 40))}: it is ${closed.join(', ')}`,
      {
        hints: didYouMean(near),
      },
    );
  }
  if (fieldName !== 'status' || known !== 'STOPPED') return [known];
  notes.push('status STOPPED is sent as STOPPED and KILLED: the platform stores KILLED');
  return ['STOPPED', 'KILLED'];
}

interface FilterContext {
  readonly shown: string;
  readonly now: number;
  readonly utc: boolean;
}

function rangeFilter(
  { name }: ReportField,
  operator: string,
  text: string,
  filterContext: FilterContext,
): ReportFilter {
  const { shown } = filterContext;
  const range = (min: number | undefined, max: number | undefined): ReportFilter => {
    if (min !== undefined && max !== undefined && min >= max)
      throw new CliError(
        'USAGE',
        `filter ${shown}: field ${name}: the start of the range must be below its end, which is excluded`,
      );
    return { fieldName: name, range: { ...(min !== undefined && { min }), ...(max !== undefined && { max }) } };
  };
  if (operator === '=') {
    const [, from, to] = /^(.*?)\.\.(.*)$/su.exec(text) ?? [];
    if (from === undefined || to === undefined || from + to === '')
      throw new CliError('USAGE', `filter ${shown}: field ${name} needs a range`, {
        hints: [`${name}=FROM..TO with TO excluded, ${name}>=FROM or ${name}<TO`],
      });
    return range(
      from === '' ? undefined : bound(name, from, filterContext),
      to === '' ? undefined : bound(name, to, filterContext),
    );
  }
  if (operator === '!=') throw new CliError('USAGE', `filter ${shown}: field ${name} is numeric; use a range, >= or <`);
  const limit = bound(name, text, filterContext);
  if (operator === '>=') return range(limit, undefined);
  if (operator === '<') return range(undefined, limit);
  return operator === '>' ? range(limit + 1, undefined) : range(undefined, limit + 1);
}

/** A number, for times also a time and for durations one with a unit; in seconds. */
function bound(name: string, text: string, { shown, now, utc }: FilterContext): number {
  const value = text.trim();
  try {
    if (TIMES.includes(name)) return Math.floor(parseTime(value, now, utc) / 1000);
    if (/^\d{1,15}$/u.test(value)) return Number(value);
    if (name === 'duration') return Math.floor(parseDuration(value) / 1000);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new CliError(error.code, `filter ${shown}: field ${name}: ${error.message}`, error.details);
  }
  throw new CliError('USAGE', `filter ${shown}: field ${name} needs an integer`);
}
