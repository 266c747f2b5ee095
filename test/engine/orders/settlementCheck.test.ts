import { describe, expect, test } from 'vitest';
import { formatDecimal, parseCash, parsePrice, parseShares } from '../../../src/core/amount.ts';
import type { AccountState } from '../../../src/domain/account/accountState.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { Limits } from '../../../src/domain/limits.ts';
import type { Settlement } from '../../../src/domain/venue.ts';
import type { Fill, StrategyHooks } from '../../../src/strategy/index.ts';
import type { Row } from '../fakeVenue.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';

const AAPL = ticker('AAPL');
const data = { quotes: ['AAPL', 'MSFT'], timers: [{ name: 't', at: '10:01' as const }] };

/** A strategy that buys once, and its order updates. */
function buying(intent: 'market' | 'limit') {
  const fills: Fill[] = [];
  const hooks: StrategyHooks = {
    onTimer({ order }) {
      if (intent === 'market') order.buy('AAPL', { notional: 1_000 });
      else order.limit('AAPL', { side: 'buy', shares: 10, price: 99 });
    },
    onFill: ({ fill }) => void fills.push(fill),
  };
  return { hooks: { solo: hooks }, data, fills };
}

/** Settles the order as stated by `changes`; the account shows the amounts of `fill`. */
function settle(stage: Stage, changes: Partial<Settlement>): Row {
  const row = stage.venue.last;
  stage.venue.fill(row);
  if (row.settlement) row.settlement = { ...row.settlement, ...changes };
  return row;
}

async function sentBy(intent: 'market' | 'limit', limits: Limits = {}) {
  const { fills, ...options } = buying(intent);
  const stage = await new Stage({ ...options, limits }).play(2 * MINUTE);
  expect(stage.venue.sends).toBe(1);
  return { stage, fills, books: stage.runner.kernel.context.accountState };
}

describe('an impossible settlement', () => {
  test.each<[string, 'market' | 'limit', Partial<Settlement>]>([
    ['1e30 shares', 'market', { receive: parseShares(`1${'0'.repeat(30)}`) }],
    ['a price far from every quote', 'market', { price: parsePrice('213'), receive: parseShares('4.69') }],
    ['above the limit', 'limit', { price: parsePrice('99.5') }],
    ['no shares for its money', 'market', { receive: 0n }],
    ['fees of nine tenths', 'market', { mintFee: parseCash('900') }],
  ])(
    '(%s) is not booked or shown to the strategy, and its stock is frozen',
    async (_name, intent, changes) => {
      const { stage, fills, books: accountState } = await sentBy(intent);
      const { settlement } = settle(stage, changes);
      await stage.pass(20 * SECOND);

      expect(fills).toEqual([]);
      expect(accountState.live.size).toBe(1);
      expect(accountState.ledger.held('solo', AAPL)).toBe(0n);
      expect(accountState.frozen.get(AAPL)).toMatch(/its settlement cannot be: .* mUSD for .* AAPL at /);
      expect(stage.alarms.filter((text) => text.includes('its settlement cannot be'))).toHaveLength(1);
      expect(settlement).not.toBeNull();
    },
  );

  test('is booked when the venue reports a possible one', async () => {
    const { stage, fills, books: accountState } = await sentBy('market');
    const row = settle(stage, { receive: parseShares('100') });
    await stage.pass(20 * SECOND);
    if (row.settlement) row.settlement = { ...row.settlement, receive: parseShares('10') };
    await stage.pass(20 * SECOND);
    expect(fills).toHaveLength(1);
    expect(accountState.ledger.held('solo', AAPL)).toBe(parseShares('10'));
  });
});

describe('an impossible settlement that an operator has accepted', () => {
  /** Releases the symbol on the venue's account. */
  function release({ clock }: Stage, books: AccountState) {
    const shown = books.freezes.causes(AAPL)[0]?.shown;
    if (shown === undefined) throw new Error('it shows nothing');
    books.apply({ at: clock.now(), fact: { kind: 'released', symbol: AAPL, reason: 'seen', shown } });
  }

  test('is booked when the account shows it', async () => {
    const { stage, fills, books } = await sentBy('market');
    settle(stage, { price: parsePrice('150'), receive: parseShares('6.67') });
    stage.venue.holdings.set('AAPL', parseShares('6.67'));
    await stage.pass(40 * SECOND);
    release(stage, books);
    await stage.pass(20 * SECOND);
    expect(fills).toHaveLength(1);
    expect(books.ledger.held('solo', AAPL)).toBe(parseShares('6.67'));
    expect(books.frozen.has(AAPL)).toBe(false);
  });

  test.each(['market', 'limit'] as const)(
    'is not booked while the account does not show it, until the venue reports a possible one (%s)',
    async (intent) => {
      const { stage, fills, books } = await sentBy(intent);
      const row = settle(stage, { pay: parseCash('0.001'), receive: 0n, price: parsePrice('0') });
      stage.venue.holdings.set('AAPL', 0n);
      stage.venue.cash = parseCash('100000');
      Object.assign(row, { status: 'cancelled', rawStatus: 'cancelled' });
      await stage.pass(40 * SECOND);
      release(stage, books);
      await stage.pass(60 * SECOND);
      expect(books.live.size).toBe(1);
      expect(books.frozen.get(AAPL)).toMatch(/was accepted, and the account does not show these amounts/);
      expect(books.ledger.total('mUSD')).toBe(parseCash('100000'));

      row.settlement = null;
      await stage.pass(3 * MINUTE);
      expect(books.live.size).toBe(0);
      expect(books.ledger.total('mUSD')).toBe(parseCash('100000'));
      expect(fills).toEqual([]);
    },
  );
});

test('a settlement is reversed when the venue later reports no fill and the account agrees', async () => {
  const { stage, books } = await sentBy('limit');
  const row = settle(stage, {});
  await stage.pass(40 * SECOND);
  expect(books.ledger.held('solo', AAPL)).toBe(parseShares('10'));
  stage.venue.holdings.set('AAPL', 0n);
  stage.venue.cash = parseCash('100000');
  Object.assign(row, { status: 'cancelled', rawStatus: 'cancelled', settlement: null });
  await stage.pass(3 * MINUTE);
  expect(books.ledger.held('solo', AAPL)).toBe(0n);
  expect(books.ledger.total('mUSD')).toBe(parseCash('100000'));
  expect(books.frozen.has(AAPL)).toBe(true);
});

describe('a fill far from the quotes', () => {
  const far = { price: parsePrice('118'), receive: parseShares('8.474576') };

  test.each<[string, Limits, Partial<Settlement>, isFar: boolean]>([
    ['by 18 %, where no band is set', {}, far, true],
    [
      'by 5.4 %, within 500 bps and the collar',
      {},
      { price: parsePrice('105.4'), receive: parseShares('9.487666') },
      false,
    ],
    [
      'by 1.4 %, within the price band and the collar',
      { priceBandBps: 100 },
      { price: parsePrice('101.4'), receive: parseShares('9.861932') },
      false,
    ],
    [
      'by 1.6 %, beyond the price band and the collar',
      { priceBandBps: 100 },
      { price: parsePrice('101.6'), receive: parseShares('9.842519') },
      true,
    ],
    [
      'by 1.6 % too cheap',
      { priceBandBps: 100 },
      { price: parsePrice('98.4'), receive: parseShares('10.162601') },
      true,
    ],
    ['by 18 %, within its own band', { fillBandBps: 1_900, priceBandBps: 100 }, far, false],
  ])('%s is booked, and raises an alarm when it is too far', async (...[, limits, changes, isFar]) => {
    const { stage, fills, books } = await sentBy('market', limits);
    settle(stage, changes);
    await stage.pass(20 * SECOND);
    expect(fills).toHaveLength(1);
    expect(books.ledger.held('solo', AAPL)).toBe(changes.receive);
    expect(stage.alarms.filter((text) => text.includes('limits.fillBandBps'))).toHaveLength(isFar ? 1 : 0);
    expect(books.frozen.has(AAPL)).toBe(isFar);
    expect(books.freezes.againstSale(AAPL, true)).toBeNull();
  });

  test('names both prices and the command to continue', async () => {
    const { stage } = await sentBy('market');
    settle(stage, far);
    await stage.pass(20 * SECOND);
    expect(stage.alarms.join()).toMatch(
      /AAPL is frozen: order solo-1\.1: it bought at 118, 18 % above 100; quotes while it lived were 100 to 100 .* `drover unfreeze AAPL --reason TEXT` goes on/,
    );
  });

  test('counts, too, when a cancel ended the order', async () => {
    const { stage, books } = await sentBy('limit');
    const row = stage.venue.last;
    stage.venue.fill(row, 'cancelled', parseShares('4'));
    if (row.settlement)
      row.settlement = { ...row.settlement, price: parsePrice('82'), pay: parseCash('328') };
    await stage.pass(20 * SECOND);
    expect(books.ledger.held('solo', AAPL)).toBe(parseShares('4'));
    expect(books.frozen.get(AAPL)).toMatch(/it bought at 82, 17.17 % below 99;/);
  });

  test('is accepted when the next quote confirms the price', async () => {
    const { stage, fills, books } = await sentBy('market');
    await stage.pass(SECOND);
    stage.venue.prices.set('AAPL', parsePrice('112'));
    settle(stage, { price: parsePrice('112'), receive: parseShares('8.928571') });
    await stage.pass(20 * SECOND);
    expect(fills).toHaveLength(1);
    expect(books.frozen.size).toBe(0);
  });

  test('waits for the next quote when it is read before that, and is accepted by it', async () => {
    const { stage, fills, books } = await sentBy('market');
    settle(stage, { price: parsePrice('112'), receive: parseShares('8.928571') });
    await stage.pass(5 * SECOND);
    expect(fills).toEqual([]);
    stage.venue.prices.set('AAPL', parsePrice('112'));
    await stage.pass(20 * SECOND);
    expect(fills).toHaveLength(1);
    expect(books.frozen.size).toBe(0);
  });

  test('raises an alarm, too, when a restart finds it', async () => {
    const { hooks, data: needs, fills } = buying('market');
    const before = await new Stage({ hooks, data: needs }).play(2 * MINUTE);
    before.crash();
    await before.pass(10 * MINUTE);
    settle(before, far);
    before.venue.holdings.set('AAPL', far.receive);
    const stage = await new Stage({ hooks, data: needs, after: before }).play(MINUTE);
    expect(fills).toHaveLength(1);
    expect(stage.alarms.join()).toMatch(
      /18 % above 100; quotes of the part of its life that was watched were/,
    );
  });

  test('of a sell freezes its stock against buys and sells', async () => {
    const hooks: StrategyHooks = {
      onStart: ({ order }) => void order.buy('AAPL', { notional: 1_000 }),
      onTimer: ({ order }) => void order.sell('AAPL', { shares: 5 }),
    };
    const stage = await new Stage({ hooks: { solo: hooks }, data }).play(10 * SECOND);
    stage.venue.fill(stage.venue.last);
    await stage.pass(2 * MINUTE);
    expect(stage.venue.sends).toBe(2);
    settle(stage, { price: parsePrice('82'), receive: parseCash('409.59') });
    await stage.pass(20 * SECOND);
    const { freezes } = stage.runner.kernel.context.accountState;
    expect(freezes.againstSale(AAPL, true)).toMatch(/it sold at 82, 18 % below 100/);
  });
});

describe('a possible settlement', () => {
  test("at a price quoted once during the order's life is booked", async () => {
    const { stage, fills } = await sentBy('market');
    for (const quoted of ['118', '135', '118', '100']) {
      stage.venue.prices.set('AAPL', parsePrice(quoted));
      await stage.pass(10 * SECOND);
    }
    settle(stage, { price: parsePrice('140'), receive: parseShares('7.14') });
    await stage.pass(20 * SECOND);
    expect(fills).toHaveLength(1);
  });

  test('at a price that jumped is booked once the jump is confirmed', async () => {
    const { stage, fills, books: accountState } = await sentBy('market');
    stage.venue.prices.set('AAPL', parsePrice('150'));
    settle(stage, { price: parsePrice('150'), receive: parseShares('6.67') });
    await stage.pass(20 * SECOND);
    expect(fills).toHaveLength(1);
    expect(accountState.frozen.size).toBe(0);
  });

  test("after a restart is booked although the prices of the order's life are unknown", async () => {
    const { hooks, data: needs, fills } = buying('market');
    const before = await new Stage({ hooks, data: needs }).play(2 * MINUTE);
    before.crash();
    await before.pass(10 * MINUTE);
    settle(before, { price: parsePrice('150'), receive: parseShares('6.67') });
    before.venue.holdings.set('AAPL', parseShares('6.67'));
    await new Stage({ hooks, data: needs, after: before }).play(MINUTE);
    expect(fills).toHaveLength(1);
  });
});

test('a payment beyond shares times price is booked as a fee, reported, and added to later reserves', async () => {
  const { stage, fills, books } = await sentBy('market');
  // 9.88 shares at 100 are 988 mUSD: the settlement names 1 of the excess.
  const row = settle(stage, {
    receive: parseShares('9.88'),
    price: parsePrice('100'),
    mintFee: parseCash('1'),
  });
  await stage.pass(40 * SECOND);
  const paid = row.settlement?.pay ?? 0n;
  expect(fills).toHaveLength(1);
  expect(books.ledger.held('solo', AAPL)).toBe(parseShares('9.88'));
  expect(books.ledger.total('mUSD')).toBe(parseCash('100000') - paid);
  const taken = formatDecimal(paid - parseCash('988'));
  expect(stage.alarms.filter((text) => text.includes('fees have risen'))).toEqual([
    expect.stringContaining(`(${taken} of 988 mUSD)`),
  ]);
  expect(stage.lines.filter((line) => line.includes('"feeTaken"'))).toHaveLength(1);
});
