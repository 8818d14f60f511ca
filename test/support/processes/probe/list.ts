import * as z from 'zod/mini';
import { string } from '@oclif/core/args';
import { integer, string as text } from '@oclif/core/flags';
import { BaseCommand } from '../../../../src/cli/base-command.js';
import { durationFlag } from '../../../../src/flags/values.js';
import { CliError } from '../../../../src/core/errors.js';
import { view } from '../../../../src/output/views/view.js';

const Item = z.object({ name: z.string(), set: z.string() });
const items = view({
  kind: 'ProbeList',
  none: 'no probes found',
  schema: Item,
  name: ({ name }) => name,
  columns: [
    { key: 'name', value: ({ name }) => name },
    { key: 'set', value: ({ set }) => set },
  ],
});

/** Lists what it was told to, with warnings and failures on request. */
export default class List extends BaseCommand {
  static override summary = 'List what it is told to';
  static override args = { package: string({ required: true }) };
  static override flags = {
    set: text({ multiple: true, multipleNonGreedy: true }),
    count: integer({ min: 0, max: 1_000_000 }),
    fail: text(),
    wait: durationFlag(),
    a: text({ exclusive: ['b'] }),
    b: text(),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(List);
    this.terminal.warn('BAD_FIELD', 'something is odd');
    const count = flags.count ?? 1;
    const set = (flags.set ?? []).join('|');
    await this.show(items, {
      items: Array.from({ length: count }, (_, at) => ({ name: `${args.package}${at === 0 ? '' : String(at)}`, set })),
    });
    if (flags.fail !== undefined)
      throw new CliError('HUB_NOT_FOUND', flags.fail, { hints: ['cdapctl hub list'], serverSaid: flags.fail });
  }
}
