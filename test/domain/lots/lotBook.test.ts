import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDecimal, parseCash, parsePrice, parseShares, WAD } from '../../../src/core/amount.ts';
import { DAY_MS, epochMs } from '../../../src/core/brand.ts';
import type { AccountChange } from '../../../src/domain/account/accountChange.ts';
import { AccountHistory } from '../../../src/domain/account/history.ts';
import type { JournalEntry } from '../../../src/domain/journalEvent.ts';
import { LOT_METHODS, type LotMethod, type Lots } from '../../../src/domain/lots/lot.ts';
import { lotsOf } from '../../../src/domain/lots/lotBook.ts';
import { AccountJournal } from '../accountJournal.ts';
import { AAPL, MSFT } from '../orders.ts';
import { handYear, YEAR_END_PRICE } from './year.ts';
import { runs } from '../../runs.ts';

function changesOf(entries: readonly JournalEntry[]): readonly AccountChange[] {
  const history = new AccountHistory();
  return entries.flatMap((entry) => history.apply(entry));
}

const lots = (journal: AccountJournal, method: LotMethod = 'fifo', strategyId?: string): Lots =>
  lotsOf(changesOf(journal.entries), { method, strategyId });

const text = (amount: bigint | null) => (amount === null ? '?' : formatDecimal(amount));
const closedText = ({ closed }: Lots) =>
  closed.map(
    ({ shares, proceeds, basis, gain }) =>
      `${text(shares)}: ${text(proceeds)} - ${text(basis)} = ${text(gain)}`,
  );
const openText = ({ open }: Lots) => open.map(({ shares, basis }) => `${text(shares)}: ${text(basis)}`);

describe('a year of trades worked out on paper', () => {
  // First in, first out: S1 takes 4 of B1 (4 x 100.11 = 400.44). S2 takes the 24 left of B1 (24 x 25.0275 = 600.66, for
  // 24 x 34.9965 = 839.916) and 26 of B2 (26 x 30.033 = 780.858, for 909.909). Gains 487.815; 14 of B2 and B3 stay.
  test('closes the expected lots by fifo', () => {
    const result = lots(handYear(), 'fifo');
    expect(closedText(result)).toEqual([
      '4: 519.948 - 400.44 = 119.508',
      '24: 839.916 - 600.66 = 239.256',
      '26: 909.909 - 780.858 = 129.051',
    ]);
    expect(openText(result)).toEqual(['14: 420.462', '16: 384.4224']);
  });

  // Last in, first out: S1 takes 4 of B2 (4 x 120.132 = 480.528). S2 takes B3 (384.4224, for 16 x 34.9965 = 559.944), the 24
  // left of B2 (720.792, for 839.916) and 10 of B1 (250.275, for 349.965). Gains 433.7556; 30 of B1 stay (30 x 25.0275).
  test('closes the expected lots by lifo', () => {
    const result = lots(handYear(), 'lifo');
    expect(closedText(result)).toEqual([
      '4: 519.948 - 480.528 = 39.42',
      '16: 559.944 - 384.4224 = 175.5216',
      '24: 839.916 - 720.792 = 119.124',
      '10: 349.965 - 250.275 = 99.69',
    ]);
    expect(openText(result)).toEqual(['30: 750.825']);
  });

  // Highest cost: S1 takes 4 of B2. S2 takes the 24 left of B2 (30.033 a share), then 26 of B1 (25.0275: 650.715, for
  // 909.909), and none of B3 (24.0264). Gains 417.738; 14 of B1 (350.385) and B3 stay.
  test('closes the expected lots by highest cost', () => {
    const result = lots(handYear(), 'highest');
    expect(closedText(result)).toEqual([
      '4: 519.948 - 480.528 = 39.42',
      '24: 839.916 - 720.792 = 119.124',
      '26: 909.909 - 650.715 = 259.194',
    ]);
    expect(openText(result)).toEqual(['14: 350.385', '16: 384.4224']);
  });

  test.each(LOT_METHODS)('has gains and dividends equal to the change of equity by %s', (method) => {
    const changes = changesOf(handYear().entries);
    const dividends = changes.filter(({ kind }) => kind === 'paid').reduce((sum, { cash }) => sum + cash, 0n);
    expect(dividends).toBe(parseCash('26'));
    // 9,708.9306 of cash and 30 shares at 36, from 10,000: fifo has 487.815 + 26 + 14 x 36 - 420.462 + 16 x 36 - 384.4224
    const prices = { [AAPL]: YEAR_END_PRICE };
    expect(gainsOf(changes, method, prices)).toBe(parseCash('788.9306') * WAD);
    expect(equityOf(changes, prices)).toBe(parseCash('10788.9306') * WAD);
  });
});

type Prices = Readonly<Record<string, string>>;
const priceIn = (prices: Prices, symbol: string): bigint => parsePrice(prices[symbol] ?? '0');

/** Gains of closed and open lots, of lots that left at their value, and dividends; as wads of wads, so that nothing is rounded. */
function gainsOf(changes: readonly AccountChange[], method: LotMethod, prices: Prices): bigint {
  const { open, closed, movedOut } = lotsOf(changes, { method });
  const known = (basis: bigint | null) => basis ?? 0n;
  const gains = [
    ...closed.map(({ gain }) => known(gain) * WAD),
    ...open.map(({ symbol, shares, basis }) => shares * priceIn(prices, symbol) - known(basis) * WAD),
    ...movedOut.map(({ value, basis }) => (value - known(basis)) * WAD),
    ...changes.map((change) => (change.kind === 'paid' ? change.cash * WAD : 0n)),
  ];
  return gains.reduce((sum, gain) => sum + gain, 0n);
}

/** Cash and stock at the end, as wads of wads. */
const equityOf = (changes: readonly AccountChange[], prices: Prices): bigint =>
  changes.reduce(
    (sum, { cash, symbol, shares }) =>
      sum + cash * WAD + (symbol === null ? 0n : shares * priceIn(prices, symbol)),
    0n,
  );

/** Capital received: opening, flows, and proceeds of deferred sells from the wallet. As wads of wads. */
const capitalOf = (changes: readonly AccountChange[]): bigint =>
  changes.reduce((sum, change) => {
    if (change.kind === 'flow' || change.kind === 'flowReturned') return sum + change.value * WAD;
    if (change.kind === 'opened')
      return sum + change.cash * WAD + ((change.shares * (change.price ?? 0n)) / WAD) * WAD;
    return (change.kind === 'traded' || change.kind === 'reversed') && change.deferred
      ? sum + change.cash * WAD
      : sum;
  }, 0n);

type Step = Readonly<{ what: number; size: number; price: number }>;
const steps = fc.array(
  fc.record({
    what: fc.nat(11),
    size: fc.integer({ min: 1, max: 999_983 }),
    price: fc.integer({ min: 1, max: 40_000 }),
  }),
  { minLength: 5, maxLength: 40 },
);

/** Journal of random trades, flows, splits, dividends and settlements undone by the chain. */
function journalOf(taken: readonly Step[]): AccountJournal {
  const journal = new AccountJournal().open('1000000000', [[AAPL, '3.000000000000000007', '77.77']]);
  journal.allocate('900000000');
  journal.add({ kind: 'walletOpened', tokens: [], stocks: [[AAPL, parseShares('100000')]] });
  for (const step of taken) {
    // One day each, because a split or dividend is identified by its terms and day.
    journal.at = epochMs(journal.at + DAY_MS);
    take(journal, step);
  }
  return journal;
}

function take(journal: AccountJournal, { what, size, price }: Step): void {
  const quantity = formatDecimal(BigInt(size) * 10n ** 13n + 3n);
  const at = formatDecimal(BigInt(price) * 10n ** 16n);
  const held = journal.state.ledger.balance('alpha', 'free', AAPL);
  const buy = { side: 'buy', quantity, price: at, fee: '0.0123' } as const;
  const sell = (amount: bigint) => {
    if (amount > 0n) journal.trade({ side: 'sell', quantity: formatDecimal(amount), price: at, fee: '0' });
  };
  if (what < 4) journal.trade(buy);
  else if (what === 4) sell((held * BigInt(size)) / 1_000_000n);
  else if (what === 5) sell(held);
  else if (what === 6) journal.split(3n, price % 2 === 0 ? 7n : 2n);
  else if (what === 7 && size % 3 === 0) journal.transfer('stockDeposit', { amount: quantity, value: at });
  else if (what === 7) withdraw(journal, at, size % 2 === 0);
  else if (what === 8) journal.trade({ ...buy, side: 'sell', fee: '0', deferred: true });
  else if (what === 9) payNow(journal, `0.${size}`);
  else if (what === 10) undo(journal, buy);
  else journal.transfer('cashWithdrawal', { amount: '12', end: size % 2 === 0 ? 'shown' : 'refused' });
}

function withdraw(journal: AccountJournal, value: string, isDone: boolean): void {
  const free = journal.state.ledger.balance('', 'free', AAPL);
  if (free <= 1n) return;
  journal.transfer('stockWithdrawal', {
    amount: formatDecimal(free / 2n),
    value,
    end: isDone ? 'shown' : 'refused',
  });
}

/** A dividend, paid at once. */
function payNow(journal: AccountJournal, perShare: string): void {
  const before = journal.entries.length;
  const id = journal.entitle(perShare, '2026-12-31');
  if (journal.entries.length > before) journal.pay(id);
}

/** Undoes on chain a buy whose shares are already sold, and settles it again. */
function undo(journal: AccountJournal, buy: Parameters<AccountJournal['trade']>[0]): void {
  const id = journal.trade(buy);
  const held = journal.state.ledger.balance('alpha', 'free', AAPL);
  journal.trade({ side: 'sell', quantity: formatDecimal(held), price: '50' });
  journal.reopen(id).settleAgain(id, buy);
}

test.each(LOT_METHODS)(
  'lots by %s: gains and dividends of any journal are the change of equity less flows',
  (method) => {
    fc.assert(
      fc.property(steps, (taken) => {
        const journal = journalOf(taken);
        const changes = changesOf(journal.entries);
        const prices = { [AAPL]: '123.45' };
        expect(gainsOf(changes, method, prices)).toBe(equityOf(changes, prices) - capitalOf(changes));
        const result = lotsOf(changes, { method });
        expect(result.open.reduce((sum, { shares }) => sum + shares, 0n)).toBe(
          journal.state.ledger.total(AAPL),
        );
      }),
      { numRuns: runs(100) },
    );
  },
);

test('a lot sold in three parts keeps its whole basis, and each sale its proceeds', () => {
  const journal = new AccountJournal().open('1000').allocate('1000');
  journal.trade({ side: 'buy', quantity: '3', price: '33.333333333333333333', fee: '0.000000000000000001' });
  for (let part = 0; part < 3; part++) journal.trade({ side: 'sell', quantity: '1', price: '40' });
  expect(closedText(lots(journal))).toEqual([
    '1: 40 - 33.333333333333333333 = 6.666666666666666667',
    '1: 40 - 33.333333333333333333 = 6.666666666666666667',
    '1: 40 - 33.333333333333333334 = 6.666666666666666666',
  ]);
});

test('opening stock has its opening value, stock moved in its value on arrival, and moving out makes no gain', () => {
  const journal = new AccountJournal().open('1000', [[AAPL, '5', '80']]);
  journal.add({ kind: 'walletOpened', tokens: [], stocks: [[AAPL, parseShares('10')]] });
  journal.transfer('stockDeposit', { amount: '2', value: '180' });
  journal.transfer('stockWithdrawal', { amount: '3', value: '300' });
  journal.trade({ side: 'sell', quantity: '3', price: '100', strategyId: '' });
  const { open, closed, movedOut } = lots(journal);
  expect(movedOut).toMatchObject([
    { source: 'opening', shares: parseShares('3'), basis: parseCash('240'), value: parseCash('300') },
  ]);
  expect(closed).toMatchObject([
    { source: 'opening', shares: parseShares('2'), basis: parseCash('160'), gain: parseCash('40') },
    { source: 'movedIn', shares: parseShares('1'), basis: parseCash('90'), gain: parseCash('10') },
  ]);
  expect(open).toMatchObject([{ source: 'movedIn', shares: parseShares('1'), basis: parseCash('90') }]);
});

test('a stock withdrawal that failed leaves the lots unchanged', () => {
  const journal = new AccountJournal().open('1000', [[AAPL, '5', '80']]);
  journal.transfer('stockWithdrawal', { amount: '3', value: '300', end: 'refused' });
  expect(lots(journal)).toMatchObject({
    open: [{ source: 'opening', basis: parseCash('400') }],
    movedOut: [],
  });
});

test('stock without an opening price has no basis, and its sale no gain', () => {
  const journal = new AccountJournal().open('1000', [[AAPL, '5', '80']]);
  journal.trade({ side: 'sell', quantity: '1', price: '100', strategyId: '' });
  const withoutPrice = changesOf(journal.entries).map((change) =>
    change.kind === 'opened' ? { ...change, price: null } : change,
  );
  const { closed, open } = lotsOf(withoutPrice, { method: 'highest' });
  expect(closed).toMatchObject([{ proceeds: parseCash('100'), basis: null, gain: null }]);
  expect(open).toMatchObject([{ shares: parseShares('4'), basis: null }]);
});

/**
 * A split and a dividend on one day, worked out by hand. The dividend is for each old share, from what was held before the split:
 *
 *   5 Jan   B1 buys 10 at 100, fee 1.10      cost 1,001.10
 *   2 Feb   dividend of 1.50 a share on 10   15.00, due on 2 March; 3:1 split: 30 shares at 33.37
 *   9 Feb   S1 sells 12 at 35, fee 0.042     proceeds 419.958, basis 12 x 33.37 = 400.44
 *   2 Mar   the dividend is paid: 15.00, of the 10 shares of then, though 18 are held now
 *
 * Cash: 1,500 - 1,001.10 + 419.958 + 15 = 933.858, and 18 shares with a basis of 600.66 are left.
 */
test('a dividend on the day of a split pays for the old shares and changes no lot', () => {
  const journal = new AccountJournal('2026-01-02').open('1500').allocate('1500');
  journal.on('2026-01-05').trade({ side: 'buy', quantity: '10', price: '100', fee: '1.1' });
  const id = journal.on('2026-02-02', '09:30').entitle('1.5', '2026-03-02');
  journal.split(1n, 3n);
  expect(journal.state.actions.receivable('alpha')).toBe(parseCash('15'));
  journal.on('2026-02-09').trade({ side: 'sell', quantity: '12', price: '35', fee: '0.042' });
  expect(closedText(lots(journal))).toEqual(['12: 419.958 - 400.44 = 19.518']);
  expect(openText(lots(journal))).toEqual(['18: 600.66']);
  journal.on('2026-03-02').pay(id);
  expect(closedText(lots(journal))).toEqual(['12: 419.958 - 400.44 = 19.518']);
  expect(openText(lots(journal))).toEqual(['18: 600.66']);
  const paid = changesOf(journal.entries).filter(({ kind }) => kind === 'paid');
  expect(paid).toMatchObject([{ cash: parseCash('15'), quantity: parseShares('10') }]);
  expect(journal.state.ledger.held('alpha', 'mUSD')).toBe(parseCash('933.858'));
  expect(journal.state.actions.receivable('alpha')).toBe(0n);
});

/**
 * A deferred sell, worked out by hand: 5 shares at 80 before the first start, of the account; 6 in the wallet.
 *
 *   5 Jan   sells 2 of the wallet at 100, fee 0.02   proceeds 199.98, basis unknown; 2 shares are owed
 *   2 Feb   dividend of 0.50 on 5 + 6 - 2 = 9        4.50, none of it to the strategy, which holds nothing
 *   9 Feb   repays the 2 from the wallet: no sale    the 5 lots at 80 stay
 */
test('a deferred sell has proceeds without a basis, and the shares it owes earn no dividend', () => {
  const journal = new AccountJournal('2026-01-02').open('1000', [[AAPL, '5', '80']]).allocate('100');
  journal.add({ kind: 'walletOpened', tokens: [], stocks: [[AAPL, parseShares('6')]] });
  journal.add({ kind: 'debtsOpened', debts: [] });
  const sell = { side: 'sell', quantity: '2', price: '100', fee: '0.02', deferred: true } as const;
  journal.on('2026-01-05').trade(sell);
  journal.on('2026-02-02', '09:30').entitle('0.5', '2026-02-16');
  const { actions } = journal.state;
  expect([actions.receivables, actions.receivable('alpha')]).toEqual([parseCash('4.5'), 0n]);
  journal.on('2026-02-09').transfer('repay', { amount: '2' });
  expect(actions.receivables).toBe(parseCash('4.5'));
  const { closed, open } = lots(journal);
  expect(closed).toMatchObject([
    { source: 'wallet', acquired: null, proceeds: parseCash('199.98'), basis: null, gain: null },
  ]);
  expect(open).toMatchObject([{ shares: parseShares('5'), basis: parseCash('400') }]);
});

test("a deferred sell closes no lot, since the cost of the wallet's shares is unknown", () => {
  const journal = new AccountJournal().open('1000', [[AAPL, '5', '80']]).allocate('100');
  journal.trade({ side: 'sell', quantity: '2', price: '100', fee: '0.02', deferred: true });
  const { closed, open } = lots(journal);
  expect(closed).toMatchObject([
    { source: 'wallet', acquired: null, proceeds: parseCash('199.98'), gain: null },
  ]);
  expect(open).toMatchObject([{ shares: parseShares('5') }]);
});

test('a buy the chain undid is acquired when it settles again, even if its shares were sold before', () => {
  const journal = new AccountJournal().open('1000').allocate('1000');
  const buy = { side: 'buy', quantity: '3', price: '100' } as const;
  const id = journal.trade(buy);
  journal.on('2026-01-06').trade({ side: 'sell', quantity: '3', price: '110' });
  journal.on('2026-01-07').reopen(id);
  expect(lots(journal)).toMatchObject({
    closed: [{ acquired: null, gain: null, proceeds: parseCash('330') }],
  });
  journal.settleAgain(id, buy);
  const { closed, open } = lots(journal, 'fifo', 'alpha');
  expect(closed).toMatchObject([{ acquired: journal.at, basis: parseCash('300'), gain: parseCash('30') }]);
  expect(open).toEqual([]);
});

test('shares written off realise a loss of their basis', () => {
  const journal = new AccountJournal().open('1000').allocate('1000');
  journal.trade({ side: 'buy', quantity: '3', price: '100', symbol: MSFT });
  const writtenOff = { strategyId: 'alpha', symbol: MSFT, quantity: parseShares('3'), value: parseCash('1') };
  journal.add({ kind: 'writtenOff', ...writtenOff, why: 'delisted' });
  expect(lots(journal).closed).toMatchObject([{ how: 'writtenOff', proceeds: 0n, gain: -parseCash('300') }]);
});

test('the lots of one strategy are kept apart from those of the account', () => {
  const journal = new AccountJournal().open('10000').allocate('1000', 'alpha').allocate('1000', 'beta');
  journal.on('2026-01-05').trade({ side: 'buy', quantity: '1', price: '100', strategyId: 'alpha' });
  journal.on('2026-01-06').trade({ side: 'buy', quantity: '1', price: '200', strategyId: 'beta' });
  journal.on('2026-01-07').split(1n, 3n);
  journal.on('2026-01-08').trade({ side: 'sell', quantity: '3', price: '70', strategyId: 'beta' });
  expect(closedText(lots(journal))).toEqual(['3: 210 - 100 = 110']);
  expect(closedText(lots(journal, 'fifo', 'beta'))).toEqual(['3: 210 - 200 = 10']);
  expect(openText(lots(journal, 'fifo', 'alpha'))).toEqual(['3: 100']);
});
