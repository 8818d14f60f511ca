import * as z from 'zod/mini';
import { itemView } from './view.js';

const PLATFORMS = { oldest: '4.3.5', newest: '6.11.0' };

/** What `version --json` tells about the tool. */
const Version = z.object({
  version: z.string(),
  commit: z.optional(z.string()),
  node: z.string(),
  system: z.string(),
  platforms: z.object({ oldest: z.string(), newest: z.string() }),
});

/** What the command knows; the range of platforms is added here. */
type Facts = Omit<z.infer<typeof Version>, 'platforms'>;

/** Shows the version of the tool, what it runs on, and the CDAP versions it is tested with. */
export const versionView = itemView<typeof Version, Facts>({
  kind: 'Version',
  schema: Version,
  name: (facts) => facts.version,
  json: (facts) => ({ ...facts, platforms: PLATFORMS }),
  columns: [
    { key: 'version', value: (facts) => facts.version },
    { key: 'commit', value: (facts) => facts.commit },
    { key: 'node', value: (facts) => facts.node },
    { key: 'system', value: (facts) => facts.system },
    { key: 'platforms', value: () => `CDAP ${PLATFORMS.oldest} to ${PLATFORMS.newest}` },
  ],
});
