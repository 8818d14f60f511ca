import { Config } from './config-schema.js';
import { checkYaml, parseYaml, readYaml, type YamlFile } from './yaml-file.js';
import type { ConfigWarning } from './warning.js';

const EMPTY = 'version: 1\n';

/** A configuration file that was read. */
export interface ConfigFile {
  readonly file: string;
  readonly config: Config;
  readonly warnings: readonly ConfigWarning[];
}

/** What a change may do to the file; paths are members from the top, `['contexts', 'prod', 'url']` say. */
export interface ConfigEdit {
  readonly file: string;
  /** What the file said before the change. */
  readonly config: Config;
  set(path: readonly string[], value: unknown): void;
  remove(path: readonly string[]): void;
}

/** A change of the configuration, made by the functions of `config-changes.ts`. */
export type ConfigChange = (edit: ConfigEdit) => void;

/**
 * The file operations that a change of the configuration needs. `locked` holds the lock of the folder; `writeFile` is
 * atomic and makes files of mode 0600.
 */
export interface ConfigPorts {
  readonly locked: <T>(work: () => Promise<T>) => Promise<T>;
  readonly writeFile: (file: string, text: string) => Promise<void>;
}

function checked(file: string, yaml: YamlFile): ConfigFile {
  const isEmpty = yaml.document.contents === null;
  const { value, warnings } = checkYaml(file, isEmpty ? { ...yaml, value: { version: 1 } } : yaml, Config);
  return { file, config: value, warnings };
}

/**
 * Reads `config.yaml`. No file or an empty one is an empty configuration, anything that breaks the schema is CONFIG
 * with line and column (docs/faults.md L18).
 */
export async function readConfig(file: string): Promise<ConfigFile> {
  const yaml = await readYaml(file);
  return yaml === undefined
    ? { file, config: { version: 1, contexts: {}, hubs: {} }, warnings: [] }
    : checked(file, yaml);
}

/**
 * Changes `config.yaml` under its lock; comments, order and unknown members stay. Gives what the file says afterwards.
 */
export async function changeConfig(file: string, change: ConfigChange, ports: ConfigPorts): Promise<ConfigFile> {
  const { isCollection } = await import('yaml');
  return ports.locked(async () => {
    const found = await readYaml(file);
    const yaml = found?.document.contents ? found : await parseYaml(file, EMPTY);
    const { document } = yaml;
    change({
      file,
      config: checked(file, yaml).config,
      set: (path, value) => {
        // A plain value replaces the one inside the node, whose comment stays.
        document.setIn(path, typeof value === 'object' ? document.createNode(value) : value);
      },
      remove: (path) => {
        document.deleteIn(path);
        const parent = path.slice(0, -1);
        const rest = document.getIn(parent);
        if (parent.length > 0 && isCollection(rest) && rest.items.length === 0) document.deleteIn(parent);
      },
    });
    const text = document.toString({ lineWidth: 0 });
    const after = checked(file, await parseYaml(file, text));
    await ports.writeFile(file, text);
    return after;
  });
}
