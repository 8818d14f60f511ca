import { Config } from '@oclif/core/config';
import type { PJSON, Plugin } from '@oclif/core/interfaces';
import { homeOf } from './folders.js';
import type { Build } from './session.js';

/**
 * oclif's configuration without its search on disk: one root plugin that is already known. Commands are found by our
 * own table.
 */
export async function loadConfig({ root, version }: Build): Promise<Config> {
  const pjson: PJSON = { name: 'cdapctl', version, oclif: { bin: 'cdapctl', dirname: 'cdapctl', topicSeparator: ' ' } };
  const plugin: Plugin = {
    _base: '',
    alias: 'cdapctl',
    commandIDs: [],
    commands: [],
    commandsDir: undefined,
    findCommand: () => {
      throw new Error('commands come from the table');
    },
    hasManifest: true,
    hooks: {},
    isRoot: true,
    load: () => Promise.resolve(),
    moduleType: 'commonjs',
    name: 'cdapctl',
    options: { root },
    pjson,
    root,
    topics: [],
    type: 'core',
    valid: true,
    version,
  };
  // Without them oclif asks the system about a user whom the system need not know: that of a container. An empty home counts as none.
  process.env['SHELL'] ??= 'unknown';
  if (homeOf(process.env) === undefined) process.env['HOME'] = '';
  return Config.load({ root, plugins: new Map([[plugin.name, plugin]]) });
}
