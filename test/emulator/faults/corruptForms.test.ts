import { expect, test } from 'vitest';
import { Bench } from '../harness.ts';
import { parsedPlan } from './plans.ts';

type Side = Readonly<Record<string, unknown>>;
type Row = Readonly<{ txHash: string; orderId: string; createTime?: number; historyOrder: Side | null }>;

/** Two settled orders, as the list shows them without the rule and with it. */
function rowsUnder(how: string, share?: number) {
  const bench = new Bench();
  for (const notional of ['10', '20']) bench.place({ side: 'Buy', type: 'Market', notional });
  bench.wait(20_000);
  const rows = () => (bench.get('/orders') as { rows: Row[] }).rows;
  const usual = rows();
  bench.command(parsedPlan({ kind: 'form', how, ...(share === undefined ? {} : { share }) }));
  return { usual, rows: rows() };
}

test.each<[how: string, reworded: (usual: Row) => Partial<Row>]>([
  ['upper-case', ({ txHash, orderId }) => ({ txHash: upper(txHash), orderId: upper(orderId) })],
  ['bare', ({ txHash, orderId }) => ({ txHash, orderId: orderId.slice(2) })],
  ['milliseconds', ({ createTime = 0 }) => ({ createTime: createTime * 1_000 })],
  ['link-only', () => ({ historyOrder: null })],
  [
    'garbled',
    () => ({ historyOrder: expect.objectContaining({ settlePay: 'some', status: 'Filled' }) as Side }),
  ],
])('a row in the form "%s" has the same contents, or fewer', (how, reworded) => {
  const { usual, rows } = rowsUnder(how);
  expect(rows).toEqual(usual.map((row) => expect.objectContaining(reworded(row)) as unknown));
});

const upper = (hex: string) => `0x${hex.slice(2).toUpperCase()}`;

test.each<[how: string, told: (usual: string) => unknown]>([
  ['numeric', Number],
  ['padded', (usual) => expect.stringMatching(new RegExp(`^${usual}\\.?0{12,}$`)) as unknown],
  ['garbled', () => 'some'],
  ['untold', (usual) => usual],
])('a balance in the form "%s" has the same amount, or none', (how, told) => {
  const bench = new Bench();
  const cash = () =>
    (bench.get(`/users/${bench.account().userAddress}/balance`) as { mUsdBalance: string }).mUsdBalance;
  const usual = cash();
  bench.command(parsedPlan({ kind: 'form', how }));
  expect(cash()).toEqual(told(usual));
});

test('an unknown amount is null or missing', () => {
  const told = rowsUnder('untold').rows.flatMap(({ historyOrder }) =>
    ['placeNotional', 'pay', 'settlePrice', 'settlePay', 'settleReceive', 'mintFee'].map(
      (name) => historyOrder?.[name],
    ),
  );
  expect(new Set(told)).toEqual(new Set([null, undefined]));
});

test('a form with a probability leaves the other values unchanged', () => {
  const { usual, rows } = rowsUnder('garbled', 0.5);
  const amounts = rows.flatMap(({ historyOrder }) => Object.values(historyOrder ?? {}));
  expect(amounts.filter((value) => value === 'some').length).toBeGreaterThan(0);
  expect(amounts.filter((value) => value === 'some').length).toBeLessThan(18);
  expect(rows.map(({ txHash }) => txHash)).toEqual(usual.map(({ txHash }) => txHash));
});
