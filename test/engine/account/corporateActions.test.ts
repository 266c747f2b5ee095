/** @module-tag heavy */
import { describe, expect, test } from 'vitest';
import { amountsIn } from '../../domain/account/amountsIn.ts';
import { parseCash, parseShares, toNumber } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { AccountState } from '../../../src/domain/account/accountState.ts';
import { dividendRulesOf } from '../../../src/domain/corporateAction.ts';
import type { JournalEvent } from '../../../src/domain/journalEvent.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import { replay } from '../../../src/engine/runtime/replay.ts';
import { entryOf, memoryJournal } from '../../store/memoryJournal.ts';
import type { OrderView, StrategyHooks } from '../../../src/strategy/index.ts';
import { EmulatedWorld } from '../emulated.ts';

const AAPL = ticker('AAPL');
const HOUR = 60;
const LATE = epochMs(Date.parse('2026-06-15T19:30:00Z'));
/** Until 10:00 of the next day. */
const OVER_NIGHT = 18.5 * HOUR;
const EX_DATE = '2026-06-16';

const split = (type: 'forward_split' | 'reverse_split', [oldRate, newRate]: [string, string]) =>
  ({ kind: 'corporate-action', body: { type, symbol: 'AAPL', exDate: EX_DATE, oldRate, newRate } }) as const;
const payment = (type: 'cash_dividend' | 'spin_off', cashPerShare: string) =>
  ({ kind: 'corporate-action', body: { type, symbol: 'AAPL', exDate: EX_DATE, cashPerShare } }) as const;

const booksOf = (world: EmulatedWorld) => {
  if (!world.runner) throw new Error('nothing ran');
  return world.runner.kernel.context.accountState;
};
const factsOf = (world: EmulatedWorld): JournalEvent[] => world.lines.map((line) => entryOf(line).fact);

/** Holds 10 AAPL, and has a resting order for 6 of them far above the price until it is cancelled. */
const holding = (): StrategyHooks => ({
  onStart: ({ order, view }) => {
    if (view.position('AAPL') === 0) order.buy('AAPL', { shares: 10 });
  },
  onFill: ({ order, view }) => {
    const price = (view.price('AAPL') ?? 0) * 1.5;
    order.limit('AAPL', { side: 'sell', shares: 6, price, goodTill: 'cancelled' });
  },
});

/** Expects ledger and venue to agree, nothing to be frozen, and the journal to reproduce the account state. */
function expectSound(world: EmulatedWorld): void {
  const accountState = booksOf(world);
  expect(world.alarms).toEqual([]);
  expect(world.summary?.reconciliation).toMatchObject({ differences: 0, open: [] });
  expect([...accountState.frozen.keys()]).toEqual([]);
  const { mUsd, mUsdLocked, stocks } = world.truth();
  const { exchange = '0', locked = '0' } = stocks.find(({ symbol }) => symbol === AAPL) ?? {};
  expect(accountState.ledger.total('mUSD')).toBe(parseCash(mUsd) + parseCash(mUsdLocked));
  expect(accountState.ledger.total(AAPL)).toBe(parseShares(exchange) + parseShares(locked));
  const again = new AccountState();
  for (const line of world.lines) again.apply(entryOf(line));
  expect(amountsIn(again.ledger)).toEqual(amountsIn(accountState.ledger));
  expect(again.positions).toEqual(accountState.positions);
  expect(again.intents).toEqual(accountState.intents);
}

/** Divergence of the same strategies replayed on the journal. */
function partingOf({ options, lines }: EmulatedWorld) {
  if (!options) throw new Error('nothing ran');
  const { calendar, rules, strategies } = options;
  const createKernel = () => new Kernel({ calendar, rules, strategies, obstacles: { reason: () => null } });
  return replay([...memoryJournal(lines).entries()], createKernel).parting;
}

describe('a split', () => {
  test.each<[string, ReturnType<typeof split>, number]>([
    ['of one share into four', split('forward_split', ['1', '4']), 4],
    ['of five shares into two', split('reverse_split', ['5', '2']), 0.4],
  ])('%s is booked once the account shows it', async (_, command, factor) => {
    const world = new EmulatedWorld({ start: LATE });
    world.command(command);
    const shown: OrderView[] = [];
    await world.run(OVER_NIGHT, {
      hooks: { ...holding(), onSplit: ({ view }) => void shown.push(...view.orders('AAPL')) },
    });
    expectSound(world);
    const accountState = booksOf(world);
    expect(factsOf(world).filter(({ kind }) => kind === 'split')).toHaveLength(1);
    expect(toNumber(accountState.ledger.held('solo', AAPL))).toBe(10 * factor);
    const limits = [...accountState.orders.values()].flatMap(({ terms }) =>
      terms.type === 'limit' && terms.side === 'sell' ? [terms] : [],
    );
    expect(limits.map(({ quantity }) => toNumber(quantity))).toEqual([6, Number((6 * factor).toFixed(6))]);
    const [before, after] = limits.map(({ price }) => toNumber(price));
    const converted = { status: 'waiting', shares: Number((6 * factor).toFixed(6)), filled: 0, price: after };
    expect(shown).toMatchObject([converted]);
    expect((before ?? 0) / factor).toBeCloseTo(after ?? 0, 1);
    expect(accountState.live.size).toBe(1);
    expect(partingOf(world)).toBeNull();
  });
});

test.each([
  ['a split', [split('reverse_split', ['5', '1'])]],
  ['two splits at once', [split('reverse_split', ['5', '1']), split('forward_split', ['2', '3'])]],
])('a replay repeats what was decided between %s and the next price', async (_, commands) => {
  const world = new EmulatedWorld({ start: LATE });
  for (const command of commands) world.command(command);
  const hooks: StrategyHooks = {
    onStart({ order, view }) {
      order.buy('AAPL', { shares: 10 });
      for (const part of [0.8, 0.81, 0.82, 0.83])
        order.limit('SPY', {
          side: 'buy',
          shares: 1,
          price: (view.price('SPY') ?? 0) * part,
          goodTill: 'cancelled',
        });
    },
  };
  await world.run(OVER_NIGHT, { hooks, rules: { limits: { dayLoss: parseCash('500') } } });
  const facts = factsOf(world);
  const booked = facts.findIndex(({ kind }) => kind === 'split');
  const priced = facts.findIndex(({ kind }, index) => index > booked && kind === 'quotes');
  expect(facts.slice(booked, priced).map(({ kind }) => kind)).toContain('planned');
  expect(partingOf(world)).toBeNull();
});

test('a split while the runner is down is booked at the next start', async () => {
  const world = new EmulatedWorld({ start: LATE });
  const hooks = holding();
  await world.run(10, { hooks });
  world.command(split('forward_split', ['1', '4']));
  await world.during(() => world.clock.sleep(20 * HOUR * 60_000));
  await world.run(10, { hooks });
  expectSound(world);
  expect(toNumber(booksOf(world).ledger.held('solo', AAPL))).toBe(40);
});

test('strategies that watch bars are started again after a split, on adjusted bars', async () => {
  const world = new EmulatedWorld({ start: LATE });
  const built: { bars: number[]; held: number }[] = [];
  const hooks: StrategyHooks = {
    ...holding(),
    onStart: (context) => {
      built.push({
        bars: [...context.view.bars('AAPL', '5m').closes(3)],
        held: context.view.position('AAPL'),
      });
      holding().onStart?.(context);
    },
  };
  world.command(split('forward_split', ['1', '4']));
  await world.run(OVER_NIGHT, { hooks, bars: [{ symbol: 'AAPL', interval: '5m', warmUp: 3 }] });
  expectSound(world);
  const [first, second] = built;
  expect([built.length, second?.held, second?.bars.length]).toEqual([2, 40, 3]);
  expect(partingOf(world)).toBeNull();
  expect(built).toHaveLength(4);
  const ratio = (first?.bars[2] ?? 0) / (second?.bars[0] ?? 1);
  expect(ratio).toBeGreaterThan(3.5);
  expect(ratio).toBeLessThan(4.5);
});

test.each(['cash_dividend', 'spin_off'] as const)(
  'a %s is credited to those who held the stock',
  async (type) => {
    const world = new EmulatedWorld({ start: LATE });
    world.command(payment(type, '0.26'));
    const shown: OrderView[] = [];
    await world.run(OVER_NIGHT, {
      hooks: { ...holding(), onSplit: ({ view }) => void shown.push(...view.orders('AAPL')) },
    });
    expectSound(world);
    const accountState = booksOf(world);
    expect(factsOf(world).filter(({ kind }) => kind === 'paid')).toHaveLength(1);
    expect(accountState.positions.of('solo', AAPL)).toMatchObject({
      quantity: parseShares('10'),
      realised: parseCash('2.6'),
    });
  },
);

test('a dividend in tokens is credited in shares, and a replay makes the same decisions', async () => {
  const world = new EmulatedWorld({ start: LATE });
  world.command({ kind: 'constants', body: { dividends: { pays: 'tokens', withheldBps: 1_500 } } });
  world.command(payment('cash_dividend', '2.6'));
  const dividends = dividendRulesOf({ dividends: 'tokens', withheldPercent: 15 });
  await world.run(OVER_NIGHT, { hooks: holding(), rules: { dividends } });
  expectSound(world);
  expect(factsOf(world).filter(({ kind }) => kind.startsWith('paid'))).toMatchObject([
    { kind: 'paidInTokens' },
  ]);
  const { quantity, realised } = booksOf(world).positions.of('solo', AAPL);
  expect(quantity).toBeGreaterThan(parseShares('10.08'));
  expect(toNumber(realised)).toBeCloseTo(22.1, 0);
  expect(partingOf(world)).toBeNull();
});

test.each(['getCurrentMultiplier', 'balancePerShare', undefined] as const)(
  "a dividend in tokens with another tax rate is booked if the token's contract shows it (%s)",
  async (contract) => {
    const world = new EmulatedWorld({ start: LATE, submission: 'one-click' });
    const tokens = { '*': contract ? { contract } : {} };
    world.command({ kind: 'constants', body: { tokens, dividends: { pays: 'tokens', withheldBps: 1_500 } } });
    world.command(payment('cash_dividend', '2.6'));
    const dividends = dividendRulesOf({ dividends: 'tokens', withheldPercent: 30 });
    await world.run(OVER_NIGHT, { hooks: holding(), rules: { dividends } });
    const paid = factsOf(world).filter(({ kind }) => kind === 'paidInTokens');
    expect(paid).toHaveLength(contract ? 1 : 0);
    if (!contract) return;
    expectSound(world);
    expect(toNumber(booksOf(world).positions.of('solo', AAPL).realised)).toBeCloseTo(22.1, 0);
    expect(partingOf(world)).toBeNull();
  },
);
