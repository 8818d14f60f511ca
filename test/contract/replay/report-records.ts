import type { Seed } from '../../../src/emulator/seed/apply-seed.js';
import { recorded } from './recordings.js';

/** Path of the program of the report service. */
export const REPORT_SERVICE = '/v3/namespaces/system/apps/ReportGenerationApp/spark/ReportGenerationSpark';

type Records = NonNullable<NonNullable<Seed['reports']>['records']>;

/** The records of a recorded page, as far as the recording holds them. */
function recordsOf(file: string, id: string): Records {
  const body = recorded(file, id).response.body ?? '';
  const details = body.slice(body.indexOf('[{'));
  const whole = details.endsWith(']}') ? details.slice(0, -1) : `${details.slice(0, details.lastIndexOf(', {"run"'))}]`;
  return JSON.parse(whole) as Records;
}

interface Started extends Pick<Records[number], 'artifactScope' | 'start' | 'startMethod'> {
  /** The runtime arguments. */
  readonly runtimeArgs: Readonly<Record<string, string>>;
}

/** A run of a schedule or a trigger; the recordings show few of its fields. */
const started = ({ runtimeArgs, ...members }: Started): Records[number] => ({
  namespace: members.artifactScope === 'USER' ? 'rec_up' : 'etl_sched',
  artifactName: 'cdap-data-pipeline',
  artifactVersion: members.artifactScope === 'USER' ? '6.1.1' : '6.10.0',
  applicationName: members.startMethod === 'SCHEDULED' ? 'tick' : 'pipe',
  programType: 'Workflow',
  program: 'DataPipelineWorkflow',
  run: `run of ${members.start}`,
  status: 'COMPLETED',
  running: members.start + 1,
  end: members.start + (members.artifactScope === 'USER' ? 8 : 20),
  user: null,
  runtimeArgs: { ...runtimeArgs },
  ...members,
});

/** What the recorded service of 6.11.0 knew, as far as the recordings show it. */
export const RECORDS_6_11: Records = [
  ...recordsOf('6.11.0/reports.json', 'gen-download'),
  started({
    artifactScope: 'SYSTEM',
    start: 1_795_232_384,
    startMethod: 'TRIGGERED',
    runtimeArgs: { 'logical.start.time': '1795232384258' },
  }),
  started({
    artifactScope: 'SYSTEM',
    start: 1_795_231_784,
    startMethod: 'SCHEDULED',
    runtimeArgs: { 'logical.start.time': '1795231784258' },
  }),
];

/** What the recorded service of 6.1.1 knew, as far as the recordings show it. */
export const RECORDS_6_1: Records = [
  ...recordsOf('6.1.1/reports.json', 'gen1-download'),
  started({
    artifactScope: 'USER',
    start: 1_795_239_480,
    startMethod: 'SCHEDULED',
    runtimeArgs: { scheduleName: 'dataPipelineSchedule', kept: 'yes', 'logical.start.time': '1795239480954' },
  }),
  started({
    artifactScope: 'USER',
    start: 1_795_239_490,
    startMethod: 'TRIGGERED',
    runtimeArgs: { 'logical.start.time': '1795239490956' },
  }),
];
