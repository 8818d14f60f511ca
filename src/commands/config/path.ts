import { BaseCommand } from '../../cli/base-command.js';
import { placesOf } from '../../cli/folders.js';
import { placeList } from '../../output/views/folders.js';

export default class ConfigPath extends BaseCommand {
  static override summary = 'Show the folders for configuration, state and cache';
  static override examples = ['cdapctl config path', 'cdapctl config path -o name', 'cdapctl config path --json'];
  static override seeAlso = ['cdapctl help environment'];

  async run(): Promise<void> {
    await this.parse(ConfigPath);
    const { config, state, cache } = placesOf(this.session.env);
    await this.show(placeList, {
      items: [
        { name: 'config', path: config },
        { name: 'state', path: state },
        { name: 'cache', path: cache },
      ],
    });
  }
}
