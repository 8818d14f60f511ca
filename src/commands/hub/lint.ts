import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { formatOf } from '../../cli/line/argv.js';
import { expandHome } from '../../cli/line/local-path.js';
import { counted } from '../../core/counted.js';
import { CliError } from '../../core/errors.js';
import { connectionFlags } from '../../flags/connection.js';
import { forceFileFlag, list } from '../../flags/values.js';
import { asTyped, lintFor, severitiesOf, writeLint } from '../../flows/hub/lint.js';
import { isMachineFormat } from '../../output/format.js';
import { lintFaults, lintRules } from '../../output/views/hub/lint.js';
import { RULES } from '../../services/hosting/lint/rule-list.js';

export default class HubLint extends BaseCommand {
  static override summary = 'Check the packages of a hub before they are published';
  static override description =
    'Reads the packages of DIR, or single packages (DIR/packages/NAME/VERSION), and lists all errors and warnings with file, line and rule. Nothing is changed without --fix. Exits with 12 if there is an error, with 0 if there are only warnings.';
  static override examples = [
    'cdapctl hub lint ./my-hub',
    'cdapctl hub lint ./my-hub/packages/example/1.0.0 --json',
    'cdapctl hub lint ./my-hub --rule RANGE_EMPTY=off --rule REF_UNUSED=error',
    'cdapctl hub lint ./my-hub --fix',
    'cdapctl hub lint ./my-hub --against https://hub.example.com/v2',
  ];
  static override failures = ['LOCKED', 'HUB_NOT_FOUND', 'BAD_SOURCE', 'SIG_BAD', 'TOO_LARGE', 'LOCAL_IO'] as const;
  static override seeAlso = ['cdapctl hub build', 'cdapctl hub sign', 'cdapctl hub verify'];
  static override args = {
    dir: Args.string({
      multiple: true,
      description: 'folder that contains packages, or the folder of a package version',
    }),
  };
  static override flags = {
    rule: Flags.string({
      ...list,
      summary: 'severity of a rule: off, warn or error; repeatable',
      helpValue: 'ID=SEVERITY',
    }),
    junit: Flags.string({ summary: 'also write a JUnit report', helpValue: 'FILE' }),
    sarif: Flags.string({ summary: 'also write a SARIF 2.1.0 report', helpValue: 'FILE' }),
    baseline: Flags.string({ summary: 'ignore the errors and warnings listed in this file', helpValue: 'FILE' }),
    'baseline-out': Flags.string({
      summary: 'write the errors and warnings to a file for --baseline, and exit with 0',
      helpValue: 'FILE',
      exclusive: ['baseline'],
    }),
    'changed-since': Flags.string({
      summary:
        'reject package versions with files that have changed (committed or staged) since this Git commit (VERSION_NOT_RAISED)',
      helpValue: 'REF',
    }),
    fix: Flags.boolean({ summary: 'fix CREATED_RANGE and RANGE_SNAPSHOT where the fix is unambiguous' }),
    against: Flags.string({
      summary: 'URL of the published hub: reject other files of a version that its index lists (REPUBLISH)',
      helpValue: 'URL|DIR',
    }),
    'force-file': forceFileFlag,
    'list-rules': Flags.boolean({ summary: 'list the rules and exit' }),
    ...connectionFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(HubLint);
    const severities = severitiesOf(flags.rule ?? []);
    const folders = args.dir ?? [];
    if (flags['list-rules']) {
      await this.show(lintRules, { items: RULES.map(({ id, severity, summary }) => ({ id, severity, summary })) });
      return;
    }
    if (folders.length === 0)
      throw new CliError('USAGE', 'no folder to check', { hints: ['cdapctl hub lint ./my-hub'] });
    const { against } = flags;
    // The published hub is found as --hub would find it.
    if (against !== undefined) this.onLine = new Set([...this.onLine, 'hub']);
    const context = await this.context({ ...flags, ...(against !== undefined && { hub: [against] }) });
    const places = folders.map((folder) => expandHome(folder, context.home));
    const place = (path: string | undefined): string | undefined => path && expandHome(path, context.home);
    const options = {
      severities,
      baseline: place(flags.baseline),
      changedSince: flags['changed-since'],
      fix: flags.fix,
      against: against !== undefined,
      forced: flags['force-file'] ?? [],
    };
    const result = await lintFor(places, options, context, this.session);
    const { packages, errors, warnings, known, faults } = result;
    const files = {
      junit: place(flags.junit),
      sarif: place(flags.sarif),
      'baseline-out': place(flags['baseline-out']),
    };
    await writeLint(files, result, this.session.build.version);
    const isMachine = isMachineFormat(formatOf(this.session.argv, this.session.env));
    const isRefused = errors > 0 && flags['baseline-out'] === undefined;
    if (!isRefused || !isMachine) await this.show(lintFaults, { items: asTyped(faults) });
    this.#tellCut(faults.length, errors + warnings, flags['baseline-out']);
    const counts = [counted(packages, 'package'), counted(errors, 'error'), counted(warnings, 'warning')];
    const summary = [...counts, ...(known === 0 ? [] : [`${known} of the baseline`])].join(', ');
    if (isRefused) throw new CliError('BAD_SOURCE', summary, isMachine ? { item: { items: asTyped(faults) } } : {});
    this.terminal.tell(summary);
  }
  /** Says that not all faults are listed, if so. */
  #tellCut(listed: number, all: number, baseline: string | undefined): void {
    if (listed === all) return;
    this.terminal.tell(`only the first ${listed} errors and warnings are listed`);
    if (baseline !== undefined)
      this.terminal.warn('BASELINE', `${baseline} has only the first ${listed} of ${all} errors and warnings`);
  }
}
