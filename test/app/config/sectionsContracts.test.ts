import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drover } from '../../cli/support/commandLine.ts';

const one = `0x${'11'.repeat(20)}`;
const cwd = mkdtempSync(join(tmpdir(), 'drover-'));

async function told(contracts: string): Promise<string> {
  writeFileSync(
    join(cwd, 'my.yaml'),
    `mode: live
venue: { baseUrl: 'https://venue.example', chainId: 143, product: ProductA, userAddress: '${one}', contracts: ${contracts} }
state: ./state
strategies: [{ id: one, use: dca, capital: 1000, params: { symbol: SPY, notional: 5 } }]
`,
  );
  const { code, err } = await drover(['balance', '--config', 'my.yaml'], { cwd });
  expect(code).toBe(2);
  return err;
}

test.each([
  [
    'two stocks with one contract',
    `{ TSLA: '${one}', PLUG: '${one}' }`,
    'venue.contracts.PLUG: is also the contract of TSLA',
  ],
  [
    'an invalid symbol',
    `{ tsla: '${one}' }`,
    'venue.contracts.tsla: is not a stock symbol. Write it like TSLA',
  ],
  ['an invalid address', "{ TSLA: '0x12' }", 'must be an address'],
  [
    'a mistyped checksum',
    "{ TSLA: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96046' }",
    'does not match the checksum',
  ],
])('%s in venue.contracts: %s', async (...[, contracts, why]) => {
  expect(await told(contracts)).toContain(why);
});
