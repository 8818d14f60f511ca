import * as Args from '@oclif/core/args';
import type { InferredFlags } from '@oclif/core/interfaces';
import { BaseCommand } from '../cli/base-command.js';
import type { CommandContext } from '../cli/context-types.js';
import { connectionFlags } from '../flags/connection.js';
import { consentFlags } from '../flags/consent.js';
import { installFlags } from '../flags/install.js';
import { hubFlags } from '../flags/select.js';
import { trustFlags } from '../flags/trust.js';
import { installsOf, refuseSeveral, withInstalled, type NamedInstall } from '../flows/install/locked.js';
import { findPackage } from '../flows/install/find-package.js';
import { runInstall } from '../flows/install/install.js';
import { typedInputs } from '../flows/install/inputs.js';
import type { InstallOptions, InstallRequest } from '../flows/install/install-run.js';
import { verifyFirst } from '../flows/install/prepare.js';
import { formatOf } from '../cli/line/argv.js';
import { refuseNamespaces } from '../cli/settings.js';
import { readPlanFile, writePlanFile } from '../flows/plan-file.js';
import { probeOutputs } from '../flows/probe-outputs.js';
import { CliError } from '../core/errors.js';
import { isMachineFormat } from '../output/format.js';
import { installsView, installView } from '../output/views/install.js';
import { readAgreedPlan } from '../services/install/plan/agreed-plan.js';
import type { InstallResult } from '../services/install/plan/install-result.js';

const lineFlags = { ...consentFlags, ...installFlags, ...hubFlags, ...trustFlags, ...connectionFlags };

type TypedInputs = InstallRequest['typed'];

type InstallFlags = InferredFlags<typeof lineFlags> & { readonly yes: boolean };

const LARGEST_PLAN = 16 * 1024 * 1024;

export default class Install extends BaseCommand {
  static override summary = 'Verify a package and install it into a namespace';
  static override description =
    'Everything is read, verified and planned before the first change, and of a lock file all packages before the first install, except their JARs. To resume an interrupted install, run the same command again: completed actions are checked, not repeated.\nA values file (-f) sets the same options as flags, in YAML or JSON: acceptLicense: true, actions: { 1: { jar: ./driver.jar }, 2: { set: { name: Nightly } } }. All paths are relative to the current folder.\nWith --locked, or a lock file instead of a values file, only the versions and files pinned by cdapctl hub lock are installed, from the pinned hub unless --hub names another.\nWith --plan, values come from the plan unless given as flags; JARs and --accept-license must be given again.';
  static override examples = [
    'cdapctl install example-trim-fields -y',
    'cdapctl install example-trim-fields@1.10.0 -n default --dry-run',
    'cdapctl install example-trim-fields --plan-out plan.json',
    'cdapctl install example-csv-copy --set 1.name=NightlyCopy -y',
    'cdapctl install example-postgres-driver --jar 2=postgresql.jar -y --no-input',
    'cdapctl install -f packages.lock -y',
    'cdapctl install ./downloads/example-trim-fields/1.10.0 -y --json',
  ];
  static override failures = [
    'PACKAGE_NOT_FOUND',
    'INCOMPATIBLE',
    'PLAN_CHANGED',
    'SIG_BAD',
    'SIG_DISPUTED',
    'LOCK_MISMATCH',
    'CHANGES',
    'INSTALL_PARTIAL',
    'REMOTE_FAILED',
    'BAD_ACTION',
    'CONSENT_MISSING',
    'DECLINED',
    'UNKNOWN_OUTCOME',
  ] as const;
  static override changes = 'platform' as const;
  static override seeAlso = ['cdapctl hub show', 'cdapctl hub verify', 'cdapctl help trust'];
  static override args = {
    package: Args.string({
      description: '[HUB/]NAME[@VERSION], or ./FOLDER; with a lock file (-f), omit it to install all',
    }),
  };
  static override flags = lineFlags;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Install);
    if (this.onLine.has('detailed-exitcode') && flags['dry-run'] === undefined && flags['plan-out'] === undefined)
      throw new CliError('USAGE', '--detailed-exitcode needs --dry-run or --plan-out');
    const { locked, values } = flags;
    const { installs, fromLockFile } = await installsOf({ named: args.package, locked, values });
    if ((flags.plan ?? flags['plan-out']) !== undefined) refuseSeveral(installs);
    await probeOutputs(flags);
    const isHubGiven = this.onLine.has('hub');
    // The hub of a lock file is found as --hub would find it, unless the line has one.
    if (installs.some(({ hub }) => hub !== undefined)) this.onLine = new Set([...this.onLine, 'hub']);
    // Programs get one document, also of several packages.
    const format = formatOf(this.session.argv, this.session.env);
    const isText = ['table', 'wide'].includes(format);
    const isList = installs.length > 1 && !isText;
    const results: InstallResult[] = [];
    const own = fromLockFile ? { ...flags, values: undefined } : flags;
    const flagsOf = ({ hub }: NamedInstall): InstallFlags =>
      hub === undefined || isHubGiven ? own : { ...own, hub: [hub] };
    // Once, as stdin can be read only once.
    const typed = await typedInputs(own, this.signal);
    // None is installed if another one cannot be.
    if (installs.length > 1 && flags['dry-run'] === undefined)
      for (const one of installs) await verifyFirst(await this.open(one, flagsOf(one), typed));
    for (const one of installs) {
      const install = this.install(one, flagsOf(one), typed);
      const result = await install.catch(async (error: unknown) => {
        // What is one document has them in its error.
        if (isList && results.length > 0 && !isMachineFormat(format)) await this.show(installsView, { items: results });
        throw installs.length > 1 ? withInstalled(error, results) : error;
      });
      results.push(result);
      if (!isList) await this.show(installView, result);
    }
    if (isList) await this.show(installsView, { items: results });
    const wouldChange = results.some(({ state, actions }) => state === 'planned' && actions.some((one) => one.writes));
    if (flags['detailed-exitcode'] && wouldChange) throw new CliError('CHANGES', 'the install would make changes');
  }

  private async open(one: NamedInstall, flags: InstallFlags, typed: TypedInputs): Promise<InstallOptions> {
    const context = await this.context(flags);
    refuseNamespaces(context.found);
    // What is wrong on the line itself is told before anybody is asked.
    const request = await requestOf({ ...one, typed }, flags, context);
    const target = flags['dry-run'] === 'offline' ? undefined : await context.platform();
    const { named, argv, ...place } = await findPackage(context, one.named, target?.version, this.session);
    // Commands that go on later name the hub that was chosen.
    const session = { ...this.session, argv };
    return { session, context, request: { ...request, named }, target, place };
  }

  private async install(one: NamedInstall, flags: InstallFlags, typed: TypedInputs): Promise<InstallResult> {
    const options = await this.open(one, flags, typed);
    const result = await runInstall(options);
    if (flags['plan-out'] !== undefined) await writePlanFile(flags['plan-out'], installView, result, this.session);
    return result;
  }
}

async function requestOf(
  one: NamedInstall & Pick<InstallRequest, 'typed'>,
  flags: InstallFlags,
  { found }: CommandContext,
): Promise<InstallRequest> {
  return {
    ...one,
    selection: {
      skip: flags.skip ?? [],
      only: flags.only ?? [],
      stopBefore: flags['stop-before'],
      skipUnknown: flags['skip-unknown'],
    },
    dryRun: flags['dry-run'] ?? (flags['plan-out'] === undefined ? undefined : 'online'),
    again: flags.again,
    force: flags.force,
    forceSet: flags['force-set'],
    assumeSystem: flags['assume-system'],
    yes: flags.yes,
    namespace: found.settings.namespace?.value ?? 'default',
    toAgree: flags['plan-out'] !== undefined,
    agreed:
      flags.plan === undefined ? undefined : readAgreedPlan(await readPlanFile(flags.plan, LARGEST_PLAN), flags.plan),
  };
}
