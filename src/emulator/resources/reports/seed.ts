import * as z from 'zod/mini';
import type { RunFact } from '../../store/run-fact.js';

const Text = z.string();
const Second = z.optional(z.nullable(z.int()));

/** A run as a record of a report tells it, all fields asked for. `duration` and the counts are not read. */
export const ReportRecord = z.looseObject({
  namespace: Text,
  artifactScope: z.enum(['SYSTEM', 'USER']),
  artifactName: Text,
  artifactVersion: Text,
  applicationName: Text,
  applicationVersion: z.optional(Text),
  programType: Text,
  program: Text,
  run: Text,
  status: Text,
  start: z.int(),
  running: Second,
  end: Second,
  user: z.optional(z.nullable(Text)),
  startMethod: z.enum(['MANUAL', 'SCHEDULED', 'TRIGGERED']),
  runtimeArgs: z.optional(z.record(Text, Text)),
});

/** The run that a record tells of. */
export function runOfRecord(record: z.infer<typeof ReportRecord>): RunFact {
  const { artifactName: name, artifactVersion, artifactScope: scope, applicationVersion = '-SNAPSHOT' } = record;
  const { run: id, namespace, applicationName, programType, program, status, startMethod, start } = record;
  return {
    id,
    namespace,
    application: applicationName,
    version: applicationVersion,
    artifact: { name, version: artifactVersion, scope },
    type: programType,
    program,
    status,
    startMethod,
    start,
    user: record.user ?? undefined,
    running: record.running ?? undefined,
    end: record.end ?? undefined,
    runtimeArguments: record.runtimeArgs ?? {},
  };
}
