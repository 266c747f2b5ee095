import { chmodSync, cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { journalFile } from '../../../../src/app/environment/ownership.ts';
import { parsePrice, parseShares } from '../../../../src/core/amount.ts';
import { dividendRulesOf } from '../../../../src/domain/corporateAction.ts';
import { openSqliteJournal } from '../../../../src/store/sqliteJournal.ts';
import { AccountJournal } from '../../../domain/accountJournal.ts';
import { handYear } from '../../../domain/lots/year.ts';
import { AAPL } from '../../../domain/orders.ts';
import { drover } from '../../support/commandLine.ts';
import { emptyState } from '../../support/stateFolder.ts';

/** State folder with the journal of an account; the writer stays open, as during a run. */
function stateOf({ entries, at }: AccountJournal): string {
  const state = emptyState();
  const journal = openSqliteJournal(journalFile(state));
  journal.commit([{ at, fact: { kind: 'epoch', epoch: 1 } }, ...entries]);
  return state;
}

const YEAR = stateOf(handYear());
const run = async (...argv: readonly string[]) => {
  const { code, out, err } = await drover([...argv, '--state', YEAR]);
  expect([code, err]).toEqual([0, '']);
  return out;
};
const json = async (...argv: readonly string[]): Promise<unknown> => JSON.parse(await run(...argv, '--json'));

describe('drover fills', () => {
  test('prints a table with totals', async () => {
    expect(await run('fills'))
      .toBe(`time              strategy  symbol  side  shares   price  notional  fees      cash  order  transaction
2026-01-05 10:00  alpha     AAPL    buy       10  100.00   1000.00  1.10  -1001.10  w1.1   0xw1.1
2026-02-02 10:00  alpha     AAPL    buy       10  120.00   1200.00  1.32  -1201.32  w2.1   0xw2.1
2026-03-16 10:00  alpha     AAPL    sell       4  130.00    520.00  0.05    519.95  w3.1   0xw3.1
2026-05-04 10:00  alpha     AAPL    buy       16   24.00    384.00  0.42   -384.42  w4.1   0xw4.1
2026-08-03 10:00  alpha     AAPL    sell      50   35.00   1750.00  0.18   1749.83  w5.1   0xw5.1
5 fills                                                    4854.00  3.07   -317.07
`);
  });

  test('prints every digit as CSV and JSON', async () => {
    const [head, , , sell] = (await run('fills', '--csv')).split('\n');
    expect(head).toBe(
      'time,date,strategy,symbol,side,shares,price,notional,mintFee,protocolFee,cash,deferred,order,intent,tag,reason,venueOrder,txHash',
    );
    expect(sell).toBe(
      '2026-03-16T14:00:00Z,2026-03-16,alpha,AAPL,sell,4,130,520,0,0.052,519.948,false,w3.1,w3,,test,0xvw3.1,0xw3.1',
    );
    expect(await json('fills')).toMatchObject({
      fills: [{ order: 'w1.1', txHash: '0xw1.1', cash: '-1001.1', mintFee: '1.1' }, {}, {}, {}, {}],
      totals: { fills: 5, bought: '2584', sold: '2270', fees: '3.0694', cash: '-317.0694' },
    });
  });

  test('prints nothing for another year', async () => {
    expect(await run('fills', '--year', '2019')).toBe('no fills\n');
    expect(await json('fills', '--year', '2019')).toMatchObject({
      fills: [],
      totals: { fills: 0, cash: '0' },
    });
  });
});

describe('drover lots', () => {
  test('prints a table by the chosen method', async () => {
    expect(await run('lots', '--method', 'highest')).toBe(`Sold (highest)
sold        acquired    symbol  shares  proceeds    basis    gain  days  term   source
2026-03-16  2026-02-02  AAPL         4    519.95   480.53   39.42    42  short  bought
2026-08-03  2026-02-02  AAPL        24    839.92   720.79  119.12   182  short  bought
2026-08-03  2026-01-05  AAPL        26    909.91   650.72  259.19   210  short  bought
total                                    2269.77  1852.04  417.74
short term 417.74, long term 0.00

Held
acquired    symbol  shares   basis  source
2026-01-05  AAPL        14  350.39  bought
2026-05-04  AAPL        16  384.42  bought
total                       734.81
`);
  });

  test.each([
    ['fifo', '487.815', '804.8844'],
    ['lifo', '433.7556', '750.825'],
    ['highest', '417.738', '734.8074'],
  ])('by %s has gains of %s, and %s of basis held', async (...given) => {
    const [method, gain, openBasis] = given;
    expect(await json('lots', '--method', method)).toMatchObject({
      method,
      totals: {
        proceeds: '2269.773',
        gain,
        shortGain: gain,
        longGain: '0',
        otherGain: '0',
        openBasis,
        unknownBasis: 0,
      },
    });
  });

  test('for a year prints what was sold in it and what was held at its end', async () => {
    const journal = new AccountJournal('2024-12-30').open('10000').allocate('10000');
    journal.trade({ side: 'buy', quantity: '2', price: '100' });
    journal.on('2025-12-31', '21:00').trade({ side: 'sell', quantity: '1', price: '110' });
    journal.on('2026-01-02').trade({ side: 'sell', quantity: '1', price: '120' });
    const state = stateOf(journal);
    const of = async (year: string) =>
      JSON.parse((await drover(['lots', '--json', '--year', year, '--state', state])).out) as unknown;
    // 21:00 in New York is the next day in UTC: the sale still belongs to 2025, and is a day after the anniversary
    expect(await of('2025')).toMatchObject({
      closed: [{ gain: '10', days: 366, term: 'long' }],
      open: [{ shares: '1', basis: '100' }],
    });
    expect(await of('2026')).toMatchObject({ closed: [{ gain: '20', term: 'long' }], open: [] });
    expect(await of('2024')).toMatchObject({ closed: [], open: [{ shares: '2' }] });
  });

  test('marks stock from before the first start and from the wallet, whose holding period is unknown', async () => {
    const journal = new AccountJournal('2024-01-02').open('1000', [[AAPL, '5', '80']]).allocate('500');
    journal.add({ kind: 'walletOpened', tokens: [], stocks: [[AAPL, parseShares('3')]] });
    journal.on('2026-01-05').trade({ side: 'sell', quantity: '2', price: '100', strategyId: '' });
    journal.trade({ side: 'sell', quantity: '1', price: '100', deferred: true });
    journal.transfer('stockWithdrawal', { amount: '1', value: '100' });
    const state = stateOf(journal);
    const csv = await drover(['lots', '--csv', '--state', state]);
    expect(csv.out)
      .toBe(`status,symbol,strategy,acquired,sold,shares,proceeds,basis,gain,days,term,source,order
sold,AAPL,unallocated,2024-01-02,2026-01-05,2,200,160,40,,,opening,w1.1
sold,AAPL,alpha,,2026-01-05,1,100,,,,,wallet,w2.1
movedOut,AAPL,unallocated,2024-01-02,2026-01-05,1,,80,,,,opening,
open,AAPL,unallocated,2024-01-02,,2,,160,,,,opening,
`);
    const { out } = await drover(['lots', '--state', state]);
    expect(out).toContain('short term 0.00, long term 0.00, other 40.00\n1 without a known cost basis');
    const alone = await drover(['lots', '--json', '--strategy', 'alpha', '--state', state]);
    expect(JSON.parse(alone.out)).toMatchObject({ closed: [{ source: 'wallet' }], open: [], movedOut: [] });
  });
});

describe('drover income', () => {
  test('prints each dividend once, however many strategies own the stock', async () => {
    expect(await run('income')).toBe(`Paid
ex-date     payable     paid        symbol  kind           shares  per share  amount
2026-02-16  2026-03-02  2026-03-02  AAPL    cash dividend      20        0.5   10.00
2026-06-15  2026-07-01  2026-07-01  AAPL    cash dividend      80        0.2   16.00
total                                                                          26.00

The venue pays no interest.
`);
  });

  test('prints due dividends separately', async () => {
    const journal = new AccountJournal().open('1000', [[AAPL, '5', '80']]).allocate('500');
    journal.trade({ side: 'buy', quantity: '2', price: '100' });
    journal.entitle('0.25', '2026-02-02');
    const { out } = await drover(['income', '--json', '--state', stateOf(journal)]);
    expect(JSON.parse(out)).toMatchObject({
      paid: [],
      due: [
        {
          status: 'due',
          shares: '7',
          perShare: '0.25',
          amount: '1.75',
          payableDate: '2026-02-02',
          paid: null,
        },
      ],
      totals: { paid: '0', due: '1.75' },
    });
  });
});

/**
 * Income over two years, worked out by hand: 8 shares from 1 December 2025 on.
 *
 *  15 Dec 2025   ex-date of 0.50 a share on 8      4.00, paid on 12 January 2026: income of 2026
 *  20 Dec 2025   one more of 0.25 a share on 8     2.00, paid on 30 December: income of 2025
 *   3 Feb 2026   3 are sold
 *  16 Mar 2026   ex-date of 0.50 a share on 5      2.50, not paid yet
 */
test("income counts in the year it is paid, and as due at the end of its ex-date's year", async () => {
  const journal = new AccountJournal('2025-12-01').open('1000').allocate('1000');
  journal.trade({ side: 'buy', quantity: '8', price: '100' });
  const first = journal.on('2025-12-15', '09:30').entitle('0.5', '2026-01-12');
  const second = journal.on('2025-12-20', '09:30').entitle('0.25', '2025-12-30');
  journal.on('2025-12-30').pay(second).on('2026-01-12').pay(first);
  journal.on('2026-02-03').trade({ side: 'sell', quantity: '3', price: '110' });
  journal.on('2026-03-16', '09:30').entitle('0.5', '2026-04-13');
  const state = stateOf(journal);
  const of = async (...argv: readonly string[]) => {
    const { out } = await drover(['income', '--json', ...argv, '--state', state]);
    const { paid, due, totals } = JSON.parse(out) as Record<'paid' | 'due', { amount: string }[]> & {
      totals: unknown;
    };
    return [paid.map(({ amount }) => amount), due.map(({ amount }) => amount), totals];
  };
  expect(await of('--year', '2025')).toEqual([['2'], ['4'], { paid: '2', due: '4' }]);
  expect(await of('--year', '2026')).toEqual([['4'], ['2.5'], { paid: '4', due: '2.5' }]);
  expect(await of()).toEqual([['4', '2'], ['2.5'], { paid: '6', due: '2.5' }]);
});

/**
 * Dividends in tokens, worked out by hand: 1.25 a share, of which 20 % are withheld.
 *
 *  2 Jan    8 bought at 100 by alpha, 2 unallocated at 80          10 AAPL
 *  9 Feb    due: 8 for alpha, 2 unallocated                         10.00
 * 10 Feb    0.1 came at 99: 0.08 for alpha, 0.02 unallocated         9.90, the basis of the two lots
 * 12 Feb    alpha sells 8.04 at 110, the oldest first              884.40, of which 4.40 for 0.04 of the dividend: 3.96
 */
test('a dividend in tokens is income and a separate lot, at its value on the day it arrived', async () => {
  const journal = new AccountJournal('2026-01-02').open('1000', [[AAPL, '2', '80']]).allocate('1000');
  journal.trade({ side: 'buy', quantity: '8', price: '100' });
  const rules = dividendRulesOf({ dividends: 'tokens', withheldPercent: 20 });
  const id = journal.on('2026-02-09', '09:30').entitle('1.25', '2026-02-10', rules);
  const parts = [
    ['alpha', parseShares('0.08')],
    ['', parseShares('0.02')],
  ] as const;
  journal.on('2026-02-10').add({ kind: 'paidInTokens', id, price: parsePrice('99'), parts });
  journal.on('2026-02-12').trade({ side: 'sell', quantity: '8.04', price: '110' });
  const state = stateOf(journal);
  const income = await drover(['income', '--json', '--state', state]);
  expect(JSON.parse(income.out)).toMatchObject({
    paid: [{ paid: '2026-02-10', shares: '10', perShare: '1.25', amount: '9.9', tokens: '0.1', price: '99' }],
    due: [],
    totals: { paid: '9.9', due: '0' },
  });
  expect((await drover(['income', '--state', state])).out).toContain('cash dividend as 0.1 at 99');
  const lots = JSON.parse((await drover(['lots', '--json', '--state', state])).out) as {
    closed: object[];
    open: object[];
  };
  expect(lots.closed).toMatchObject([
    { shares: '2', basis: '160', source: 'opening' },
    { shares: '6.04', basis: '604', source: 'bought' },
  ]);
  const alone = JSON.parse(
    (await drover(['lots', '--json', '--strategy', 'alpha', '--state', state])).out,
  ) as {
    closed: object[];
    open: object[];
  };
  expect(alone.closed).toMatchObject([
    { shares: '8', basis: '800', source: 'bought' },
    {
      shares: '0.04',
      basis: '3.96',
      proceeds: '4.4',
      gain: '0.44',
      days: 2,
      term: 'short',
      source: 'dividend',
    },
  ]);
  expect(alone.open).toMatchObject([
    { shares: '0.04', basis: '3.96', acquired: '2026-02-10', source: 'dividend' },
  ]);
});

test('income does not list a dividend that ended without payment, and the report says that nothing came', async () => {
  const journal = new AccountJournal('2026-01-02').open('1000').allocate('1000');
  journal.trade({ side: 'buy', quantity: '8', price: '100' });
  const id = journal.on('2026-02-09', '09:30').entitle('1.25', '2026-02-10');
  journal.on('2026-02-12').add({ kind: 'paidInTokens', id, price: parsePrice('0'), parts: [] });
  const state = stateOf(journal);
  const { out } = await drover(['income', '--json', '--state', state]);
  expect(JSON.parse(out)).toMatchObject({ paid: [], due: [], totals: { paid: '0', due: '0' } });
  const record = await drover(['report', '--state', state, '--json']);
  const text = 'nothing came: cash dividend of AAPL on 2026-02-09, 1.25 a share';
  expect(JSON.parse(record.out)).toMatchObject({ events: [{ kind: 'dividend', text }] });
});

test('fills, lots and income of an empty journal are empty', async () => {
  const state = emptyState();
  const journal = openSqliteJournal(journalFile(state));
  journal.commit([{ at: new AccountJournal().at, fact: { kind: 'epoch', epoch: 1 } }]);
  expect((await drover(['fills', '--state', state])).out).toBe('no fills\n');
  expect((await drover(['lots', '--state', state])).out).toBe(
    'Sold (fifo)\nno lots sold\n\nHeld\nno lots held\n',
  );
  expect((await drover(['income', '--state', state])).out).toContain('no dividends paid');
});

test('fills and lots read a journal of version 0.3.0, with the price before its start as basis', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drover-'));
  const fixture = fileURLToPath(new URL('../../../fixtures/journal-0.3.0/state', import.meta.url));
  cpSync(fixture, folder, { recursive: true });
  chmodSync(folder, 0o700);
  const fills = await drover(['fills', '--json', '--state', folder]);
  expect([fills.code, fills.err]).toEqual([0, '']);
  expect(JSON.parse(fills.out)).toMatchObject({ totals: { fills: expect.any(Number) as number } });
  const lots = await drover(['lots', '--json', '--state', folder]);
  expect(JSON.parse(lots.out)).toMatchObject({ totals: { unknownBasis: 0 } });
});

test.each(['fills', 'lots', 'income'])(
  '%s of a stock that the journal has not says which it has',
  async (name) => {
    const { code, err } = await drover(withState([name, '--symbol', 'ZZZZ']));
    expect([code, err]).toEqual([0, '--symbol: this journal has no ZZZZ. It has AAPL\n']);
    expect((await drover(withState([name, '--symbol', 'AAPL']))).err).toBe('');
  },
);

test.each([
  [['fills', '--year', '26'], '--year: "26" is not a year: write YYYY, as 2026'],
  [['lots', '--method', 'average'], 'Allowed choices are fifo, lifo, highest'],
  [['lots', '--strategy', 'gamma'], 'no strategy "gamma". There are alpha, unallocated'],
  [['income', '--symbol', 'no symbol'], 'no symbol'],
  [['lots', '--csv', '--json'], 'choose either --csv or --json'],
  [['fills', '--state', join(tmpdir(), 'nowhere')], 'there is no journal in'],
])('%j is refused with exit 2', async (argv, message) => {
  const { code, out, err } = await drover(withState(argv));
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(message);
});

const withState = (argv: readonly string[]) => (argv.includes('--state') ? argv : [...argv, '--state', YEAR]);
