import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../src/emulator/http/answers.js';
import { generationOf } from '../../../src/emulator/store/generation.js';
import { readReportRequest } from '../../../src/emulator/resources/reports/request.js';

const ORDINARY = '"name":"q","start":1000,"end":2000,"fields":["program"]';
const INVALID = 'Request body is invalid json: ';
const STUMBLED = 'Exception occurred while handling request: ';
const WRONG = 'Please fix the following errors in the report generation request: ';

/** What a platform 6.1.1 answers with. */
function answerTo(source: string): string {
  try {
    return JSON.stringify(readReportRequest(source, generationOf('6.1.1')));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return `${error.answer.status} ${error.answer.body.toString()}`;
  }
}

describe('a request for a report on a platform 6.1.1', () => {
  it.each([
    [
      `{${ORDINARY},"filters":[{"fieldName":"runtimeArgs","range":{"min":1}}]}`,
      `500 ${STUMBLED}No applicable filter found for field "runtimeArgs" with value type java.lang.String.`,
    ],
    [
      `{${ORDINARY},"filters":[{"fieldName":"duration"}]}`,
      `500 ${STUMBLED}No applicable filter found for field "duration" with value type java.lang.Long.`,
    ],
    [
      `{${ORDINARY},"filters":[{"fieldName":"duration","range":null}]}`,
      `400 ${WRONG}Filter duration contains these errors: 'range' cannot be null`,
    ],
    [`{${ORDINARY},"filters":[null]}`, `500 ${STUMBLED}null`],
    [`{${ORDINARY},"filters":["a"]}`, `500 ${STUMBLED}Expected a JsonObject but found a com.google.gson.JsonPrimitive`],
    [`{${ORDINARY},"filters":[[]]}`, `500 ${STUMBLED}Expected a JsonObject but found a com.google.gson.JsonArray`],
    [
      `{${ORDINARY},"filters":"a"}`,
      `400 ${INVALID}java.lang.IllegalStateException: Expected BEGIN_ARRAY but was STRING at line 1 column 69`,
    ],
    [`{${ORDINARY},"sort":[null]}`, `500 ${STUMBLED}null`],
    [
      `{${ORDINARY},"filters":[],"sort":{}}`,
      `400 ${INVALID}java.lang.IllegalStateException: Expected BEGIN_ARRAY but was BEGIN_OBJECT at line 1 column 79`,
    ],
    [
      `{${ORDINARY},"filters":[{"fieldName":"namespace","whitelist":"a"}]}`,
      `400 ${INVALID}java.lang.IllegalStateException: Expected BEGIN_ARRAY but was STRING`,
    ],
    [
      `{${ORDINARY},"filters":[{"fieldName":"duration","range":5}]}`,
      `400 ${INVALID}java.lang.IllegalStateException: Expected BEGIN_OBJECT but was NUMBER`,
    ],
    [
      '{"name":"q","start":1.5,"end":2000,"fields":["program"],"filters":[]}',
      `400 ${INVALID}java.lang.NumberFormatException: Expected a long but was 1.5 at line 1 column 24`,
    ],
    [
      '{"name":"q","start":true,"end":2000,"fields":["program"],"filters":[]}',
      `400 ${INVALID}java.lang.IllegalStateException: Expected a long but was BOOLEAN at line 1 column 25`,
    ],
    [
      '{"name":"q","start":{},"end":2000,"fields":["program"],"filters":[]}',
      `400 ${INVALID}java.lang.IllegalStateException: Expected a long but was BEGIN_OBJECT at line 1 column 22`,
    ],
    [
      '{"name":"q","start":1,"end":2000,"fields":"program","filters":[]}',
      `400 ${INVALID}java.lang.IllegalStateException: Expected BEGIN_ARRAY but was STRING at line 1 column 44`,
    ],
  ])('%s is answered as the real one does', (source, answer) => {
    expect(answerTo(source)).toBe(answer);
  });

  it('is told again with its members in the order of the service', () => {
    const source = `{"sort":[{"fieldName":"start","order":"ASCENDING"}],"filters":[{"fieldName":"namespace","whitelist":[1]},{"fieldName":"duration","range":{"max":5}}],${ORDINARY},"colour":"red"}`;
    expect(answerTo(source)).toBe(
      `{${ORDINARY},"sort":[{"order":"ASCENDING","fieldName":"start"}],"filters":[{"whitelist":["1"],"fieldName":"namespace"},{"range":{"max":5},"fieldName":"duration"}]}`,
    );
  });
});
