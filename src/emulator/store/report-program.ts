import type { ApplicationVersion, Program } from './model.js';

/** The program of the report service. */
export const REPORT_SPARK: Program = { type: 'Spark', name: 'ReportGenerationSpark', description: '' };
/** What the report service keeps its reports in. */
export const REPORT_DATASETS: ApplicationVersion['datasets'] = [
  { name: 'ReportFileset', classname: 'io.cdap.cdap.api.dataset.lib.FileSet' },
];
