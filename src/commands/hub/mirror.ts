import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import type { CommandContext } from '../../cli/context-types.js';
import { homeOf } from '../../cli/folders.js';
import { expandHome, folderPath, typedPath } from '../../cli/line/local-path.js';
import type { GivenFlags } from '../../cli/settings.js';
import { CliError } from '../../core/errors.js';
import { connectionFlags } from '../../flags/connection.js';
import { hubFlags } from '../../flags/select.js';
import { trustFlags } from '../../flags/trust.js';
import { durationFlag, list, several } from '../../flags/values.js';
import { importFor, mirrorFor } from '../../flows/hub/mirror.js';
import { hubOfLock, readMirrorLock, type MirrorLock } from '../../flows/hub/mirror-lock.js';
import { hubMirror } from '../../output/views/hub/mirror.js';

const RATE = /^(\d{1,6}(?:\.\d{1,3})?)(KB|MB|GB)\/s$/u;
const UNITS: Readonly<Record<string, number>> = { KB: 1e3, MB: 1e6, GB: 1e9 };

/** Bytes a second. */
const rateFlag = Flags.custom<number>({
  summary: 'maximum download speed',
  helpValue: '5MB/s',
  exclusive: ['from'],
  parse: async (text) => {
    const [, number, unit = ''] = RATE.exec(text) ?? [];
    const rate = Number(number) * (UNITS[unit] ?? 0);
    if (rate > 0) return rate;
    throw new CliError('USAGE', `${JSON.stringify(text.slice(0, 40))} is not a rate`, {
      hints: ['use 500KB/s or 5MB/s'],
    });
  },
})();

export default class HubMirror extends BaseCommand {
  static override summary = 'Mirror a hub, or part of it, into a folder';
  static override description =
    'Downloads new files, verifies them, and publishes all of them in DIR at the same time. A mirror of the whole hub has its catalog, index and signatures byte for byte; a mirror of some packages has its own catalog. Versions that cannot be verified are not updated (exit code 10). Run it again to continue or update. DIR can be served meanwhile.';
  static override examples = [
    'cdapctl hub mirror --hub https://hub.example.com/v2 -D ./mirror',
    'cdapctl hub mirror example-trim-fields@1.10.0 -D ./mirror --json',
    'cdapctl hub mirror -D ./mirror --versions 1 --dry-run --detailed-exitcode',
  ];
  static override failures = [
    'HUB_NOT_FOUND',
    'PACKAGE_NOT_FOUND',
    'EXISTS',
    'SIG_BAD',
    'NO_TRUST',
    'ROLLBACK',
    'LOCK_MISMATCH',
    'PARTIAL',
    'BAD_CATALOG',
    'BAD_BUNDLE',
    'CONSENT_MISSING',
    'DECLINED',
    'CHANGES',
    'LOCKED',
    'LOCAL_IO',
  ] as const;
  static override changes = 'own' as const;
  static override seeAlso = ['cdapctl hub serve', 'cdapctl hub verify'];
  static override args = {
    package: Args.string({ multiple: true, description: 'NAME[@VERSION]; repeatable (default: all packages)' }),
  };
  static override flags = {
    dir: Flags.string({ char: 'D', required: true, summary: 'folder of the mirror', helpValue: 'DIR' }),
    category: Flags.string({ ...list, summary: 'only packages in this category; repeatable', helpValue: 'CATEGORY' }),
    'platform-version': Flags.string({ summary: 'only packages for this platform version', helpValue: 'VERSION' }),
    versions: Flags.integer({ summary: 'only the N highest versions of each package', min: 1, helpValue: 'N' }),
    lock: Flags.string({
      summary: 'only what is pinned in this lock file',
      helpValue: 'FILE',
    }),
    bundle: Flags.string({
      summary: 'also write the mirror to a bundle file',
      helpValue: 'FILE',
      exclusive: ['dry-run'],
    }),
    since: Flags.string({
      summary: 'omit files that this earlier bundle contains',
      helpValue: 'FILE',
      dependsOn: ['bundle'],
    }),
    from: Flags.string({
      summary: 'import a bundle instead of a hub',
      helpValue: 'FILE',
      exclusive: ['bundle', 'category', 'lock', 'platform-version', 'versions'],
    }),
    key: Flags.string({
      ...several,
      summary: 'sign part of the hub with this key; repeatable',
      helpValue: 'FILE',
      exclusive: ['bundle', 'from'],
    }),
    'passphrase-file': Flags.string({
      ...several,
      summary: 'file with its passphrase; repeatable',
      helpValue: 'FILE',
      dependsOn: ['key'],
    }),
    prune: Flags.boolean({
      summary: 'remove versions that are no longer selected',
    }),
    confirm: Flags.integer({
      summary: 'confirm that up to COUNT versions are removed',
      min: 1,
      helpValue: 'COUNT',
      dependsOn: ['prune'],
    }),
    grace: durationFlag({ summary: 'time to wait before removals (default: 0s)', dependsOn: ['prune'] }),
    'dry-run': Flags.boolean({ summary: 'show what would be done and change nothing' }),
    'detailed-exitcode': Flags.boolean({ summary: 'with --dry-run: exit with 14 on changes' }),
    recheck: Flags.boolean({ summary: 'read every file of the mirror again' }),
    rate: rateFlag,
    concurrency: Flags.integer({ summary: 'packages in parallel', min: 1, max: 64, default: 8, helpValue: 'N' }),
    ...hubFlags,
    ...trustFlags,
    ...connectionFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(HubMirror);
    const dry = flags['dry-run'];
    if (this.onLine.has('detailed-exitcode') && !dry)
      throw new CliError('USAGE', '--detailed-exitcode needs --dry-run');
    const home = homeOf(this.session.env);
    const place = (path: string): string => expandHome(path, home);
    const isHubNamed = this.onLine.has('hub');
    const lock = flags.lock === undefined ? undefined : await readMirrorLock(place(flags.lock));
    const context = await this.contextOf(flags, lock);
    const isPolicyNamed = this.onLine.has('verify');
    const { prune, recheck, concurrency, grace = 0 } = flags;
    const folder = folderPath(flags.dir, home);
    const common = { folder, dry, prune, grace, recheck, concurrency, isPolicyNamed };
    const { from: bundle } = flags;
    const from = bundle === undefined ? undefined : place(bundle);
    if (from !== undefined && args.package !== undefined)
      throw new CliError('USAGE', '--from imports all packages of a bundle: remove the package names');
    const pathOf = (path: string | undefined): string | undefined => (path === undefined ? undefined : place(path));
    const options = {
      ...common,
      packages: args.package ?? [],
      categories: flags.category ?? [],
      platformVersion: flags['platform-version'],
      versions: flags.versions,
      lock,
      bundle: pathOf(flags.bundle),
      since: pathOf(flags.since),
      rate: flags.rate,
      keys: { keyFiles: (flags.key ?? []).map(place), passphraseFiles: flags['passphrase-file'] ?? [] },
    };
    const result = await (from === undefined
      ? mirrorFor(options, context, this.session)
      : importFor({ ...common, from, isHubNamed }, context, this.session));
    await this.show(hubMirror, { ...result, folder: typedPath(result.folder) });
    const { added, updated, removed, catalog } = result;
    if (catalog === 'written') this.tellNext('hub', 'serve', flags.dir);
    if (dry && flags['detailed-exitcode'] && (added + updated + removed > 0 || catalog === 'outdated'))
      throw new CliError('CHANGES', 'the mirror would change');
  }

  /** Finds the hub of a lock file as `--hub` would find it, unless the line has one. */
  private contextOf(flags: GivenFlags, lock: MirrorLock | undefined): Promise<CommandContext> {
    if (lock === undefined || this.onLine.has('hub')) return this.context(flags);
    const hub = hubOfLock(lock);
    this.onLine = new Set([...this.onLine, 'hub']);
    return this.context({ ...flags, hub: [hub] });
  }
}
