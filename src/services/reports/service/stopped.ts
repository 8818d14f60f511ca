import { CliError } from '../../../core/errors.js';
import { capabilitiesOf } from '../../../platform/capabilities.js';
import type { Platform } from '../../../platform/client.js';
import { listRuns, type RunRecord } from '../../../platform/runs.js';
import { REPORT_ARTIFACT, REPORT_PROGRAM, reportArtifact } from './state.js';

/**
 * The capability file that makes a server deploy the report service and keep it running. For 6.3 and later
 * (docs/platform.md 1.1); `version` is that of its artifact.
 */
export function capabilityFile(version: string): string {
  const { namespace, application, program } = REPORT_PROGRAM;
  const file = {
    label: 'Reports',
    status: 'ENABLED',
    capability: 'reports',
    applications: [
      {
        namespace,
        name: application,
        version: '-SNAPSHOT',
        artifact: { name: REPORT_ARTIFACT, version, scope: 'SYSTEM' },
        config: {},
      },
    ],
    programs: [{ type: 'SPARK', application, name: program, namespace, version: '-SNAPSHOT', args: {} }],
  };
  return `${JSON.stringify(file, undefined, 1)}\n`;
}

/** The newest run of the program of the service. */
export async function newestServiceRun(platform: Platform, signal: AbortSignal): Promise<RunRecord | undefined> {
  const { namespace, application: app, type, program } = REPORT_PROGRAM;
  return (await platform.find(listRuns, { namespace, app, type, program, limit: 1 }, signal))?.[0];
}

/**
 * The error of a service that does not run although it was started: REPORTS_STOPPED or REMOTE_FAILED. REPORTS_STOPPED
 * when the platform stopped it, with the capability file that prevents it; REMOTE_FAILED when it failed.
 */
export async function stoppedAgain(platform: Platform, version: string, signal: AbortSignal): Promise<CliError> {
  const { namespace, application: app, type, program } = REPORT_PROGRAM;
  const run = await newestServiceRun(platform, signal);
  const target = { application: app, program, ...(run !== undefined && { run: run.runid, status: run.status }) };
  if (run?.status === 'FAILED')
    return new CliError('REMOTE_FAILED', 'the report service was started, but failed', {
      hints: [
        `for the reason, see its log: GET ${platform.base}/v3/namespaces/${namespace}/apps/${app}/${type}/${program}/runs/${run.runid}/logs`,
        { next: 'make-from-runs' },
      ],
      target,
    });
  const message = 'the platform stopped the report service again';
  if (!capabilitiesOf(version).stopsSystemPrograms)
    return new CliError('REPORTS_STOPPED', message, {
      hints: [{ next: 'report-service' }, { next: 'make-from-runs' }],
      target,
    });
  const artifact = (await reportArtifact(platform, signal))?.version ?? version;
  return new CliError('REPORTS_STOPPED', `${message}: no capability file of its server lists it`, {
    lines: [
      'ask an administrator of the server to add this file to its folder capability.config.dir:',
      ...capabilityFile(artifact).trimEnd().split('\n'),
    ],
    hints: [
      // Where every deploy makes a new version, the one that was deployed over HTTP stands in the way of the file.
      ...(capabilitiesOf(version).applicationVersions ? [{ next: 'delete-report-app' } as const] : []),
      { next: 'write-capability-file' },
      { next: 'make-from-runs' },
    ],
    target,
  });
}
