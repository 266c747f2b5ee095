import { describe, expect, test } from 'vitest';
import {
  cash,
  notionalOf,
  parseCash,
  parsePrice,
  parseShares,
  shares,
  toNumber,
} from '../../../src/core/amount.ts';
import { AccountState } from '../../../src/domain/account/accountState.ts';
import type { CorporateAction } from '../../../src/domain/corporateAction.ts';
import { AccountHistory } from '../../../src/domain/account/history.ts';
import { WALLET } from '../../../src/domain/account/ledger.ts';
import { blockOn } from '../../../src/engine/risk/restrictions.ts';
import { entryOf } from '../../store/memoryJournal.ts';
import { amountsIn } from '../../domain/account/amountsIn.ts';
import { factsOf } from '../invariants.ts';
import { give } from '../operator/commands.ts';
import type { HookContext } from '../../../src/strategy/index.ts';
import { MINUTE, MORNING, Stage } from '../stage.ts';
import { AAPL, booksOf, dividend, equityOf, exDate, grow, HOUR, kindsOf } from './exDate.ts';

describe('a dividend in tokens', () => {
  test('is due at the open, net of tax, and booked once when that much stock has arrived', async () => {
    const stage = await exDate();
    const due = [...booksOf(stage).actions.unpaid.values()];
    expect(due).toMatchObject([{ inTokens: true, parts: [['', parseCash('4')]] }]);
    const before = equityOf(stage);
    grow(stage, '0.04');
    await stage.pass(5 * MINUTE);
    expect([kindsOf(stage), stage.alarms]).toEqual([['entitled', 'paidInTokens'], []]);
    expect(booksOf(stage).ledger.total(AAPL)).toBe(parseShares('10.04'));
    expect(equityOf(stage)).toBe(before);
    expect(booksOf(stage).actions.unpaid.size).toBe(0);
    grow(stage, '0.04');
    await stage.pass(5 * MINUTE);
    expect(kindsOf(stage)).toEqual(['entitled', 'paidInTokens', 'difference', 'frozen']);
  });

  test('is split among its owners by the amounts due, and its value is both cost and profit', async () => {
    const stage = await exDate({ buys: true });
    const { ledger, positions } = booksOf(stage);
    const held = ledger.held('solo', AAPL);
    const before = [equityOf(stage), positions.of('solo', AAPL)] as const;
    const total = ledger.total(AAPL);
    grow(stage, String(toNumber(total) * 0.004));
    const came = (stage.venue.holdings.get('AAPL') ?? 0n) - total;
    await stage.pass(5 * MINUTE);
    expect([kindsOf(stage), stage.alarms]).toEqual([['entitled', 'paidInTokens'], []]);
    const after = booksOf(stage).positions.of('solo', AAPL);
    const own = ledger.held('solo', AAPL) - held;
    expect(toNumber(shares(own))).toBeCloseTo(toNumber(shares((came * held) / total)), 12);
    expect(after.quantity - before[1].quantity).toBe(own);
    expect(after.cost - before[1].cost).toBe(notionalOf(shares(own), parsePrice('100'), 'down'));
    expect(after.realised - before[1].realised).toBe(after.cost - before[1].cost);
    expect(toNumber(cash(equityOf(stage) - before[0]))).toBeCloseTo(0, 10);
    const again = new AccountState();
    for (const line of stage.lines) again.apply(entryOf(line));
    expect(amountsIn(again.ledger)).toEqual(amountsIn(ledger));
    expect(again.positions).toEqual(positions);
  });

  test('is booked although money is missing at the venue, once that is reported as a separate difference', async () => {
    const stage = await exDate();
    stage.venue.cash = cash(stage.venue.cash - parseCash('500'));
    grow(stage, '0.04');
    await stage.pass(10 * MINUTE);
    expect(kindsOf(stage)).toEqual(['entitled', 'difference', 'paidInTokens']);
    expect(booksOf(stage).ledger.total(AAPL)).toBe(parseShares('10.04'));
  });

  test('that has arrived and is not booked yet lets sells pass and buys wait', async () => {
    const stage = await exDate();
    grow(stage, '0.02');
    await stage.pass(15 * MINUTE);
    expect(kindsOf(stage)).toEqual(['entitled']);
    const block = (kind: 'buy' | 'sell' | 'exit') =>
      blockOn(stage.runner.kernel.context, { symbol: AAPL, kind });
    expect([block('sell'), block('exit')]).toEqual([null, null]);
    expect(block('buy')?.why).toBe('the venue shows 10.02 AAPL, the ledger 10');
  });

  test('is booked although the venue says at the same time that a buy of the stock has ended', async () => {
    const stage = await exDate({ limit: true });
    grow(stage, '0.04');
    stage.venue.end(stage.venue.last, 'expired');
    await stage.pass(10 * MINUTE);
    expect([kindsOf(stage), stage.alarms]).toEqual([['entitled', 'paidInTokens'], []]);
    expect(stage.orders[0]).toMatchObject({ state: { kind: 'closed', how: 'expired' } });
    expect(booksOf(stage).ledger.balance('solo', 'reserved', 'mUSD')).toBe(0n);
  });

  test('does not confirm the end of a buy that took its money and delivered too little', async () => {
    const stage = await exDate({ limit: true });
    grow(stage, '0.03');
    stage.venue.cash = cash(stage.venue.cash - parseCash('3'));
    stage.venue.end(stage.venue.last, 'expired');
    await stage.pass(10 * MINUTE);
    expect(stage.orders[0]?.claim).toMatchObject({ end: { report: { status: 'expired' } } });
    expect(kindsOf(stage)).not.toContain('paidInTokens');
  });

  test('that arrives before the open of its ex-date waits for the open', async () => {
    const stage = await exDate({ actions: [{ ...dividend, exDate: '2026-06-17' }] });
    await stage.pass(10 * HOUR);
    grow(stage, '0.04');
    await stage.pass(10 * HOUR);
    expect([kindsOf(stage), stage.alarms]).toEqual([[], []]);
    await stage.pass(4 * HOUR);
    expect([kindsOf(stage), stage.alarms]).toEqual([['entitled', 'paidInTokens'], []]);
  });

  test('is booked together with another one of the same day', async () => {
    const special = { ...dividend, name: 'special_dividend', perShare: parseCash('1.5') };
    const stage = await exDate({ actions: [dividend, special] });
    grow(stage, '0.16');
    await stage.pass(5 * MINUTE);
    expect([kindsOf(stage), stage.alarms]).toEqual([
      ['entitled', 'entitled', 'paidInTokens', 'paidInTokens'],
      [],
    ]);
    const paid = factsOf(stage).flatMap((fact) => (fact.kind === 'paidInTokens' ? fact.parts : []));
    expect(paid).toEqual([
      ['', parseShares('0.04')],
      ['', parseShares('0.12')],
    ]);
  });

  test('grows in the wallet, too, in the same proportion', async () => {
    for (const [grown, kinds] of [
      ['20.08', ['entitled', 'paidInTokens']],
      ['20', ['entitled']],
    ] as const) {
      const wallet = { shares: '20' };
      const stage = await exDate({ wallet });
      grow(stage, '0.04');
      wallet.shares = grown;
      await stage.pass(5 * MINUTE);
      expect(kindsOf(stage)).toEqual(kinds);
      expect(stage.alarms.length).toBe(grown === '20' ? 1 : 0);
      expect(booksOf(stage).ledger.at(WALLET, AAPL)).toBe(parseShares(grown));
    }
  });
});

const accept = (stage: Stage) => give(stage, { kind: 'accept', asset: 'AAPL' });

describe('a dividend in tokens that is not as announced', () => {
  test.each([
    ['in parts', '0.02', ['entitled']],
    ['too little', '0.039', ['entitled']],
    ['too much', '0.05', ['entitled', 'difference', 'frozen']],
  ])('is reported if it comes %s, and booked when the operator confirms it', async (_, growth, kinds) => {
    const stage = await exDate();
    grow(stage, growth);
    await stage.pass(5 * MINUTE);
    expect(kindsOf(stage)).toEqual(kinds);
    const said = stage.alarms.filter((text) => text.includes('not booked'));
    stage.venue.prices.set('AAPL', parseCash('100.5'));
    await stage.pass(5 * MINUTE);
    expect(stage.alarms.filter((text) => text.includes('not booked'))).toEqual(said);
    stage.venue.prices.set('AAPL', parseCash('100'));
    await stage.pass(MINUTE);
    expect(said).toEqual([
      `the venue shows ${growth} AAPL more than the ledger, worth ${Number(growth) * 100} mUSD; due are 4 mUSD (cash dividend of AAPL ` +
        'on 2026-06-16, 0.5 a share): not booked; `drover accept AAPL --reason TEXT` books it as that dividend',
    ]);
    expect((await accept(stage)).kind).toBe('done');
    await stage.pass(5 * MINUTE);
    expect(kindsOf(stage)).toEqual([...kinds, 'paidInTokens']);
    expect(booksOf(stage).ledger.total(AAPL)).toBe(parseShares('10') + parseShares(growth));
    expect([booksOf(stage).actions.unpaid.size, booksOf(stage).frozen.size]).toEqual([0, 0]);
    expect(equityOf(stage)).toBe(
      booksOf(stage).ledger.total('mUSD') + booksOf(stage).ledger.total(AAPL) * 100n,
    );
  });

  test('is reported once if it is late, then booked days later or ended by the operator', async () => {
    for (const comes of [true, false]) {
      const stage = await exDate();
      expect(await accept(stage)).toMatchObject({ kind: 'refused', because: 'usage' });
      await stage.pass(32 * HOUR);
      expect(stage.alarms).toEqual([
        expect.stringMatching(/^4 mUSD have not arrived: .* `drover accept AAPL/),
      ]);
      if (comes) grow(stage, '0.04');
      else expect((await accept(stage)).kind).toBe('done');
      await stage.pass(20 * HOUR);
      expect([kindsOf(stage), stage.alarms.length]).toEqual([['entitled', 'paidInTokens'], 1]);
      expect(booksOf(stage).actions.receivables).toBe(0n);
    }
  });

  test('is a difference if it is taken back, or was not announced', async () => {
    const stage = await exDate();
    grow(stage, '0.04');
    await stage.pass(5 * MINUTE);
    stage.venue.holdings.set('AAPL', parseShares('10'));
    await stage.pass(5 * MINUTE);
    expect(kindsOf(stage)).toEqual(['entitled', 'paidInTokens', 'difference', 'frozen']);
    const other = await exDate({ actions: [] });
    grow(other, '0.04');
    await other.pass(5 * MINUTE);
    expect(kindsOf(other)).toEqual(['difference', 'frozen']);
  });

  test('waits while a buy of the stock is under way that may explain it', async () => {
    const stage = await exDate({ limit: true });
    grow(stage, '0.04');
    await stage.pass(5 * MINUTE);
    expect(kindsOf(stage)).toEqual(['entitled']);
  });

  test('waits while money is missing, because a sell may not be fully shown yet', async () => {
    const stage = await exDate();
    grow(stage, '0.04');
    stage.venue.cash -= parseCash('4');
    await stage.pass(5 * MINUTE);
    expect(kindsOf(stage)).toEqual(['entitled', 'difference']);
    stage.venue.cash += parseCash('4');
    await stage.pass(5 * MINUTE);
    expect(kindsOf(stage)).toEqual(['entitled', 'difference', 'paidInTokens']);
  });
});

describe('a dividend paid in another way than configured', () => {
  test('in tokens instead of cash is a difference', async () => {
    const stage = await exDate({ way: 'cash' });
    grow(stage, '0.04');
    await stage.pass(5 * MINUTE);
    expect(kindsOf(stage)).toEqual(['entitled', 'difference', 'frozen']);
    expect(stage.alarms.join('\n')).toContain(
      'dividends of it are configured to come in cash; if they come in tokens here, set venue.dividends (or stocks.AAPL.dividends) to tokens',
    );
  });

  test('in tokens is booked after a restart with the right setting, also that on stock in the wallet', async () => {
    const wallet = { shares: '20' };
    const first = await exDate({ way: 'cash', wallet });
    grow(first, '0.04');
    wallet.shares = '20.08';
    await first.pass(5 * MINUTE);
    expect(first.alarms.join('\n')).toContain('if they come in tokens here, set venue.dividends');
    const again = await exDate({ wallet, after: first });
    expect(kindsOf(again)).toEqual(['entitled', 'difference', 'frozen', 'difference', 'paidInTokens']);
    expect([booksOf(again).ledger.total(AAPL), booksOf(again).actions.receivables]).toEqual([
      parseShares('10.04'),
      0n,
    ]);
    expect([...booksOf(again).frozen.keys()]).toEqual([]);
  });

  test.each(['tokens', 'price'] as const)('in cash instead of %s is a difference', async (way) => {
    const stage = await exDate({ way });
    stage.venue.cash += parseCash('4');
    await stage.pass(5 * MINUTE);
    expect(kindsOf(stage)).toEqual(way === 'price' ? ['difference'] : ['entitled', 'difference']);
    expect(stage.alarms.join('\n')).toContain('if they come in cash here, set venue.dividends');
  });

  test('in tokens instead of within the price is a difference', async () => {
    const stage = await exDate({ way: 'price' });
    grow(stage, '0.04');
    await stage.pass(5 * MINUTE);
    expect(kindsOf(stage)).toEqual(['difference', 'frozen']);
    expect(stage.alarms.join('\n')).toContain(
      'configured to come within the price; if they come in tokens here',
    );
  });
});

test('a dividend within the price is announced, and nothing is due or booked', async () => {
  const stage = await exDate({ way: 'price' });
  await stage.pass(40 * HOUR);
  expect([kindsOf(stage), stage.alarms]).toEqual([[], []]);
  expect(stage.said(/announced: cash dividend of AAPL .*; it comes within the price/)).toBe(true);
});

test('a stock may differ from its venue, and cash may be net of tax', async () => {
  const stage = await exDate({ way: 'tokens', more: { stocks: new Map([[AAPL, 'cash']]) } });
  stage.venue.cash += parseCash('4');
  await stage.pass(5 * MINUTE);
  expect([kindsOf(stage), stage.alarms]).toEqual([['entitled', 'paid'], []]);
});

describe('the shares that a dividend is for', () => {
  /** A run from Monday's last minutes on; its strategy holds 10 AAPL by then, and trades three minutes after the next open. */
  async function traded(
    act: (order: HookContext['order']) => void,
    lists: (at: number) => boolean,
    holds = true,
  ) {
    const stage = new Stage({
      start: MORNING + 6 * HOUR - 10 * MINUTE,
      data: { quotes: ['AAPL'], timers: [{ name: 'early', at: 'open+3m' }] },
      hooks: {
        solo: {
          onStart: ({ order }) => holds && void order.buy('AAPL', { shares: 10 }),
          onTimer: ({ order, view }) => {
            if (view.session !== null && view.now < MORNING + 24 * HOUR) act(order);
          },
        },
      },
      as: (venue, clock) => {
        venue.corporateActions = () => Promise.resolve(lists(clock.now()) ? [dividend] : []);
        return venue;
      },
    });
    await stage.play(MINUTE);
    if (holds) stage.venue.fill(stage.venue.last);
    await stage.pass(17 * HOUR + 43 * MINUTE);
    for (const row of stage.venue.rows.slice(holds ? 1 : 0)) stage.venue.fill(row);
    await stage.pass(24 * HOUR);
    const history = new AccountHistory();
    const changes = stage.lines.flatMap((line) => history.apply(entryOf(line)));
    return {
      parts: factsOf(stage).flatMap((fact) => (fact.kind === 'entitled' ? fact.parts : [])),
      listed: changes.flatMap((change) =>
        change.kind === 'entitled' ? [[change.strategyId, change.quantity, change.amount]] : [],
      ),
    };
  }

  const always = () => true;
  const late = (at: number) => at > MORNING + 26 * HOUR;
  const part = [['solo', parseCash('5')]];

  test.each<[string, Parameters<typeof traded>]>([
    ['are not those bought on its ex-date', [(order) => order.buy('AAPL', { shares: 30 }), always]],
    [
      'are not those bought on its ex-date, where it is listed later',
      [(order) => order.buy('AAPL', { shares: 30 }), late],
    ],
    [
      'are those sold on its ex-date, where it is listed later',
      [(order) => order.sell('AAPL', { shares: 4 }), late],
    ],
  ])('%s', async (_, [act, lists]) => {
    const { parts, listed } = await traded(act, lists);
    expect(parts).toEqual(part);
    expect(listed).toEqual([['solo', parseShares('10'), parseCash('5')]]);
  });

  test('are those after a split on an earlier day, if both happened while nothing ran', async () => {
    const split: CorporateAction = {
      kind: 'split',
      symbol: AAPL,
      name: 'forward_split',
      exDate: '2026-06-16',
      oldRate: parseCash('1'),
      newRate: parseCash('2'),
    };
    const before = new Stage({
      as: (venue) => {
        venue.holdings.set('AAPL', parseShares('10'));
        venue.corporateActions = () => Promise.resolve([{ ...dividend, exDate: '2026-06-17' }, split]);
        return venue;
      },
    });
    await before.play(MINUTE);
    before.crash();
    before.venue.holdings.set('AAPL', parseShares('20'));
    await before.pass(48 * HOUR);
    const stage = await new Stage({ after: before }).play(5 * MINUTE);
    const due = [...booksOf(stage).actions.unpaid.values()];
    expect(due).toMatchObject([{ parts: [['', parseCash('10')]] }]);
    expect([booksOf(stage).ledger.total(AAPL), stage.alarms]).toEqual([parseShares('20'), []]);
  });

  test('are none if nothing was held as its ex-date began, although each list names it', async () => {
    expect((await traded((order) => order.buy('AAPL', { shares: 30 }), always, false)).parts).toEqual([]);
  });
});
