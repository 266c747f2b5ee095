import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cash, parseCash, parsePrice, sharesFor, shares } from '../../../src/core/amount.ts';
import { implausibility, type PriceRange } from '../../../src/domain/orders/settlementRules.ts';
import type { OrderTerms, Settlement } from '../../../src/domain/venue.ts';
import { buyCost, sellProceeds } from '../../../src/domain/fees.ts';
import { anOrder, limitBuy, limitSell, marketBuy, marketSell } from '../orders.ts';

const seen: PriceRange = { low: parsePrice('99'), high: parsePrice('101') };
type Told = Readonly<{ pay: string; receive: string; price: string; mintFee?: string; protocolFee?: string }>;

const settledAs = ({ pay, receive, price, mintFee = '0', protocolFee = '0' }: Told): Settlement => ({
  pay: parseCash(pay),
  receive: parseCash(receive),
  price: parsePrice(price),
  txHash: null,
  mintFee: parseCash(mintFee),
  protocolFee: parseCash(protocolFee),
});
const judge = (terms: OrderTerms, told: Told, range: PriceRange | null = seen) =>
  implausibility(anOrder({ terms }), settledAs(told), range);

describe('the settlement rules, for an impossible settlement,', () => {
  test.each<[string, OrderTerms, Told & Readonly<{ why: RegExp }>]>([
    [
      '1e30 shares for 1 mUSD',
      marketBuy('1'),
      { pay: '1', receive: `1${'0'.repeat(30)}`, price: '100', why: /do not agree/ },
    ],
    [
      'a tenth of the shares',
      marketBuy('1000'),
      { pay: '1000', receive: '1', price: '100', why: /do not agree/ },
    ],
    [
      'a sell that receives nothing',
      marketSell('10'),
      { pay: '10', receive: '0', price: '100', why: /gave nothing/ },
    ],
    [
      'a buy that receives nothing',
      marketBuy('10'),
      { pay: '10', receive: '0', price: '100', why: /gave nothing/ },
    ],
    [
      'shares for no money',
      marketBuy('10'),
      { pay: '0', receive: '1', price: '100', why: /fees|gave nothing/ },
    ],
    ['a sell for half', marketSell('10'), { pay: '10', receive: '500', price: '100', why: /do not agree/ }],
    ['a sell for more', marketSell('10'), { pay: '10', receive: '5000', price: '100', why: /do not agree/ }],
    ['no price', marketSell('10'), { pay: '10', receive: '1000', price: '0', why: /no price/ }],
    [
      'a buy above its limit',
      limitBuy('10', '100'),
      { pay: '1001', receive: '10', price: '100.1', why: /above its limit/ },
    ],
    [
      'a sell below its limit',
      limitSell('10', '100'),
      { pay: '10', receive: '999', price: '99.9', why: /below its limit/ },
    ],
    [
      'a price far above',
      marketBuy('1220'),
      { pay: '1220', receive: '10', price: '122', why: /a fifth beyond/ },
    ],
    [
      'a price far below',
      marketSell('10'),
      { pay: '10', receive: '790', price: '79', why: /a fifth beyond/ },
    ],
    [
      'fees that exceed the payment',
      marketBuy('1000'),
      { pay: '1000', receive: '0.1', price: '100', mintFee: '990', why: /fees are more/ },
    ],
    [
      'fees of a sell that exceed its proceeds',
      marketSell('10'),
      { pay: '10', receive: '900', price: '100', protocolFee: '100', why: /fees are more/ },
    ],
  ])('refuse %s', (_name, terms, told) => {
    expect(judge(terms, told)).toMatch(told.why);
    expect(judge(terms, told)).toContain(`at ${told.price}`);
  });
});

describe('the settlement rules, for a possible settlement,', () => {
  test.each<[string, OrderTerms, Told]>([
    [
      'a limit buy that fills at a better price',
      limitBuy('10', '100'),
      { pay: '950', receive: '10', price: '95' },
    ],
    [
      'a limit sell that fills at a better price',
      limitSell('10', '100'),
      { pay: '10', receive: '1100', price: '110' },
    ],
    ['an average rounded to a tick', limitBuy('3', '100'), { pay: '300.02', receive: '3', price: '100.01' }],
    ['a market buy in a fast market', marketBuy('1150'), { pay: '1150', receive: '10', price: '115' }],
    ['fees that have risen to a fiftieth', marketBuy('1000'), { pay: '1021', receive: '10', price: '100' }],
    [
      'stated fees that have risen to a fiftieth',
      marketBuy('1000'),
      { pay: '1021', receive: '10', price: '100', mintFee: '20', protocolFee: '1' },
    ],
    [
      'dust that is rounded away',
      marketSell('0.000001'),
      { pay: '0.000001', receive: '0.000099', price: '100' },
    ],
    [
      'shares cut at the sixth place',
      marketBuy('0.00015'),
      { pay: '0.00015', receive: '0.000001', price: '100' },
    ],
  ])('accept %s', (_name, terms, told) => {
    expect(judge(terms, told)).toBeNull();
  });

  test("accept any price when no quotes were watched during the order's life", () => {
    expect(judge(marketBuy('1000'), { pay: '1000', receive: '20', price: '50' }, null)).toBeNull();
  });

  test("accept anything the venue's own arithmetic can produce, rounded at the sixth place or later", () => {
    const order = fc.record({
      price: fc.bigInt(10n ** 15n, 10n ** 22n),
      money: fc.bigInt(10n ** 18n, 10n ** 24n),
      step: fc.constantFrom(1n, 10n ** 6n, 10n ** 12n),
      isBuy: fc.boolean(),
    });
    fc.assert(
      fc.property(order, ({ price: wad, money, step, isBuy }) => {
        const price = parsePrice(`${wad}`.padStart(19, '0').replace(/(\d{18})$/, '.$1'));
        const quantity = (sharesFor(cash(money), price, 'down') / step) * step;
        const range = { low: price, high: price };
        const { mintFee, protocolFee, total } = buyCost(cash(money));
        const proceeds = sellProceeds(cash((quantity * price) / 10n ** 18n));
        const settlement: Settlement = isBuy
          ? { price, pay: total, receive: quantity, mintFee, protocolFee, txHash: null }
          : { ...proceeds, price, pay: quantity, receive: (proceeds.net / step) * step, txHash: null };
        const terms = isBuy ? marketBuy('1') : { ...marketSell('1'), quantity: shares(quantity) };
        expect(implausibility(anOrder({ terms }), settlement, range)).toBeNull();
      }),
    );
  });
});
