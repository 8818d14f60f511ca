import { join } from 'node:path';

// Before any test: what is worked out while a module is loaded counts for none. Commands that tests run are loaded within them.
const files = JSON.parse(process.env['CDAPCTL_MUTATED_FILES'] ?? '[]') as string[];
for (const file of files) await import(join(process.cwd(), file));
