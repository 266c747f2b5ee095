import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drover } from '../../support/commandLine.ts';
import { startEmulated, type Emulated } from '../../support/emulated.ts';

const SEED = 89;
let venue: Emulated;
const cwd = mkdtempSync(join(tmpdir(), 'drover-'));

beforeAll(async () => {
  venue = await startEmulated(SEED);
});
afterAll(() => venue.close());

const configText = ({ baseUrl, chainId, product, accounts }: Emulated['info'], more: string) => `mode: live
state: ./state
venue: { baseUrl: '${baseUrl}', chainId: ${chainId}, product: ${product}, userAddress: '${accounts[0]?.userAddress ?? ''}' }
limits: { orderNotional: 500, positionNotional: 500, grossExposure: 500, ordersPerMinute: 9, dayLoss: 500,
          priceBandBps: 500, quoteAgeMs: 60000${more} }
strategies: [{ id: steady, use: dca, capital: 500, params: { symbol: SPY, notional: 50, at: '15:00' } }]
`;

async function start(more: string, ...argv: string[]): Promise<string> {
  writeFileSync(join(cwd, 'live.yaml'), configText(venue.info, more));
  const key = venue.info.accounts[0]?.keys.find(({ access }) => access === 'WRITABLE');
  const env = { DROVER_API_KEY: key?.apiKey ?? '', DROVER_API_SECRET: key?.secret ?? '', HOME: cwd };
  const { code, out, err } = await drover(['run', 'live.yaml', '--live', ...argv], {
    env,
    cwd,
    clock: venue.clock,
    signal: AbortSignal.abort('SIGTERM'),
    onOut: (text) => {
      if (text.startsWith('state ')) venue.pass();
    },
  });
  venue.stand();
  expect([code, err]).toEqual([0, '']);
  return out;
}

const HINT = 'manual orders obey the kill file in it only with --state';

test('a live run with --state says what manual orders need to obey its kill file', async () => {
  expect(await start('', '--state', 'elsewhere')).toContain(`${HINT} ${join(cwd, 'elsewhere')}\n`);
  expect(await start('')).not.toContain(HINT);
  expect(await start(', killFile: STOP', '--state', 'elsewhere')).toContain(HINT);
});
