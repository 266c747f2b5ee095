import { describe, expect, test } from 'vitest';
import { parseCash, parseDecimal, parsePrice, parseShares } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { screenOf } from '../../../src/cli/commands/daemon/screen.ts';
import { ticker, type Ticker } from '../../../src/domain/instrument.ts';
import type { PerToken, TokenQuote, TokenRatio } from '../../../src/domain/premium.ts';
import type { IntentTerms } from '../../../src/domain/orders/orderIntent.ts';
import { statusSchema, type Status } from '../../../src/ops/model/status.ts';
import { differencesOf, statusOf } from '../../../src/ops/model/statusOf.ts';
import { journalState } from '../../../src/ops/model/journalState.ts';
import { AAPL, give } from '../../engine/operator/commands.ts';
import { atStart, MINUTE, MORNING, SECOND, Stage, type StageOptions } from '../../engine/stage.ts';
import { WELL } from '../well.ts';
import type { CommandId } from '../../../src/domain/operator/restriction.ts';

const identity = {
  mode: 'dry-run',
  account: 'test',
  version: '0.0.0',
  startedAt: '2026-06-15T14:00:00Z',
  killFiles: [],
} as const;

function statusAt(stage: Stage, strategies = stage.options.strategies): Status {
  const { context, reconciliation } = stage.runner.kernel;
  return statusOf({
    identity,
    isRunning: true,
    context,
    now: stage.clock.now(),
    strategies,
    differences: differencesOf(reconciliation),
    alarms: [],
    health: WELL,
  });
}

const wad = (text: string) => parseDecimal(text, { signed: true });
const sum = (texts: readonly string[]) => texts.reduce((total, text) => total + wad(text), 0n);

const trading = {
  hooks: {
    a: atStart((order) => void order.buy('AAPL', { notional: 333 })),
    b: atStart((order, view) => {
      if (view.orders('AAPL').length > 0) return;
      order.buy('MSFT', { shares: 7 });
      order.limit('AAPL', { side: 'buy', shares: 2, price: 90, goodTill: 'day' }, 'below the market');
    }),
  },
} satisfies StageOptions;

/** A stage with stock of the account's own, two strategies, fills and a moved price. */
async function traded(
  options: StageOptions = {},
  stage = new Stage({ ...trading, ...options }),
): Promise<Stage> {
  stage.venue.holdings.set('AAPL', parseDecimal('3.333333'));
  await stage.play(10 * SECOND);
  for (const row of stage.venue.rows)
    if (row.order.symbol === 'MSFT' || row.order.type === 'market') stage.venue.fill(row);
  await stage.pass(MINUTE);
  stage.venue.prices.set('AAPL', parseDecimal('101.37'));
  stage.venue.prices.set('MSFT', parseDecimal('49.119'));
  return stage.pass(MINUTE);
}

describe('the status of a run', () => {
  test('has the published schema', async () => {
    const status = statusAt(await traded());
    expect(statusSchema.strict().parse(status)).toEqual(status);
  });

  test('adds up with the summary of the run, to the last digit', async () => {
    const stage = await traded();
    const status = statusAt(stage);
    const summary = await stage.stop();
    expect(status.equity).toBe(summary.equity.end);
    expect(sum(status.strategies.map(({ equity }) => equity)) + wad(status.unallocated.equity)).toBe(
      wad(status.equity),
    );
    expect(sum(status.strategies.map(({ cash }) => cash)) + wad(status.unallocated.cash)).toBe(
      wad(status.cash),
    );
    expect(wad(summary.equity.end) - wad(summary.equity.start)).toBe(wad(status.pnl.total));
    expect(status.unallocated.pnl.total).toBe(summary.unallocated.pnl);
    for (const part of ['total', 'realised', 'unrealised', 'fees'] as const)
      expect(sum([...status.strategies, status.unallocated].map(({ pnl }) => pnl[part]))).toBe(
        wad(status.pnl[part]),
      );
    for (const strategy of summary.strategies) {
      const shown = status.strategies.find(({ id }) => id === strategy.id);
      expect(shown?.pnl).toMatchObject({
        total: strategy.pnl,
        realised: strategy.realisedPnl,
        unrealised: strategy.unrealisedPnl,
        fees: strategy.fees,
      });
    }
    expect(sum(status.strategies.map(({ pnl }) => pnl.today))).toBe(wad(status.pnl.today));
    expect(wad(status.pnl.today)).not.toBe(0n);
  });

  test('adds up if manual orders have used unallocated money', async () => {
    const stage = await traded();
    const order = { kind: 'order', symbol: ticker('AAPL') } as const;
    const request = (id: string, terms: IntentTerms) =>
      stage.runner.command({ id: id as CommandId, by: 'ann', reason: '', command: { ...order, terms } });
    const sell = { kind: 'sell', quantity: parseShares('1.5') } as const;
    expect(await request('command-1', sell)).toMatchObject({ kind: 'done' });
    await stage.pass(10 * SECOND);
    stage.venue.fill(stage.venue.last);
    const { settlement } = stage.venue.last;
    if (settlement) stage.venue.last.settlement = { ...settlement, protocolFee: parseCash('0.015') };
    await stage.pass(MINUTE);
    const { pnl, strategies, unallocated } = statusAt(stage);
    expect(wad(unallocated.pnl.fees)).toBeGreaterThan(0n);
    for (const part of ['total', 'realised', 'unrealised', 'fees'] as const)
      expect(sum([...strategies, unallocated].map((each) => each.pnl[part])), part).toBe(wad(pnl[part]));
  });

  test('has the change of each price and the volume over 24 hours as the venue lists them', async () => {
    const stage = new Stage(trading);
    stage.venue.over24h.set('MSFT', { change24h: -0.0125, volume24h: 1_200_000 });
    const { positions } = statusAt(await traded({}, stage)).strategies[1] ?? {};
    expect(positions).toMatchObject([{ symbol: 'MSFT', change24h: -0.0125, volume24h: 1_200_000 }]);
    stage.venue.over24h.clear();
    await stage.pass(MINUTE);
    expect(statusAt(stage).strategies[1]?.positions[0]).toMatchObject({ change24h: null, volume24h: null });
  });

  test('shows unallocated stock apart from that of strategies', async () => {
    const status = statusAt(await traded());
    expect(status.unallocated.positions).toEqual([
      {
        symbol: 'AAPL',
        shares: '3.333333',
        averagePrice: null,
        price: '101.37',
        value: '337.89996621',
        unrealised: null,
        change24h: null,
        volume24h: null,
      },
    ]);
    const [a, b] = status.strategies;
    expect(a?.positions.map(({ symbol }) => symbol)).toEqual(['AAPL']);
    expect(b?.positions).toMatchObject([{ symbol: 'MSFT', shares: '7', price: '49.119', value: '343.833' }]);
  });

  test('shows open orders with age, reason and text', async () => {
    const { orders } = statusAt(await traded());
    expect(orders).toEqual([
      {
        id: 'b-3.1',
        strategy: 'b',
        symbol: 'AAPL',
        side: 'buy',
        type: 'limit',
        status: 'working',
        ageMs: 129_950,
        reason: 'below the market',
        tag: null,
        text: 'buy 2 AAPL at 90, rests at the venue',
      },
    ]);
  });

  test('shows the session, the ages of reads and the trading state', async () => {
    const { session, freshness, state, strategies } = statusAt(await traded());
    expect(session).toEqual({
      phase: 'regular',
      nextOpen: '2026-06-16T13:30:00Z',
      date: '2026-06-15',
      open: '2026-06-15T13:30:00Z',
      close: '2026-06-15T20:00:00Z',
      until: '2026-06-15T20:00:00Z',
    });
    for (const age of Object.values(freshness)) expect(age).toBeLessThanOrEqual(60_000);
    expect(state).toEqual({ trading: 'active', since: identity.startedAt, by: '', reason: '' });
    expect(strategies.map((each) => each.state)).toEqual(['active', 'active']);
  });

  test('leaves unlisted stocks out of the age of quotes, and counts halted ones', async () => {
    const stage = await traded();
    const [first] = stage.options.strategies;
    if (!first) throw new Error('there is no strategy');
    const elsewhere = { ...first, id: 'c', needs: { ...first.needs, quotes: ['GONE'] } };
    const ageWith = () => statusAt(stage, [...stage.options.strategies, elsewhere]).freshness.quotesMs;
    expect(ageWith()).toBeLessThanOrEqual(60_000);
    stage.venue.prices.delete('MSFT');
    await stage.pass(5 * MINUTE);
    expect(ageWith()).toBeLessThanOrEqual(60_000);
    stage.venue.haltedAt.set('AAPL', stage.clock.now());
    await stage.pass(5 * MINUTE);
    expect(ageWith()).toBeGreaterThan(4 * MINUTE);
  });

  test('names the next timer of each strategy', async () => {
    const timers = [
      { name: 'open', at: '09:45' },
      { name: 'noon', at: '12:00' },
    ] as const;
    const stage = await new Stage({ data: { quotes: ['AAPL'], timers } }).play(10 * SECOND);
    expect(statusAt(stage).strategies[0]?.nextTimer).toEqual({ name: 'noon', at: '2026-06-15T16:00:00Z' });
  });

  test('names a timer of this evening, after the close', async () => {
    const timers = [
      { name: 'open', at: '09:45' },
      { name: 'evening', at: '21:00' },
    ] as const;
    const start = MORNING + 7 * 60 * MINUTE;
    const stage = await new Stage({ start, data: { quotes: ['AAPL'], timers } }).play(10 * SECOND);
    expect(statusAt(stage).strategies[0]?.nextTimer).toEqual({ name: 'evening', at: '2026-06-16T01:00:00Z' });
    await stage.pass(5 * 60 * MINUTE);
    expect(statusAt(stage).strategies[0]?.nextTimer).toEqual({ name: 'open', at: '2026-06-16T13:45:00Z' });
  });

  test('names a timer of the first session of a month, weeks ahead', async () => {
    const timers = [{ name: 'rebalance', at: '10:00', on: 'month-start' }] as const;
    const stage = await new Stage({ data: { quotes: ['AAPL'], timers } }).play(10 * SECOND);
    expect(statusAt(stage).strategies[0]?.nextTimer?.at).toBe('2026-07-01T14:00:00Z');
  });

  test('marks a halt that belongs to a flatten under way', async () => {
    const stage = await traded();
    await give(stage, { kind: 'flatten', scope: { symbol: AAPL } });
    expect(statusAt(stage).restrictions).toMatchObject([{ symbol: 'AAPL', isFlattening: true }]);
    await give(stage, { kind: 'trade', state: 'halted', scope: {} });
    expect(statusAt(stage).restrictions.map(({ isFlattening }) => isFlattening)).toEqual([true, false]);
    await give(stage, { kind: 'trade', state: 'active', scope: { symbol: AAPL } });
    await stage.pass(MINUTE);
    expect(statusAt(stage).restrictions).toMatchObject([{ symbol: null, isFlattening: false }]);
  });

  test('names what each strategy waits for: its timer, the end of a bar, or any price', async () => {
    const next = async (data: NonNullable<StageOptions['data']>) => {
      const stage = await new Stage({ data }).play(10 * SECOND);
      return statusAt(stage).strategies[0]?.nextDecision;
    };
    const bars = [{ symbol: 'AAPL', interval: '5m' }] as const;
    const timers = [{ name: 'noon', at: '12:00' }] as const;
    const bar = await next({ bars });
    expect(bar?.on).toBe('5m bar');
    expect(Date.parse(bar?.at ?? '') % (5 * MINUTE)).toBe(0);
    expect(await next({ bars, timers })).toEqual(bar);
    expect(await next({ timers })).toEqual({ on: 'noon', at: '2026-06-15T16:00:00Z' });
    expect(await next({ quotes: ['AAPL'] })).toEqual({ on: 'each price', at: null });
    expect(await next({})).toBeNull();
  });
});

describe('the limits of a status', () => {
  test('show how much of each limit is used', async () => {
    const stage = await traded({
      limits: {
        orderNotional: parseCash('500'),
        positionNotional: parseCash('5000'),
        grossExposure: parseCash('9000'),
        ordersPerMinute: 10,
        feeBps: 50,
      },
      ownLimits: { dayLoss: parseCash('100') },
    });
    const { limits } = statusAt(stage);
    const of = (name: string, scope: string) =>
      limits.find((each) => each.name === name && each.scope === scope);
    expect(of('orderNotional', 'everything')).toEqual({
      name: 'orderNotional',
      scope: 'everything',
      used: null,
      limit: '500',
    });
    expect(of('positionNotional', 'MSFT')).toMatchObject({ used: '343.833', limit: '5000' });
    expect(of('ordersPerMinute', 'everything')).toMatchObject({ used: '0', limit: '10' });
    expect(wad(of('dayLoss', 'strategy b')?.used ?? '0')).toBeGreaterThan(0n);
    expect(of('dayLoss', 'strategy a')).toMatchObject({ used: '0', limit: '100' });
    const positions = limits.filter(({ name }) => name === 'positionNotional').map(({ used }) => used ?? '');
    expect(wad(of('grossExposure', 'everything')?.used ?? '')).toBe(sum(positions));
  });
});

describe('the to-do list of a status', () => {
  test('has an unknown order', async () => {
    const buy = atStart((order) => void order.buy('AAPL', { notional: 200 }));
    const stage = new Stage({ hooks: { solo: buy } });
    stage.venue.fates.push('lostBefore');
    const status = statusAt(await stage.play(30 * SECOND));
    expect(status.unknown).toBe(1);
    expect(status.todo).toMatchObject([{ command: 'drover resolve solo-1.1 --reason TEXT' }]);
    expect(status.todo[0]?.text).toMatch(/^order solo-1.1 of solo \(buy AAPL for 200\) has no answer/);
  });

  test('has a difference, and the freeze that it causes', async () => {
    const stage = await new Stage().play(10 * SECOND);
    stage.venue.holdings.set('AAPL', parseDecimal('2'));
    const status = statusAt(await stage.pass(3 * MINUTE));
    expect(status.differences).toEqual([{ asset: 'AAPL', text: 'AAPL: the ledger says 0, the venue 2' }]);
    expect(status.frozen).toMatchObject([{ symbol: 'AAPL' }]);
    expect(status.todo.map(({ command }) => command)).toEqual([
      'drover accept AAPL --reason TEXT',
      'drover unfreeze AAPL --reason TEXT',
    ]);
    expect(status.todo.map(({ action }) => action)).toEqual([
      { verb: 'accept', body: { asset: 'AAPL' } },
      { verb: 'unfreeze', body: { subject: 'AAPL' } },
    ]);
  });

  test('has a strategy that its own error has stopped', async () => {
    const fails = atStart(() => {
      throw new Error('no such thing');
    });
    const status = statusAt(await new Stage({ hooks: { solo: fails } }).play(10 * SECOND));
    expect(status.strategies[0]?.stopped).toMatch(/no such thing/);
    expect(status.todo).toMatchObject([{ command: null }]);
  });
});

describe('a status without a daemon', () => {
  test('is computed from the journal at its last prices', async () => {
    const stage = await traded();
    const running = statusAt(stage);
    const { context, differences, startedAt } = journalState(stage.options.journal, {
      calendar: stage.options.calendar,
      rules: stage.options.rules,
      now: stage.clock.now(),
    });
    expect(startedAt).toBe(epochMs(Date.parse('2026-06-15T14:00:00Z')));
    const { strategies } = stage.options;
    const now = stage.clock.now();
    const status = statusOf({
      identity,
      isRunning: false,
      context,
      now,
      strategies,
      differences,
      alarms: [],
      health: null,
    });
    const { equity, cash, pnl, orders, unallocated } = running;
    expect(status).toMatchObject({ running: false, ready: false, equity, cash, pnl, orders, unallocated });
    expect(status.strategies).toEqual(running.strategies);
  });
});

describe('the premiums of a status', () => {
  test('are those of the tokens whose prices are read, with everything known about each', async () => {
    const tokens: Readonly<Record<string, Partial<TokenQuote>>> = {
      AAPL: { price: parseDecimal('101.25') as PerToken, ratio: parseDecimal('1') as TokenRatio },
      MSFT: { price: parseDecimal('50') as PerToken },
    };
    const options: StageOptions = {
      ...trading,
      limits: { premiumBps: 500 },
      as: (venue) =>
        Object.assign(venue, {
          tokenQuote: (symbol: Ticker): Promise<TokenQuote> => {
            const share = parsePrice('100');
            return Promise.resolve({
              symbol,
              share,
              price: null,
              ratio: null,
              at: MORNING,
              ...tokens[symbol],
            });
          },
        }),
    };
    const stage = await new Stage(options).play(10 * SECOND);
    const { premiums } = statusSchema.parse(statusAt(stage));
    expect(premiums).toEqual([
      {
        symbol: 'AAPL',
        share: '100',
        token: '101.25',
        ratio: '1',
        bps: 125,
        text: expect.stringMatching(/^AAPL: 125 bps \(/),
      },
      {
        symbol: 'MSFT',
        share: '100',
        token: '50',
        ratio: null,
        bps: null,
        text: expect.stringMatching(/is not known \(50 a token/),
      },
    ]);
    const { text } = screenOf(statusAt(stage), 160).find((line) => line.text.startsWith('premium')) ?? {};
    expect(text).toMatch(/^premium +AAPL: 125 bps \(101\.25 a token/);
  });

  test('are absent if no token prices are read', async () => {
    expect(statusAt(await traded())).not.toHaveProperty('premiums');
  });
});
