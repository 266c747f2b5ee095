import { expect, test } from 'vitest';
import { parseCash, parsePrice } from '../../src/core/amount.ts';
import { ticker } from '../../src/domain/instrument.ts';
import type { Truth } from '../../src/emulator/index.ts';
import { Spending } from '../simulation/spending.ts';
import type { TrueOrder } from './sides.ts';
import { SpendingSide } from './spendingSide.ts';

const USER = '0xuser';
const at = (minute: number): string => `2026-06-15T14:0${minute}:00.000Z`;

/** Ten shares at 100 mUSD, less fees. */
const order = (own: Partial<TrueOrder>): TrueOrder => ({
  orderId: '0x1',
  txHash: '0x2',
  userAddress: USER,
  apiKey: 'key',
  symbol: ticker('META'),
  stockAddress: '0x3',
  side: 'Buy',
  type: 'Limit',
  quantity: '10',
  notional: null,
  price: '100',
  status: 'Filled',
  filledQuantity: '10',
  settlePay: '1000',
  settleReceive: '10',
  mintFee: '0',
  protocolFee: '0',
  deadline: at(9),
  minedAt: at(1),
  reserve: '1001',
  settledAt: at(2),
  lie: null,
  ...own,
});

const truth = (now: string, orders: TrueOrder[]): Truth => ({
  now,
  orders,
  accounts: [],
  requests: {},
});

function sideWith({ capital = '2000', position = '5000' }): SpendingSide {
  return new SpendingSide(
    new Spending({
      limits: { positionNotional: parseCash(position), grossExposure: parseCash('100000') },
      capitals: new Map([['insistent', parseCash(capital)]]),
      priceAt: () => parsePrice('100'),
    }),
  );
}

const sell = order({ side: 'Sell', minedAt: at(4), settledAt: at(5), settlePay: '10', settleReceive: '990' });
const twice = [order({}), order({ txHash: '0x4', minedAt: at(3), settledAt: at(6) })];

test('the spending judge reports capital exceeded between two reads, although it is back within by the second', () => {
  const side = sideWith({});
  const found = side.look({ truth: truth(at(7), [...twice, sell]), userAddress: USER }, () => 'insistent');
  expect(found).toEqual([
    { kind: 'exceeded', text: `${at(3)}: insistent has spent 2001 of a capital of 2000` },
  ]);
});

test('the spending judge reports a position above its limit, and each moment only once', () => {
  const side = sideWith({ capital: '9000', position: '1500' });
  const look = (now: string) =>
    side.look({ truth: truth(now, [...twice, sell]), userAddress: USER }, () => 'insistent');
  expect(look(at(2))).toEqual([]);
  expect(look(at(7)).map(({ text }) => text)).toEqual([`${at(3)}: META stands at 2001, above 1500`]);
  expect(look(at(8))).toEqual([]);
});

test('the spending judge ignores reverted orders, orders not yet mined and orders of other programs', () => {
  const side = sideWith({ capital: '1500' });
  const others = [
    order({ status: 'Failed' }),
    order({ minedAt: null, settledAt: null }),
    order({ symbol: ticker('KO') }),
  ];
  const ownerOf = ({ symbol }: TrueOrder) => (symbol === 'KO' ? null : 'insistent');
  expect(side.look({ truth: truth(at(7), [order({}), ...others]), userAddress: USER }, ownerOf)).toEqual([]);
});
