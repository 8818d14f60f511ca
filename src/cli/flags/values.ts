import * as Flags from '@oclif/core/flags';
import { parseDuration } from '../../core/duration.js';

/** A duration with a unit (`90s`, `2h30m`), in milliseconds. */
export const durationFlag = Flags.custom<number>({
  helpValue: 'DURATION',
  parse: async (text) => parseDuration(text),
});
