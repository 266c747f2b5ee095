import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toNumber } from '../../../src/core/amount.ts';
import { AccountHistory } from '../../../src/domain/account/history.ts';
import { lotsOf } from '../../../src/domain/lots/lotBook.ts';
import { handYear } from '../../domain/lots/year.ts';
import { LiveDays, recordOf } from './liveJournal.ts';
import { AAPL } from '../../domain/orders.ts';
import type { AccountJournal } from '../../domain/accountJournal.ts';
import { runs } from '../../runs.ts';

/** Compares the lots of a record, in float64, with the exact ones of the account, each of them. */
function expectExactLots({ entries }: AccountJournal): void {
  const history = new AccountHistory();
  const changes = entries.flatMap((entry) => history.apply(entry));
  const exact = lotsOf(changes, { method: 'fifo', strategyId: 'alpha' });
  const { lotTrades = [], openLots = [] } = recordOf(entries, 'alpha');
  expect(lotTrades.map(({ entryAt, exitAt }) => [entryAt, exitAt])).toEqual(
    exact.closed.map(({ acquired, sold }) => [acquired, sold]),
  );
  for (const [index, lot] of exact.closed.entries()) {
    expect(lotTrades[index]?.shares).toBeCloseTo(toNumber(lot.shares), 8);
    expect(lotTrades[index]?.pnl).toBeCloseTo(toNumber(lot.gain ?? 0n), 6);
  }
  expect(openLots.map(({ at }) => at)).toEqual(exact.open.map(({ acquired }) => acquired));
  for (const [index, lot] of exact.open.entries()) {
    expect(openLots[index]?.shares).toBeCloseTo(toNumber(lot.shares), 8);
    expect(openLots[index]?.cost).toBeCloseTo(toNumber(lot.basis ?? 0n), 6);
  }
}

test('the lots of a record equal those of the account in a year worked out on paper', () => {
  expectExactLots(handYear());
});

test('unallocated shares moved out are in no lot, and shares from before the run leave first', () => {
  const byHand = (days: LiveDays) => {
    days.trade({ side: 'buy', quantity: '10', price: '100', strategyId: '' });
    return days.transfer('stockWithdrawal', { amount: '5', value: '500', end: 'refused' });
  };
  const left = (days: LiveDays) =>
    recordOf(byHand(days).transfer('stockWithdrawal', { amount: '4', value: '400' }).entries).openLots;
  expect(left(new LiveDays('2026-01-05').open('10000'))).toMatchObject([{ shares: 6, cost: 600 }]);
  const held = new LiveDays('2026-01-05').open('10000', [[AAPL, '3', '90']]);
  expect(left(held)).toMatchObject([{ shares: 9, cost: 900 }]);
});

test('the lots of a record equal those of the account after any trades, splits and moves of stock', () => {
  const step = fc.record({
    what: fc.constantFrom('buy', 'buy', 'sell', 'split', 'in', 'out', 'dividend'),
    shares: fc.integer({ min: 1, max: 9 }),
    price: fc.integer({ min: 20, max: 400 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const days = new LiveDays('2026-01-05').open('1000000').allocate('1000000');
      let held = 0;
      for (const [index, { what, shares, price }] of steps.entries()) {
        days.on(`2026-02-${String(index + 1).padStart(2, '0')}`);
        const isOut = what === 'out' && held >= shares;
        if (what === 'split' && index % 5 === 0) {
          days.split(1n, 2n);
          held *= 2;
        } else if (what === 'in' || isOut) {
          days.accept(isOut ? -shares : shares, price);
          held += isOut ? -shares : shares;
        } else if (what === 'dividend' && held > 0) {
          days.payInTokens(days.entitle('0.5', '2026-03-02'), String(shares), String(price));
          held += shares;
        } else if (what === 'buy' || (what === 'sell' && held >= shares)) {
          days.trade({ side: what, quantity: String(shares), price: String(price), fee: '0.37' });
          held += what === 'buy' ? shares : -shares;
        }
      }
      expectExactLots(days);
    }),
    { numRuns: runs(60) },
  );
});
