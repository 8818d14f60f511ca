import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of tests that take long for their size, longest first: at the end of a run they would work alone. */
const LONGEST = [
  'guides.e2e.ts',
  'upgrade-kill.fault.ts',
  'help-examples-third.e2e.ts',
  'help-examples-second.e2e.ts',
  'help-examples-first.e2e.ts',
  'readme.e2e.ts',
  'pipeline-logs.e2e.ts',
  'install-kill.fault.ts',
  'pipeline-runs.e2e.ts',
];

/** Runs files by their size, the largest first, after those that take longest. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => LONGEST.indexOf(basename(moduleId)) >>> 0;
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}
