import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../cli/base-command.js';
import { findSettings } from '../cli/settings.js';
import { contextOnlyFlags } from '../flags/connection.js';
import { logout } from '../flows/login/logout.js';
import { logoutView } from '../output/views/identity.js';

export default class Logout extends BaseCommand {
  static override summary = 'Remove the login of a context';
  static override description =
    'Removes the token from this machine. The platform cannot revoke it: it remains valid until it expires.';
  static override examples = [
    'cdapctl logout --context prod -y',
    'cdapctl logout --all -y',
    'cdapctl logout --all -y --json',
  ];
  static override failures = ['NOT_FOUND', 'CONFIG', 'CONSENT_MISSING', 'DECLINED', 'LOCAL_IO'] as const;
  static override requests = false;
  static override changes = 'own' as const;
  static override seeAlso = ['cdapctl login', 'cdapctl whoami'];
  static override flags = { ...contextOnlyFlags, all: Flags.boolean({ summary: 'log out of all contexts' }) };

  async run(): Promise<void> {
    const { flags } = await this.parse(Logout);
    const found = await findSettings(flags, this.session, this.onLine);
    const items = await logout(flags.all, found, (change) => this.consent(change, found));
    await this.show(logoutView, { items });
  }
}
