import { describe, expect, it } from 'vitest';
import { verificationLine, verifiedFiles, verifiedPackage } from '../../../../../src/output/views/hub/verify.js';
import { render } from '../../../../../src/output/views/view.js';
import type { VerifiedFile } from '../../../../../src/services/catalog/verified-file.js';

const good: VerifiedFile = { hub: 'corp', name: 'a.jar', bytes: 1, state: 'valid', reason: 'good', ok: true };
const bad: VerifiedFile = { ...good, name: 'b.jar', state: 'invalid', reason: 'bad-signature', ok: false };

async function table(color: boolean, shown = verifiedPackage, items = [good, bad]): Promise<string> {
  const look = { terminal: true, color, columns: 80, unicode: true, utc: true };
  let text = '';
  for await (const piece of render(shown, { items }, { format: 'table', look })) text += piece;
  return text;
}

describe('the files of a verification', () => {
  it('have what is refused in red on a terminal with colour, and the same words without', async () => {
    const colored = await table(true);
    expect(colored).toMatch(/^b\.jar {2}\u001b\[31mINVALID *\u001b\[0m/mu);
    expect(colored.match(/\u001b\[31m/gu)).toHaveLength(1);
    expect(colored.replaceAll(/\u001b\[\d+m/gu, '')).toBe(await table(false));
  });

  it('of several packages are named beside their package where a terminal is narrow', async () => {
    const file = { ...good, package: 'example-postgres-driver', version: '42.7.0', signedAt: '2024-05-02T22:01:00Z' };
    const names = ['spec.json', 'example-postgres-driver-42.7.0-SNAPSHOT.json'];
    const text = await table(
      false,
      verifiedFiles(true),
      names.map((name) => ({ ...file, name })),
    );
    expect(text.split('\n').slice(0, 3)).toEqual([
      'PACKAGE                         FILE                                       STATE',
      'example-postgres-driver@42.7.0  spec.json                                  valid',
      'example-postgres-driver@42.7.0  example-postgres-driver-42.7.0-SNAPSHOT.…  valid',
    ]);
  });

  it.each([
    [{ valid: 4, unsigned: 3, refused: 0 }, '4 valid, 3 need no signature, 0 invalid'],
    [{ valid: 1, unsigned: 3, refused: 3 }, '1 valid, 3 need no signature, 3 invalid'],
    [{ valid: 1, unsigned: 3, refused: 3, unknown: 3 }, '1 valid, 3 need no signature, 0 invalid, 3 of unknown signer'],
    [{ valid: 0, unsigned: 1, refused: 0 }, '0 valid, 1 needs no signature, 0 invalid, 6 not verified'],
  ])('are counted at the end: %j', (counts, words) => {
    const rest = {
      policy: 'warn',
      ok: true,
      unread: [],
      expiring: [],
      unindexed: [],
      warnings: [],
      refusal: undefined,
    } as const;
    const line = verificationLine({ files: 7, packages: 1, unknown: 0, ...counts, ...rest });
    expect(line).toBe(`7 files of 1 package checked: ${words}`);
  });
});
