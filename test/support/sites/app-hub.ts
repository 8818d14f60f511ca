import type { Platform } from '../../../src/emulator/store/generation.js';
import type { SampleHub } from '../../../src/emulator/hub/build.js';
import { applicationJar, type ApplicationJar } from '../../contract/application-jar.js';
import { openSite, type Site } from './install-site.js';
import { hubPackage, signedHub } from './hub-tree.js';

const ANY = '[4.0.0,7.0.0)';

/** The JAR of the application `Shop` for a platform. */
export const shopJar = (platform: Platform = '6.11.0', changes: Pick<ApplicationJar, 'mainClass'> = {}): Buffer =>
  applicationJar({ api: platform === '4.3.5' ? 'co/cask/cdap' : 'io/cdap/cdap', ...changes });

/** A package of one `one_step_deploy_app`. */
export function appPackage(version: string, file: string, jar: Buffer, name = 'shop') {
  const actions = [{ type: 'one_step_deploy_app', label: 'The shop', arguments: [{ name: 'jar', value: file }] }];
  return hubPackage({ name, version, spec: { cdapVersion: ANY, actions }, resources: { [file]: jar } });
}

/** A hub of the application `Shop`: two releases and a snapshot of it, one whose JAR the person brings, and some that no platform takes. */
export async function appHub(platform: Platform = '6.11.0'): Promise<SampleHub> {
  const jar = shopJar(platform);
  const ask = { type: 'deploy_app', label: 'Your shop', arguments: [{ name: 'jar', value: null }] };
  const other = platform === '4.3.5' ? '6.11.0' : '4.3.5';
  const packages = [
    appPackage('1.0.0', 'shop-1.0.0.jar', jar),
    appPackage('2.0.0', 'shop-2.0.0.jar', jar),
    appPackage('3.0.0', 'shop-3.0.0-SNAPSHOT.jar', jar),
    hubPackage({ name: 'shop-ask', spec: { cdapVersion: ANY, actions: [ask] } }),
    appPackage('1.0.0', 'shop.jar', jar, 'shop-unnamed'),
    appPackage('1.0.0', 'shop-1.0.0.jar', shopJar(platform, { mainClass: undefined }), 'shop-without-class'),
    appPackage('1.0.0', 'shop-1.0.0.jar', shopJar(platform, { mainClass: 'example.Gone' }), 'shop-gone'),
    appPackage('1.0.0', 'shop-1.0.0.jar', shopJar(platform, { mainClass: 'example.Nightly' }), 'shop-no-app'),
    appPackage('1.0.0', 'shop-1.0.0.jar', shopJar(other), 'shop-other'),
  ];
  const { files, key } = await signedHub({ packages, now: Date.now() });
  return { ...key, files };
}

const hubs = new Map<Platform, Promise<SampleHub>>();

/** Opens a site whose hub is that of the application and trusted; the hub is made once for a file of tests. */
export async function openAppSite(platform: Platform = '6.11.0'): Promise<Site & { close(): Promise<void> }> {
  const known = hubs.get(platform) ?? appHub(platform);
  hubs.set(platform, known);
  const hub = await known;
  const site = await openSite(hub, platform);
  await site.pin(hub);
  return site;
}
