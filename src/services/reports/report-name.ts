import { formatTime } from '../../core/time.js';
import type { ReportRequest } from './request.js';

const MOST_VALUES = 3;

/** A name that tells what a report holds: `etl FAILED 2024-05-01 22:00 to 2024-05-02 22:00 UTC`. */
export function reportName({ start, end, filters }: Omit<ReportRequest, 'name'>): string {
  const values = (fieldName: string): readonly string[] => {
    const found = filters.find((filter) => filter.fieldName === fieldName);
    // The platform has no such status: it stands for KILLED, which is sent with it.
    const all = (found !== undefined && 'whitelist' in found ? found.whitelist : []).filter((one) => one !== 'STOPPED');
    return all.length <= MOST_VALUES ? all : [...all.slice(0, MOST_VALUES), 'and more'];
  };
  const words = ['namespace', 'applicationName', 'programType', 'status', 'user'].map((field) =>
    values(field).join(' '),
  );
  const of = words.filter((word) => word !== '').join(' ');
  return `${of === '' ? 'all runs' : of} ${minute(start)} to ${minute(end)} UTC`;
}

function minute(seconds: number): string {
  return formatTime(seconds * 1000)
    .replace('T', ' ')
    .replace(/(:\d\d):\d\d(?:\.\d+)?Z$/u, '$1');
}
