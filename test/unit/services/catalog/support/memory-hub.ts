import { CliError } from '../../../../../src/core/errors.js';
import { readCatalog } from '../../../../../src/hub/catalog.js';
import { segmentsOf, type HubSource } from '../../../../../src/hub/source.js';
import type { NamedHub } from '../../../../../src/services/catalog/load.js';

/** A hub in memory: its catalog, and files by `NAME/VERSION/FILE`; `opened` lists what was asked for. */
export function memoryHub(
  name: string,
  catalog: readonly object[] | CliError,
  files: Readonly<Record<string, string>> = {},
) {
  const opened: string[] = [];
  let unread = 0;
  const source: HubSource = {
    base: `http://${name}.example`,
    kind: 'http',
    label: name,
    async catalog({ etag }) {
      if (catalog instanceof CliError) throw catalog;
      const bytes = Buffer.from(JSON.stringify(catalog));
      const notModified = etag === '"same"';
      return {
        catalog: readCatalog(notModified ? Buffer.from('[]') : bytes, name),
        bytes,
        etag: '"new"',
        notModified,
        synthesized: false,
      };
    },
    async open(place) {
      segmentsOf(place);
      const path = `${place.name ?? ''}/${place.version ?? ''}/${place.file}`;
      opened.push(path);
      const content = files[path];
      if (content === undefined) return undefined;
      unread++;
      const body = (async function* () {
        yield Buffer.from(content);
        unread--;
      })();
      return {
        what: path,
        bytes: Buffer.byteLength(content),
        body,
        discard: async () => {
          unread--;
        },
      };
    },
  };
  const hub: NamedHub = { name, source };
  return { hub, source, opened, unread: () => unread };
}
