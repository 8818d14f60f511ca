import { spawnSync } from 'node:child_process';

/** Whether cases that run gpg and gpgv take place: where they are installed, and on build servers, where they fail without. */
export const hasGpg = (process.env['CI'] ?? '') !== '' || spawnSync('gpgv', ['--version']).status === 0;
