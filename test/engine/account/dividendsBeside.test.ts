import { describe, expect, test } from 'vitest';
import { cash, parseCash, parseShares } from '../../../src/core/amount.ts';
import type { CorporateAction } from '../../../src/domain/corporateAction.ts';
import { give } from '../operator/commands.ts';
import { MINUTE, Stage } from '../stage.ts';
import { AAPL, booksOf, dividend, EARLY, equityOf, exDate, grow, HOUR, kindsOf } from './exDate.ts';

const due = (stage: Stage) => [...booksOf(stage).actions.unpaid.values()].flatMap(({ parts }) => parts);

describe('a dividend that comes while ledger and venue differ by dust', () => {
  test.each(['0.003', '-0.003'])('of %s mUSD is booked in cash, and the dust stays', async (dust) => {
    const stage = await exDate({ way: 'cash' });
    stage.venue.cash = cash(stage.venue.cash + parseCash(dust, { signed: true }));
    await stage.pass(5 * MINUTE);
    stage.venue.cash += parseCash('4');
    await stage.pass(15 * MINUTE);
    expect([kindsOf(stage), stage.alarms]).toEqual([['entitled', 'paid'], []]);
    expect(booksOf(stage).ledger.total('mUSD')).toBe(parseCash('100004'));
  });

  test('is not booked in cash if the rest is more than dust', async () => {
    const stage = await exDate({ way: 'cash' });
    stage.venue.cash += parseCash('4.005');
    await stage.pass(5 * MINUTE);
    expect(kindsOf(stage)).toEqual(['entitled', 'difference']);
  });

  test('that is less money is booked in tokens', async () => {
    const stage = await exDate();
    stage.venue.cash -= parseCash('0.001');
    await stage.pass(5 * MINUTE);
    grow(stage, '0.04');
    await stage.pass(15 * MINUTE);
    expect([kindsOf(stage), stage.alarms]).toEqual([['entitled', 'paidInTokens'], []]);
  });
});

describe('a dividend that the venue corrects', () => {
  const corrected = { ...dividend, perShare: parseCash('0.6') } as CorporateAction;

  /** A run through the ex-date, and the day after it on which the list has the correction. */
  async function correctedDay(isPaid = false) {
    let list = [dividend];
    const heard: number[] = [];
    const stage = new Stage({
      start: EARLY - 18 * HOUR,
      hooks: {
        solo: {
          onStart: ({ order }) => void order.buy('AAPL', { shares: 10 }),
          onFill: ({ order }) => void order.stop('AAPL', { all: true, stop: 60 }),
          onDividend: ({ dividend: { amount } }) => void heard.push(amount),
        },
      },
      rules: { exitDividends: 'adjust' },
      as: (venue) => {
        venue.corporateActions = () => Promise.resolve(list);
        return venue;
      },
    });
    await stage.play(5 * MINUTE);
    stage.venue.fill(stage.venue.last);
    await stage.pass(19 * HOUR);
    expect(due(stage)).toEqual([['solo', parseCash('5')]]);
    if (isPaid) stage.venue.cash += parseCash('5');
    await stage.pass(5 * MINUTE);
    const equity = equityOf(stage);
    list = [corrected];
    await stage.pass(24 * HOUR);
    return { stage, heard, more: equityOf(stage) - equity };
  }

  test('is due once, as corrected, and lowers stops once', async () => {
    const { stage, heard, more } = await correctedDay();
    expect([due(stage), more]).toEqual([[['solo', parseCash('6')]], parseCash('1')]);
    const [held] = booksOf(stage).synthetics.live.values();
    expect(held?.stop).toBe(parseCash('59.5'));
    stage.venue.cash += parseCash('6');
    await stage.pass(5 * MINUTE);
    expect([kindsOf(stage), heard]).toEqual([['entitled', 'paidInTokens', 'entitled', 'paid'], [6]]);
    expect(stage.alarms).toEqual([]);
  });

  test('after it was paid is not due again, which is reported once', async () => {
    const { stage, more } = await correctedDay(true);
    await stage.pass(24 * HOUR);
    expect([kindsOf(stage), more]).toEqual([['entitled', 'paid'], 0n]);
    expect(stage.alarms).toEqual([
      'the venue has corrected it: cash dividend of AAPL on 2026-06-16, 0.6 a share; nothing is due of it, because an earlier one is booked; ' +
        'what comes is a difference',
    ]);
  });
});

test('a dividend is not due on stock that an operator accepted after its ex-date', async () => {
  const stage = await exDate({ way: 'cash' });
  const other = new Stage({
    start: EARLY,
    as: (venue) => {
      venue.corporateActions = () => Promise.resolve([dividend]);
      return venue;
    },
  });
  await other.play(3 * HOUR);
  other.venue.holdings.set('AAPL', parseShares('10'));
  await other.pass(10 * MINUTE);
  expect((await give(other, { kind: 'accept', asset: 'AAPL' })).kind).toBe('done');
  await other.pass(24 * HOUR);
  expect([booksOf(other).ledger.total(AAPL), due(other)]).toEqual([parseShares('10'), []]);
  expect(due(stage)).toEqual([['', parseCash('4')]]);
});

test('onDividend is not called for a dividend that an operator ends without a payment', async () => {
  const heard: number[] = [];
  const stage = new Stage({
    start: EARLY - 18 * HOUR,
    hooks: {
      solo: {
        onStart: ({ order }) => void order.buy('AAPL', { shares: 10 }),
        onDividend: ({ dividend: { amount } }) => void heard.push(amount),
      },
    },
    as: (venue) => {
      venue.corporateActions = () => Promise.resolve([dividend]);
      return venue;
    },
  });
  await stage.play(5 * MINUTE);
  stage.venue.fill(stage.venue.last);
  await stage.pass(50 * HOUR);
  expect((await give(stage, { kind: 'accept', asset: 'AAPL' })).kind).toBe('done');
  await stage.pass(MINUTE);
  expect([kindsOf(stage), heard]).toEqual([['entitled', 'paidInTokens'], []]);
});
