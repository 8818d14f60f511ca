// Names what failed, so that the end of a long output says it again.
import { stripVTControlCharacters } from 'node:util';

/** The cases that failed in a JSON report of vitest: file, name and the first line of the message. */
export function failuresOf(report) {
  return (report?.testResults ?? []).flatMap(({ name, message, assertionResults }) => {
    const file = name.replace(/^.*\/test\//u, 'test/');
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    const line = (text) => stripVTControlCharacters(text ?? '').split('\n', 1)[0];
    // A file that could not be read has no cases.
    if (failed.length === 0) return message ? [`${file}: ${line(message)}`] : [];
    return failed.map(({ fullName, failureMessages }) => `${file} > ${fullName}: ${line(failureMessages[0])}`);
  });
}
