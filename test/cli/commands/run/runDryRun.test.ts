/** @module-tag heavy */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseCash, parseShares } from '../../../../src/core/amount.ts';
import type { RunSummary } from '../../../../src/engine/runtime/summary.ts';
import type { Truth } from '../../../../src/emulator/index.ts';
import { drover, type Ran } from '../../support/commandLine.ts';
import { startEmulated, type Emulated } from '../../support/emulated.ts';

const LONG_MS = 240_000;
const SEED = 83;

type Printed = RunSummary & Readonly<{ mode: string; requests: { byEndpoint: Record<string, number> } }>;

type Place = Readonly<{ free: Readonly<{ venue: string }> }>;
type Reconciled = Readonly<{ clean: boolean; cash: Place; stocks: readonly Place[] }>;

let venue: Emulated;
const cwd = mkdtempSync(join(tmpdir(), 'drover-'));

const configText = (
  { info }: Emulated,
  more = "dryRun: { cash: '20000', slippage: 'bps:2' }",
) => `mode: dry-run
venue:
  baseUrl: ${info.baseUrl}
  chainId: ${info.chainId}
  product: ${info.product}
  userAddress: '${info.accounts[0]?.userAddress ?? ''}'
${more}
limits: { orderNotional: '5000', positionNotional: '10000', grossExposure: '20000', ordersPerMinute: 20,
          dayLoss: '5000', priceBandBps: 500, quoteAgeMs: 60000 }
treasury: { cashBuffer: { below: '90000', upTo: '95000', maxPerDay: '90000' } }
strategies:
  - { id: plan, use: dca, capital: '3000', params: { symbol: SPY, notional: '300', at: open+35m } }
  - { id: trend, use: sma-cross, capital: '7000', params: { symbol: AAPL, interval: 5m, fast: 2, slow: 5, weight: 0.5 } }
  - { id: ladder, use: limit-ladder, capital: '10000', params: { symbol: NVDA, rungs: 2, stepBps: 10, notional: '1500',
      takeProfitBps: 15, requoteBps: 60, maxExposure: '6000' } }
`;

const run = (...argv: string[]): Promise<Ran> => command('run', 'dry.yaml', '--json', ...argv);

/** A command with a read-only key. */
async function command(...argv: string[]): Promise<Ran> {
  const key = venue.info.accounts[0]?.keys.find(({ access }) => access === 'READ_ONLY');
  const env = { DROVER_API_KEY: key?.apiKey ?? '', DROVER_API_SECRET: key?.secret ?? '', HOME: cwd };
  const ran = await drover(argv, {
    env,
    cwd,
    clock: venue.clock,
    onOut: venue.stand,
    onErr: (text) => {
      if (text.startsWith('state ')) venue.pass();
    },
  });
  venue.stand();
  return ran;
}

const truth = async () => (await venue.control('/truth')) as Truth;

beforeAll(async () => {
  venue = await startEmulated(SEED);
  writeFileSync(join(cwd, 'dry.yaml'), configText(venue));
});

afterAll(() => venue.close());

describe('a dry run', () => {
  test(
    'trades a day in two parts on its own account, and only reads the venue',
    { timeout: LONG_MS },
    async () => {
      const before = await truth();
      const morning = await run('--state', 'state', '--until', '2026-06-15T12:00');
      expect([morning.code, morning.code === 0 ? '' : morning.err]).toEqual([0, '']);
      const half = JSON.parse(morning.out) as Printed;
      const whole = await run('--state', 'state', '--until', 'close');
      expect([whole.code, whole.code === 0 ? '' : whole.err]).toEqual([0, '']);
      const day = JSON.parse(whole.out) as Printed;

      expect(whole.err).toContain('orders and account are simulated, nothing is sent');
      expect(day).toMatchObject({
        mode: 'dry-run',
        sessions: 1,
        reconciliation: { differences: 0 },
        equity: { start: '20000' },
        orders: { unknown: 0, working: 0, external: 0, neverExisted: 0, reverted: 0, refused: 0 },
      });
      expect(half.orders.filled).toBeGreaterThan(2);
      expect(day.orders.filled).toBeGreaterThan(half.orders.filled);
      expect(day.orders.cancelled + day.orders.expired).toBeGreaterThan(0);
      expect(half.reconciliation.differences).toBe(0);
      expect(day.equity.end).not.toBe(day.equity.start);

      const after = await truth();
      const asked = [day.requests.byEndpoint, half.requests.byEndpoint, after.requests].flatMap(Object.keys);
      expect(asked.filter((endpoint) => !endpoint.startsWith('GET '))).toEqual([]);
      expect(new Set(asked)).toEqual(
        new Set(
          ['symbols', 'prices/{symbol}/history', 'corporate-action'].map((path) => `GET /api/v1/${path}`),
        ),
      );
      expect([after.orders, after.accounts]).toEqual([[], before.accounts]);
    },
  );

  test(
    'passes a split and a dividend as a real account does',
    { tags: ['long'], timeout: LONG_MS },
    async () => {
      const [head] = configText(venue).split('  - { id: trend');
      writeFileSync(join(cwd, 'plan.yaml'), head ?? '');
      const own = ['--config', 'plan.yaml', '--state', 'plan', '--json'];
      const until = async (time: string) => {
        const { code, out, err } = await command('run', ...own, '--until', time);
        expect([code, code === 0 ? '' : err]).toEqual([0, '']);
        expect(JSON.parse(out)).toMatchObject({ reconciliation: { differences: 0, open: [] } });
      };
      const held = async () => {
        const { out } = await command('reconcile', ...own);
        const { clean, cash, stocks } = JSON.parse(out) as Reconciled;
        expect(clean).toBe(true);
        return [parseCash(cash.free.venue), parseShares(stocks[0]?.free.venue ?? '0')] as const;
      };
      await until('2026-06-16T10:10');
      const [cash, bought] = await held();
      expect(bought > 0n).toBe(true);

      const split = {
        type: 'forward_split',
        symbol: 'SPY',
        exDate: '2026-06-17',
        oldRate: '1',
        newRate: '5',
      };
      const dividend = { type: 'cash_dividend', symbol: 'SPY', exDate: '2026-06-18', cashPerShare: '1.5' };
      await venue.control('/corporate-action', split);
      await venue.control('/corporate-action', dividend);
      await until('2026-06-17T10:00');
      expect(await held()).toEqual([cash, bought * 5n]);
      await until('2026-06-17T10:10');
      const [rest, more] = await held();
      await until('2026-06-18T10:00');
      expect(await held()).toEqual([rest + (more * 15n) / 10n, more]);

      const { out } = await command('journal', 'show', ...own);
      const kinds = out
        .split('\n')
        .flatMap((line) => /"kind":"(split|entitled|paid|frozen)"/.exec(line)?.[1] ?? []);
      expect(kinds).toEqual(['split', 'entitled', 'paid']);
    },
  );

  test('is reconciled and recovered with its own account', { timeout: LONG_MS }, async () => {
    const more = ['--config', 'dry.yaml', '--state', 'state', '--json'];
    const before = await command('reconcile', ...more);
    expect([before.code, JSON.parse(before.out)]).toMatchObject([0, { clean: true, differences: [] }]);
    const { cash: places } = JSON.parse(before.out) as { cash: { free: { venue: string } } };
    const cash = places.free.venue;

    const recovered = await command('journal', 'recover', '--yes', ...more);
    expect([recovered.code, JSON.parse(recovered.out)]).toMatchObject([0, { recovered: true, cash }]);
    const after = await command('reconcile', ...more);
    expect(JSON.parse(after.out)).toMatchObject({ clean: true, cash: { free: places.free } });
  });

  test('does not share a state folder with another mode', { timeout: LONG_MS }, async () => {
    const other = await run('--state', 'state', '--mode', 'emulator');
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('simulated orders of a dry run')]);
    mkdirSync(join(cwd, 'live'));
    writeFileSync(join(cwd, 'live', 'journal.sqlite'), '');
    const dry = await run('--state', 'live', '--until', 'close');
    expect([dry.code, dry.err]).toEqual([2, expect.stringContaining('holds the orders of a live run')]);
  });

  test(
    'needs a state folder, an account, the cash it began with and a model for its fills',
    { timeout: LONG_MS },
    async () => {
      const homeless = await run('--until', 'close');
      expect([homeless.code, homeless.err]).toEqual([2, expect.stringContaining('pass --state DIR')]);

      writeFileSync(join(cwd, 'dry.yaml'), configText(venue, ''));
      const poor = await run('--state', 'fresh');
      expect([poor.code, poor.err]).toEqual([2, expect.stringContaining("dryRun: { cash: '100000' }")]);

      writeFileSync(join(cwd, 'dry.yaml'), configText(venue, "dryRun: { cash: '30000' }"));
      const richer = await run('--state', 'state');
      expect([richer.code, richer.err]).toEqual([2, expect.stringContaining('was opened with 20000')]);

      writeFileSync(
        join(cwd, 'dry.yaml'),
        configText(venue, "dryRun: { cash: '1', slippage: 'volume:0.1' }"),
      );
      const bad = await run('--state', 'fresh');
      expect([bad.code, bad.err]).toEqual([2, expect.stringContaining('a quote has no volume')]);
    },
  );
});
