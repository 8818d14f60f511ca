import { createReadStream } from 'node:fs';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import type { InferredFlags } from '@oclif/core/interfaces';
import { BaseCommand } from '../../cli/base-command.js';
import type { CommandContext } from '../../cli/context-types.js';
import { findPackage, versionToChooseBy } from '../../flows/install/find-package.js';
import { connectionFlags } from '../../flags/connection.js';
import { hubFlags } from '../../flags/select.js';
import { trustFlags } from '../../flags/trust.js';
import { typedPath } from '../../cli/line/local-path.js';
import { showBytes } from '../../flows/hub/show-bytes.js';
import { CliError } from '../../core/errors.js';
import { downloadView } from '../../output/views/hub/download.js';
import { downloadPackages, downloadToBuffer } from '../../services/catalog/download/download.js';
import type { DownloadOptions } from '../../services/catalog/download/download-package.js';
import type { PackageToDownload } from '../../services/catalog/download/fetch-one.js';
import { several } from '../../flags/values.js';
import { inMade } from '../../flows/hub/real-folder.js';
import { writableFolder } from '../../services/catalog/download/place.js';
import { holdHubs } from '../../services/catalog/files-in-memory.js';

const downloadFlags = {
  dir: Flags.string({
    char: 'D',
    summary: 'folder to write to (default: the current folder), - for stdout',
    default: '.',
    helpValue: 'DIR',
  }),
  resource: Flags.string({
    ...several,
    summary: 'only this file of the package; repeatable',
    helpValue: 'NAME',
  }),
  'no-verify': Flags.boolean({ summary: 'do not verify signatures (prints a warning)' }),
  'no-signatures': Flags.boolean({ summary: 'do not write the .asc files' }),
  clobber: Flags.boolean({ summary: 'overwrite existing files', exclusive: ['skip-existing'] }),
  'skip-existing': Flags.boolean({ summary: 'keep existing files without checking them' }),
  resume: Flags.boolean({
    summary: 'resume interrupted downloads of large files (default); --no-resume starts over',
    allowNo: true,
    default: true,
  }),
  concurrency: Flags.integer({ summary: 'parallel downloads', min: 1, max: 64, default: 8, helpValue: 'N' }),
  'allow-stale': trustFlags['allow-stale'],
  'allow-expired-key': trustFlags['allow-expired-key'],
};

type DownloadFlags = InferredFlags<typeof downloadFlags>;

export default class HubDownload extends BaseCommand {
  static override summary = 'Download and verify packages with their signatures';
  static override description =
    'Writes DIR/NAME/VERSION/FILE. A file gets its final name only after it is verified. To resume an interrupted download, run the same command again: files of 1 MB or more continue where they stopped (.cdapctl-*.partial), and its complete files are verified and kept. Files of a completed download are an error (6) without --skip-existing or --clobber. `hub verify ./DIR/NAME/VERSION` and `install ./DIR/NAME/VERSION` read these folders.';
  static override examples = [
    'cdapctl hub download example-trim-fields -D downloads',
    'cdapctl hub download example-trim-fields@1.10.0 example-csv-copy -D downloads --skip-existing',
    'cdapctl hub download example-trim-fields --resource spec.json -D -',
    'cdapctl hub download example-trim-fields -D downloads --clobber --json',
  ];
  static override failures = [
    'PACKAGE_NOT_FOUND',
    'RESOURCE_MISSING',
    'EXISTS',
    'SIG_BAD',
    'SIG_DISPUTED',
    'LOCKED',
    'PARTIAL',
    'LOCAL_IO',
    'DISK_FULL',
  ] as const;
  static override seeAlso = ['cdapctl hub verify', 'cdapctl install', 'cdapctl help trust'];
  static override args = {
    package: Args.string({ required: true, multiple: true, description: '[HUB/]NAME[@VERSION]; repeatable' }),
  };
  static override flags = { ...downloadFlags, ...hubFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(HubDownload);
    const names = [...new Set(args.package)];
    const resources = [...new Set(flags.resource ?? [])];
    const work = (): Promise<void> => this.download(names, resources, flags);
    if (flags.dir !== '-') return inMade(flags.dir, work);
    if (names.length !== 1 || resources.length !== 1 || flags.json || flags.output !== undefined)
      throw new CliError(
        'USAGE',
        'stdout takes one file: specify one package and one --resource, and no output format',
      );
    return work();
  }

  private async download(names: readonly string[], resources: readonly string[], flags: DownloadFlags): Promise<void> {
    const toStdout = flags.dir === '-';
    if (!toStdout) await writableFolder(flags.dir);
    const context = await this.context(flags);
    const packages = await this.packages(context, names, flags);
    const options: DownloadOptions = {
      folder: flags.dir,
      resources,
      signatures: !flags['no-signatures'],
      existing: flags.clobber ? 'replace' : flags['skip-existing'] ? 'keep' : 'refuse',
      resume: flags.resume,
      concurrency: flags.concurrency,
      emit: context.emit,
    };
    if (toStdout) return this.toStdout(packages, { ...options, folder: await context.scratch() });
    const result = await downloadPackages(packages, options, this.signal);
    this.tell(result.warnings);
    await this.show(downloadView, { ...result, typed: typedPath });
  }

  private async packages(
    context: CommandContext,
    names: readonly string[],
    flags: DownloadFlags,
  ): Promise<readonly PackageToDownload[]> {
    const platform = await versionToChooseBy(context, names);
    const held = holdHubs();
    const packages = new Map<string, PackageToDownload>();
    for (const text of names) {
      const { hub, source, name, version, entry, chosen } = await findPackage(context, text, platform, this.session);
      if (chosen) this.terminal.note(`note: ${name} ${version} was selected; use NAME@VERSION for another version`);
      const trust = await context.trust(source);
      packages.set(JSON.stringify([source.base, name, version]), {
        hub,
        source: held(source),
        name,
        version,
        entry,
        setup: flags['no-verify'] ? { ...trust.setup, policy: 'off' } : trust.setup,
        remember: (memory) => trust.remember(memory),
      });
    }
    return [...packages.values()];
  }

  private async toStdout(packages: readonly PackageToDownload[], options: DownloadOptions): Promise<void> {
    const [only] = packages;
    if (only === undefined) return;
    const { path, warnings } = await downloadToBuffer(only, { ...options, existing: 'replace' }, this.signal);
    this.tell(warnings);
    await showBytes(piecesOf(path), this.terminal);
  }

  private tell(warnings: readonly string[]): void {
    for (const warning of warnings) this.terminal.warn('TRUST', warning);
  }
}

async function* piecesOf(path: string): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of createReadStream(path)) yield Buffer.from(chunk);
}
