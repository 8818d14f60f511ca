// A hub of 421 invented packages on loopback, for the benchmarks; run as a program of its own so that it does not share a process with what is measured.
import { createServer } from 'node:http';

const CATEGORIES = ['hydrator-plugin', 'usecase', 'datapack', 'pipeline', 'directive'];

/** A catalog as a real hub writes it. */
export function catalog(count) {
  return Array.from({ length: count }, (_, at) => ({
    name: `package-${String(at % 300).padStart(3, '0')}`,
    version: `1.${Math.floor(at / 300)}.${at % 7}`,
    description: `Reads and writes things of kind ${at}, with every option that such things have, and says so in one long sentence.`,
    label: `Package of kind ${at}`,
    author: 'Example Team',
    org: 'Example Org',
    cdapVersion: '[6.0.0,7.0.0-SNAPSHOT)',
    created: 1_500_000_000 + at * 1000,
    beta: at % 10 === 0,
    license: 'Apache-2.0',
    categories: [CATEGORIES[at % CATEGORIES.length]],
    icon: false,
    paid: false,
  }));
}

/** Serves the catalog below `/v2` on a free port of loopback. */
export async function serveHub(count) {
  const files = new Map([
    ['/v2/packages.json', JSON.stringify(catalog(count))],
    ['/v2/categories.json', JSON.stringify(CATEGORIES.map((name) => ({ name, hasIcon: false })))],
  ]);
  const server = createServer((request, response) => {
    const text = files.get(new URL(request.url, 'http://hub').pathname);
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(text ?? '{}');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${server.address().port}/v2` };
}

if (process.send !== undefined) {
  const { url } = await serveHub(Number(process.argv[2] ?? 421));
  process.send({ url });
}
