/** A kind of pipeline: the artifact it is made of, and the program whose runs are its runs. */
export interface PipelineKind {
  readonly kind: 'batch' | 'realtime';
  readonly artifact: string;
  /** The type of the program as calls for several at once name it, and as paths do. */
  readonly programType: 'Workflow' | 'Spark';
  readonly path: 'workflows' | 'spark';
  readonly program: string;
}

/** The kinds of pipelines. Programs inside of theirs have runs of their own. */
export const PIPELINE_KINDS: readonly PipelineKind[] = [
  {
    kind: 'batch',
    artifact: 'cdap-data-pipeline',
    programType: 'Workflow',
    path: 'workflows',
    program: 'DataPipelineWorkflow',
  },
  {
    kind: 'realtime',
    artifact: 'cdap-data-streams',
    programType: 'Spark',
    path: 'spark',
    program: 'DataStreamsSparkStreaming',
  },
];

/** The kind of the pipelines that an artifact makes; undefined for one of other applications. */
export const kindOfArtifact = (artifact: string): PipelineKind | undefined =>
  PIPELINE_KINDS.find((kind) => kind.artifact === artifact);
