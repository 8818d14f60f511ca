import { FAIL, type RunFact } from '../store/run-fact.js';
import type { Store } from '../store/store.js';

interface Cause {
  readonly className: string;
  readonly message: string;
}

/** Why a run failed, as its nodes and its log tell it (docs/platform.md 11). */
export interface RunFailure {
  /** The outermost first. */
  readonly causes: readonly Cause[];
  /** The trace of the task that failed, with the class of a plugin in it. */
  readonly stack: string;
}

const REASON: Cause = {
  className: 'java.lang.IllegalArgumentException',
  message: "Cannot parse <n/a> as number & 'x'",
};
const EXECUTION = 'java.util.concurrent.ExecutionException';
const textOf = ({ className, message }: Cause): string => `${className}: ${message}`;

/** The failure of a run, in the stage that its argument `emulator.fail` names. */
export function failureOf(run: RunFact, store: Pick<Store, 'application' | 'generation'>): RunFailure {
  const stage = run.runtimeArguments[FAIL];
  const application = store.application(run.namespace, run.application);
  const ran = application?.versions.find(({ version }) => version === run.version);
  const plugin = ran?.plugins.find(({ id }) => id === stage)?.name ?? 'Project';
  const frames = [
    `\tat io.cdap.plugin.core.${plugin}.transform(${plugin}.java:120)`,
    '\tat io.cdap.cdap.etl.common.TrackedTransform.transform(TrackedTransform.java:74)',
  ];
  const end = ['\tat java.lang.Thread.run(Thread.java:750)', ''];
  // Seen on 6.11.0, not on 6.1.1.
  if (stage === undefined || store.generation.platform !== '6.11.0')
    return {
      causes: [{ className: EXECUTION, message: textOf(REASON) }, REASON],
      stack: [textOf(REASON), ...frames, ...end].join('\n'),
    };
  const named = { className: EXECUTION, message: `Error when transforming stage ${stage}: ${textOf(REASON)}` };
  const call = '\tat io.cdap.cdap.etl.spark.function.TransformFunction.call(TransformFunction.java:61)';
  return {
    causes: [{ className: EXECUTION, message: 'org.apache.spark.SparkException: Job aborted.' }, named, REASON],
    stack: [textOf(named), call, ...end.slice(0, 1), `Caused by: ${textOf(REASON)}`, ...frames, ''].join('\n'),
  };
}
