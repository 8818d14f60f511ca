import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { CliError } from '../core/errors.js';
import { Name, NAME } from './config-schema.js';
import type { ConfigWarning } from './warning.js';
import { checkYaml, readYaml, type YamlFile } from './yaml-file.js';

/** The name of the file that a project may hold. */
const PROJECT_FILE = '.cdapctl.yaml';

const REFUSED =
  /^(?:.*url|.*uri|.*token.*|.*credential.*|.*password.*|.*secret.*|ca|ca(?:file|path|cert)s?|.*cert.*|.*proxy.*|.*insecure.*|.*signer.*|.*key.*|verify|trust|allow.*)$/u;
const Text = z.string('must be text').check(z.minLength(1, 'must not be empty'));

const HUB_RULE = 'must be the name of a configured hub, not a URL or a folder';
const HubName = z.string(HUB_RULE).check(z.regex(NAME, HUB_RULE));

/** What a project may set (docs/conventions.md 2.9): names of things that the user's own files define. */
export const ProjectSettings = z.strictObject(
  {
    version: z.optional(z.literal(1, 'must be 1, the only supported version')),
    context: z.optional(Name),
    namespace: z.optional(Text),
    /** Names, never addresses or folders, which a cloned repository could bring along. */
    hubs: z.optional(z.array(HubName, 'must be a list of hub names')),
  },
  'must be a map',
);

/** What a project may set. */
export type ProjectSettings = z.infer<typeof ProjectSettings>;

/** A project file that was found. */
export interface ProjectFile {
  readonly file: string;
  readonly settings: ProjectSettings;
  readonly warnings: readonly ConfigWarning[];
}

function refuseDangerous(file: string, yaml: YamlFile, value: unknown, path: readonly string[] = []): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const here = [...path, key];
    if (!Array.isArray(value) && REFUSED.test(key.toLowerCase().replaceAll(/[-_.\s]/gu, ''))) {
      throw new CliError('CONFIG', `${file}, ${yaml.at(here)}: a project file must not set ${here.join('.')}`, {
        hints: [{ next: 'own-configuration' }],
        target: { file },
      });
    }
    refuseDangerous(file, yaml, member, here);
  }
}

/**
 * Reads the nearest `.cdapctl.yaml` from a folder (an absolute path) upwards.
 * @throws CONFIG when it sets what a cloned repository must not
 */
export async function findProjectFile(folder: string): Promise<ProjectFile | undefined> {
  for (let place = folder; ; place = dirname(place)) {
    const file = join(place, PROJECT_FILE);
    const yaml = await readYaml(file);
    if (yaml !== undefined) {
      refuseDangerous(file, yaml, yaml.value);
      const { value, warnings } = checkYaml(file, yaml, ProjectSettings);
      return { file, settings: value, warnings };
    }
    if (dirname(place) === place) return undefined;
  }
}
