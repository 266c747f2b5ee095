import { describe, expect, test } from 'vitest';
import { judged, sightingsIn } from '../../../src/app/doctor/assumptions/dividends.ts';
import { tradingCalendar } from '../../../src/calendar/index.ts';
import { parseCash, parsePrice, parseShares, shares, type Shares } from '../../../src/core/amount.ts';
import type { EpochMs } from '../../../src/core/brand.ts';
import {
  dividendRulesOf,
  type DividendRules,
  type DividendWay,
  type Payment,
} from '../../../src/domain/corporateAction.ts';
import type { JournalEvent } from '../../../src/domain/journalEvent.ts';
import { AccountJournal } from '../../domain/accountJournal.ts';
import { AAPL } from '../../domain/orders.ts';

const price = parsePrice('100');
const rulesOf = (dividends: DividendWay): DividendRules => dividendRulesOf({ dividends });
const action: Payment = {
  kind: 'payment',
  name: 'cash_dividend',
  symbol: AAPL,
  exDate: '2026-02-16',
  payableDate: '2026-03-02',
  perShare: parseCash('0.5'),
};
const DUE = ['2026-02-17', '09:30'] as const;

/** Journal of an account with 10 AAPL, up to the ex-date. */
const held = () => new AccountJournal().open('1000', [[AAPL, '10', '100']]).on(...DUE);
const entitled = (way: DividendWay = 'cash') => {
  const journal = held();
  const id = journal.entitle('0.5', '2026-03-02', rulesOf(way));
  return { id, journal: journal.on('2026-03-02') };
};
const session = (journal: AccountJournal, date: string) =>
  journal.on(date, '16:00').add({ kind: 'session', change: 'closed', date, equity: [] });
const difference = (asset: 'mUSD' | typeof AAPL, before: string, more: string): JournalEvent => ({
  kind: 'difference',
  asset,
  expected: parseShares(before),
  actual: shares(parseShares(before) + parseShares(more)),
});
const seen = (journal: AccountJournal, way: DividendWay = 'cash', announced: readonly Payment[] = []) => {
  const rules = rulesOf(way);
  const calendar = tradingCalendar;
  const priceAt = (_: unknown, at: EpochMs) => (at < Infinity ? price : null);
  const sightings = sightingsIn(journal.entries, { announced, rules, calendar, priceAt });
  return judged(sightings, rules).map(({ entry, detail, ...rest }) => ({ ...rest, entry, detail }));
};

describe("doctor's report on dividends in a journal", () => {
  test('names cash that was booked, as assumed', () => {
    const { journal, id } = entitled();
    expect(seen(journal.pay(id))).toEqual([
      {
        entry: 'stocks.AAPL.dividends',
        state: 'as assumed',
        detail:
          'as assumed, cash: cash dividend of AAPL on 2026-02-17, 0.5 a share: 5.00 mUSD booked on 2026-03-02',
      },
    ]);
  });

  test('names a dividend that came in another way, with the config line to write', () => {
    const { journal } = entitled();
    const [found] = seen(journal.add(difference(AAPL, '10', '0.05')));
    expect(found).toMatchObject({
      state: 'differs',
      edit: 'stocks:\n  AAPL: { dividends: tokens }',
    });
    expect(found?.detail).toContain(
      'tokens, and cash is assumed: cash dividend of AAPL on 2026-02-17, 0.5 a share: the balance grew by 0.05 AAPL on 2026-03-02, worth 5.00 mUSD of 5.00 due',
    );
    const other = entitled('tokens').journal.add(difference('mUSD', '1000', '5'));
    expect(seen(other, 'tokens')[0]).toMatchObject({
      state: 'differs',
      edit: 'stocks:\n  AAPL: { dividends: cash }',
    });
  });

  test('ignores growth of another size or at another time', () => {
    const { journal } = entitled();
    const other = journal.add(difference(AAPL, '10', '3'), difference('mUSD', '1000', '5.01'));
    expect(seen(other)).toMatchObject([{ state: 'unchecked' }]);
    const reduced = (date: string) =>
      session(
        held()
          .on(date)
          .add(difference('mUSD', '1000', '4.25')),
        date,
      );
    expect(seen(reduced('2026-03-02'), 'price', [action])).toMatchObject([
      {
        state: 'unchecked',
        detail: expect.stringContaining('4.25 mUSD came on 2026-03-02, where 5.00 mUSD were due') as string,
      },
    ]);
    expect(seen(reduced('2026-04-02'), 'price', [action])).toMatchObject([{ state: 'as assumed' }]);
    expect(seen(held().add(difference(AAPL, '10', '0.05')))).toEqual([]);
  });

  test('names shares that were booked, and a dividend that an operator ended without payment', () => {
    const tokens = (quantity: string): JournalEvent => ({
      kind: 'paidInTokens',
      id: entitled('tokens').id,
      price,
      parts: quantity === '0' ? [] : [['', parseShares(quantity) as Shares]],
    });
    const came = entitled('tokens').journal.add(tokens('0.05'));
    expect(seen(came, 'tokens')).toMatchObject([{ state: 'as assumed' }]);
    const ended = entitled('tokens').journal.add(tokens('0'));
    expect(seen(ended, 'tokens')).toMatchObject([
      { state: 'differs', edit: 'stocks:\n  AAPL: { dividends: price }' },
    ]);
  });

  test('names the correction of a dividend, not the dividend that the venue corrected', () => {
    const { journal, id } = entitled();
    journal.add({ kind: 'paidInTokens', id, price, parts: [] });
    journal.on(...DUE);
    const corrected = journal.entitle('0.6', '2026-03-02');
    const found = seen(journal.on('2026-03-02').pay(corrected));
    expect(found).toMatchObject([
      { state: 'as assumed', detail: expect.stringContaining('0.6 a share') as string },
    ]);
  });

  test('is “nothing yet” before the payable date, and “nothing” after it', () => {
    expect(seen(session(entitled().journal, '2026-02-27'))[0]).toMatchObject({
      state: 'unchecked',
      detail: expect.stringContaining('nothing has arrived yet, and it is payable on 2026-03-02') as string,
    });
    expect(seen(session(entitled().journal, '2026-03-02'))[0]).toMatchObject({
      state: 'unchecked',
      detail: expect.stringContaining('neither cash nor shares have arrived') as string,
    });
  });

  test('names the price alone if an announced dividend brought neither cash nor shares', () => {
    const announced = [action, { ...action, exDate: '2025-12-15' }];
    expect(seen(session(held(), '2026-03-02'), 'price', announced)).toMatchObject([{ state: 'as assumed' }]);
    const paid = session(
      held()
        .on('2026-03-02')
        .add(difference('mUSD', '1000', '5')),
      '2026-03-02',
    );
    expect(seen(paid, 'price', announced)).toMatchObject([
      { state: 'differs', edit: 'stocks:\n  AAPL: { dividends: cash }' },
    ]);
    const empty = new AccountJournal().open('1000').on(...DUE);
    expect(seen(session(empty, '2026-03-02'), 'price', announced)).toEqual([]);
    expect(seen(session(held(), '2026-02-17'), 'price', announced)).toMatchObject([{ state: 'unchecked' }]);
  });

  test('names the latest dividend whose payment is proven', () => {
    const { journal, id } = entitled();
    journal.pay(id).on('2026-05-18', '09:30').entitle('0.6', '2026-06-01');
    expect(seen(journal)).toMatchObject([{ state: 'as assumed' }]);
  });
});
