import { string } from '@oclif/core/args';
import { BaseCommand } from '../cli/base-command.js';
import { schemaKinds, schemaText } from '../flows/schemas.js';
import { schemaList } from '../output/views/schemas.js';

export default class Schema extends BaseCommand {
  static override summary = 'Print the JSON schema of a result kind, or list the kinds';
  static override examples = ['cdapctl schema', 'cdapctl schema Error', 'cdapctl schema --json'];
  static override failures = ['NOT_FOUND'] as const;
  static override seeAlso = ['cdapctl help formats'];
  static override args = { kind: string({ description: 'kind of result, as in "kind" of a json document' }) };

  async run(): Promise<void> {
    const { args } = await this.parse(Schema);
    if (args.kind !== undefined) {
      await this.terminal.write(await schemaText(args.kind, this.session.build));
      return;
    }
    const kinds = await schemaKinds(this.session.build);
    await this.show(schemaList, { items: kinds.map((kind) => ({ kind })) });
  }
}
