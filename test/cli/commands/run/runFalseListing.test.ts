/** @module-tag heavy */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RunSummary } from '../../../../src/engine/runtime/summary.ts';
import { stocks } from '../../../../src/emulator/market/listings.ts';
import { drover } from '../../support/commandLine.ts';
import { accountOf, startEmulated } from '../../support/emulated.ts';

const contractOf = (symbol: string) =>
  stocks.find(({ listing }) => listing.symbol === symbol)?.listing.address.toLowerCase() ?? '';
const [tsla, plug] = [contractOf('TSLA'), contractOf('PLUG')];
/** TSLA is listed with the contract of PLUG. */
const rules = [{ kind: 'false-listing', symbol: 'TSLA', as: 'PLUG', endpoint: 'GET /api/v1/symbols' }];

function files() {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  writeFileSync(join(cwd, 'faults.json'), JSON.stringify({ rules }));
  writeFileSync(
    join(cwd, 'one.yaml'),
    `mode: emulator
emulator: { start: '2026-06-15T09:55', speed: max, seed: 1 }
limits: { orderNotional: '6000', positionNotional: '20000', grossExposure: '40000', ordersPerMinute: 20,
          dayLoss: '2000', priceBandBps: 200, quoteAgeMs: 60000 }
strategies:
  - { id: ten, use: dca, capital: '20000', params: { symbol: TSLA, notional: '5000', at: '10:00' } }
  - { id: later, use: dca, capital: '20000', params: { symbol: TSLA, notional: '5000', at: '10:10' } }
`,
  );
  return cwd;
}

async function run(cwd: string, until: string, ...more: string[]) {
  const argv = ['run', 'one.yaml', '--state', 'state', '--until', until, '--json', ...more];
  const { out, err } = await drover(argv, { cwd });
  return { err, orders: (JSON.parse(out) as RunSummary).orders };
}

test("a run sends nothing for a stock that is suddenly listed with another's contract, also after a restart", async () => {
  const cwd = files();
  expect((await run(cwd, '2026-06-15T09:58')).err).not.toContain('frozen');
  const lied = await run(cwd, '2026-06-15T10:05', '--faults', 'faults.json');
  expect(lied.err).toContain(`TSLA is frozen: address was ${tsla}, and the venue now says ${plug}`);
  expect(lied.orders.sent).toBe(0);
  const after = await run(cwd, '2026-06-15T10:15');
  expect(after.err).toContain(`TSLA is frozen: address was ${tsla}`);
  expect(after.orders.sent).toBe(0);
  const again = await drover(['journal', 'replay', '--config', 'one.yaml', '--state', 'state'], { cwd });
  expect(again.code).toBe(0);
});

test("a run sends nothing for a stock that is listed with another's contract from the start", async () => {
  const { err, orders } = await run(files(), '2026-06-15T10:05', '--faults', 'faults.json');
  expect(err).toMatch(new RegExp(`TSLA is frozen: PLUG has the same contract at the venue: ${plug}`));
  expect(orders.sent).toBe(0);
});

test.each([
  ['by its node', {}, 'the token of that contract calls itself \\"mPLUG\\", by the node'],
  ['without a node', { rpcUrl: null }, 'PLUG has the same contract at the venue'],
])(
  "a manual order for a stock that is listed with another's contract is refused %s",
  async (_how, node, why) => {
    const venue = await startEmulated(91);
    try {
      await venue.control('/faults', { rules });
      const { run: hand } = accountOf(venue, 'one-click', { limits: 'orderNotional: 6000', ...node });
      const order = ['orders', 'place', 'TSLA', 'buy', '--market', '--notional', '5000', '--yes'];
      const { code, err } = await hand(order);
      expect([code, err]).toEqual([4, expect.stringContaining(why)]);
      expect(await venue.control('/truth')).toMatchObject({ orders: [] });
    } finally {
      await venue.close();
    }
  },
);
