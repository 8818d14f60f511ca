import InstalledUninstall from './installed/uninstall.js';

export default class Uninstall extends InstalledUninstall {
  static override examples = [
    'cdapctl uninstall example-trim-fields --dry-run',
    'cdapctl uninstall example-trim-fields@1.10.0 -n default -y',
  ];
}
