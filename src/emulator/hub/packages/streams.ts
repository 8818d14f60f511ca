import type { SamplePackage } from './sample-package.js';
import { fixed, jsonResource, specification, textResource } from './parts.js';

const CLICKS = 'clicks.csv';
const PROPERTIES = 'stream.json';

/** Packages for platforms that had streams, which 6.11.0 is too new for. */
export function streamPackages(): SamplePackage[] {
  const spec = specification({
    label: 'Click Stream',
    description: 'A stream with a few made-up clicks to try things out.',
    created: 1_493_596_800,
    categories: ['datapack', 'example'],
    cdapVersion: '[4.0.0,6.0.0)',
    actions: [
      {
        type: 'create_stream',
        arguments: fixed({ name: 'clicks', description: 'Made-up clicks', properties: PROPERTIES }),
      },
      { type: 'load_datapack', label: 'Load the clicks', arguments: fixed({ name: 'clicks', files: [CLICKS] }) },
    ],
  });
  const schema = { type: 'record', name: 'click', fields: [{ name: 'body', type: 'string' }] };
  const resources = {
    [PROPERTIES]: jsonResource({ ttl: 86_400, format: { name: 'text', schema }, 'notification.threshold.mb': 100 }),
    [CLICKS]: textResource('1,home', '2,prices', '3,contact'),
  };
  return [{ name: 'example-click-stream', version: '1.0.0', spec, resources }];
}
