import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import type { InferredFlags } from '@oclif/core/interfaces';
import { BaseCommand } from '../../cli/base-command.js';
import { expandHome, folderPath, typedPath } from '../../cli/line/local-path.js';
import { CliError } from '../../core/errors.js';
import { isEmptyRange } from '../../core/version-range.js';
import { forceFileFlag, list, several } from '../../flags/values.js';
import { packFor } from '../../flows/hub/pack.js';
import type { GivenTexts } from '../../flows/hub/pack-questions.js';
import { hubPack } from '../../output/views/hub/pack.js';
import { nameProblem, parentsIn, rangeProblem, versionProblem } from '../../services/hosting/pack/draft.js';

const packFlags = {
  dir: Flags.string({
    char: 'D',
    summary: 'folder of the hub (default: the current folder)',
    default: '.',
    helpValue: 'DIR',
  }),
  type: Flags.option({
    summary: 'type of the JAR if it cannot be detected; artifact only uploads the JAR',
    options: ['plugin', 'driver', 'app', 'artifact'] as const,
    helpValue: 'TYPE',
  })(),
  name: Flags.string({
    summary: 'name of package and artifact (default: from pom.properties in the JAR)',
    helpValue: 'NAME',
  }),
  'artifact-version': Flags.string({
    summary: 'version of package and artifact (default: Bundle-Version of the JAR)',
    helpValue: 'VERSION',
  }),
  parent: Flags.string({
    ...several,
    summary: 'parent artifact with its version range (overrides config and pom); repeatable',
    helpValue: 'system:NAME[FROM,TO)',
  }),
  'driver-class': Flags.string({ summary: 'class of the JDBC driver', helpValue: 'CLASS' }),
  widgets: Flags.string({ summary: 'folder with widgets (NAME-TYPE.json)', helpValue: 'DIR' }),
  docs: Flags.string({ summary: 'folder with documentation (NAME-TYPE.md)', helpValue: 'DIR' }),
  icons: Flags.string({ summary: 'folder with icons (NAME-TYPE.png)', helpValue: 'DIR' }),
  label: Flags.string({ summary: 'display name', helpValue: 'TEXT' }),
  description: Flags.string({ summary: 'description of the package', helpValue: 'TEXT' }),
  category: Flags.string({ ...list, summary: 'category; repeatable', helpValue: 'CATEGORY' }),
  platform: Flags.string({
    summary: 'range of platform versions (default: that of the first parent)',
    helpValue: '[FROM,TO)',
  }),
  author: Flags.string({ summary: 'author', helpValue: 'TEXT' }),
  org: Flags.string({ summary: 'organization', helpValue: 'TEXT' }),
  clobber: Flags.boolean({ summary: 'replace existing package folders' }),
  'force-file': forceFileFlag,
};

type PackFlags = InferredFlags<typeof packFlags>;

/** Flags that describe one JAR. */
const OF_ONE = ['type', 'name', 'artifact-version', 'driver-class', 'label', 'description'] as const;

export default class HubPack extends BaseCommand {
  static override summary = 'Create hub packages from JARs';
  static override description =
    'Writes DIR/packages/NAME/VERSION with the specification, the config and the JAR. Name, version and plugins are read from the JAR, parent artifacts from the .json file next to the JAR or from the pom in it. Prompts for missing values; without a terminal, lists all of them and exits with 2. JDBC drivers and applications get their own action types. Next steps: hub lint, hub build.';
  static override examples = [
    'cdapctl hub pack acme-plugins-1.2.0.jar -D ./my-hub',
    "cdapctl hub pack acme-plugins-1.2.0.jar -D ./my-hub --widgets ./widgets --docs ./docs --parent 'system:cdap-data-pipeline[6.1.0,7.0.0-SNAPSHOT)' --json",
    "cdapctl hub pack postgresql.jar -D ./my-hub --name postgresql --driver-class org.postgresql.Driver --parent 'system:cdap-data-pipeline[6.1.0,7.0.0-SNAPSHOT)'",
  ];
  static override failures = [
    'INPUT_MISSING',
    'EXISTS',
    'REPUBLISH',
    'CHANGED_MEANWHILE',
    'BAD_JAR',
    'BAD_JSON',
    'TOO_LARGE',
    'LOCKED',
    'DECLINED',
    'LOCAL_IO',
    'DISK_FULL',
  ] as const;
  static override requests = false;
  static override seeAlso = ['cdapctl hub init', 'cdapctl hub lint', 'cdapctl hub build'];
  static override args = {
    jar: Args.string({
      required: true,
      multiple: true,
      description: 'JAR file with plugins, a driver or an application',
    }),
  };
  static override flags = packFlags;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(HubPack);
    const given = OF_ONE.filter((name) => flags[name] !== undefined);
    if (args.jar.length > 1 && given.length > 0)
      throw new CliError('USAGE', `--${given.join(', --')} can be used with one JAR only`);
    const { name, type, 'artifact-version': version, 'driver-class': driverClass } = flags;
    refuseValue('--name', name, nameProblem);
    refuseValue('--artifact-version', version, versionProblem);
    const parents = (flags.parent ?? []).flatMap((text) => {
      const found = parentsIn(text);
      if (found === undefined) throw badParent(text);
      const empty = found.find(({ range }) => isEmptyRange(range));
      if (empty !== undefined)
        throw new CliError('USAGE', `--parent ${JSON.stringify(empty.text)} matches no version of its artifact`);
      return found;
    });
    const context = await this.context({});
    const place = (path: string): string => expandHome(path, context.home);
    const placeIfAny = (path: string | undefined): string | undefined => path && place(path);
    const options = {
      jars: args.jar.map((shown) => ({ shown, file: place(shown) })),
      folder: folderPath(flags.dir, context.home),
      clobber: flags.clobber,
      forced: flags['force-file'] ?? [],
      wishes: { name, type, version, driverClass, parents },
      texts: textsOf(flags),
      folders: { widgets: placeIfAny(flags.widgets), docs: placeIfAny(flags.docs), icons: placeIfAny(flags.icons) },
    };
    const packages = await packFor(options, context, this.session);
    await this.show(hubPack, { folder: typedPath(options.folder), packages });
    this.tellNext('hub', 'build', flags.dir);
  }
}

function textsOf({ label, description, author, org, platform, category }: PackFlags): GivenTexts {
  refuseValue('--platform', platform, rangeProblem);
  return Object.fromEntries(
    Object.entries({ label, description, author, org, platform, categories: category }).filter(
      ([, value]) => value !== undefined,
    ),
  );
}

function refuseValue(flag: string, value: string | undefined, problem: (text: string) => string | undefined): void {
  const found = value === undefined ? undefined : problem(value);
  if (found !== undefined) throw new CliError('USAGE', `${flag} ${JSON.stringify(value)} ${found}`);
}

const badParent = (text: string): CliError =>
  new CliError('USAGE', `--parent ${JSON.stringify(text.slice(0, 100))} is not NAMESPACE:NAME[FROM,TO)`, {
    hints: ["--parent 'system:cdap-data-pipeline[6.1.0,7.0.0-SNAPSHOT)'"],
  });
