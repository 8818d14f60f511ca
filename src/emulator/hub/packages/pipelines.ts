import type { SamplePackage } from './sample-package.js';
import { fixed, informational, open, specification } from './parts.js';
import { filePipeline } from './pipeline-config.js';

const CONFIG = 'pipeline.json';
const BATCH = { scope: 'system', name: 'cdap-data-pipeline', version: '[6.11.0, 7.0.0)' };

function csvCopy(): SamplePackage {
  const spec = specification({
    label: 'CSV Copy',
    description:
      'A pipeline that copies delimited files with two columns. Give the runtime arguments input.path and output.path when it is started.',
    created: 1_717_200_000,
    categories: ['pipeline', 'example'],
    cdapVersion: '[6.11.0,7.0.0)',
    actions: [
      {
        type: 'create_pipeline',
        label: 'Create the pipeline',
        arguments: [...fixed({ artifact: BATCH, config: CONFIG }), open('name', 'CsvCopy')],
      },
    ],
  });
  const config = filePipeline({ input: '${input.path}', output: '${output.path}' });
  return { name: 'example-csv-copy', version: '1.0.0', spec, resources: { [CONFIG]: config } };
}

function draftReport(): SamplePackage {
  const spec = specification({
    label: 'Draft Report',
    description: 'A draft of a pipeline that copies a report, to be finished in the pipeline studio.',
    created: 1_717_286_400,
    categories: ['pipeline', 'usecase'],
    cdapVersion: '[6.1.0,7.0.0)',
    actions: [
      informational(
        'Before you begin',
        'The draft appears in the pipeline studio.',
        'Fill in both paths before you deploy it.',
      ),
      {
        type: 'create_pipeline_draft',
        label: 'Create the draft',
        arguments: [
          ...fixed({ artifact: { ...BATCH, version: '6.11.0' }, config: CONFIG }),
          open('name', 'DraftReport'),
        ],
      },
    ],
  });
  return {
    name: 'example-draft-report',
    version: '1.0.0',
    spec,
    resources: { [CONFIG]: filePipeline({ input: 'file:///reports/in', output: 'file:///reports/out' }) },
  };
}

/** Packages that hold a pipeline and nothing else: one to be deployed, one as a draft. */
export function pipelinePackages(): SamplePackage[] {
  return [csvCopy(), draftReport()];
}
