import { describe, expect, test } from 'vitest';
import { parseCash, parseShares } from '../../../src/core/amount.ts';
import { UnreachableError } from '../../../src/core/errors.ts';
import type { CorporateAction } from '../../../src/domain/corporateAction.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import { factsOf } from '../invariants.ts';
import { MINUTE, MORNING, SECOND, Stage } from '../stage.ts';

const AAPL = ticker('AAPL');
const HOUR = 60 * MINUTE;
/** Half an hour before the open of Tuesday. */
const EARLY = MORNING + 23 * HOUR;

const twoForOne: CorporateAction = {
  kind: 'split',
  symbol: AAPL,
  name: 'forward_split',
  exDate: '2026-06-16',
  oldRate: 1n,
  newRate: 2n,
};
const dividend: CorporateAction = {
  kind: 'payment',
  symbol: AAPL,
  name: 'cash_dividend',
  exDate: '2026-06-16',
  payableDate: '2026-06-17',
  perShare: parseCash('0.5'),
};

/** A stage with 10 AAPL; `list` returns the venue's corporate actions. */
const stageWith = (list: () => Promise<readonly CorporateAction[]>): Stage =>
  new Stage({
    start: EARLY,
    as: (venue) => {
      venue.holdings.set('AAPL', parseShares('10'));
      venue.corporateActions = list;
      return venue;
    },
  });

const announced = (action: CorporateAction) => () => Promise.resolve([action]);
const booksOf = (stage: Stage) => stage.runner.kernel.context.accountState;
const kindsOf = (stage: Stage) =>
  factsOf(stage).flatMap(({ kind }) => (['split', 'paid', 'difference'].includes(kind) ? [kind] : []));

describe('an announced split', () => {
  test('is awaited until half an hour after the open, and then freezes the stock', async () => {
    const stage = await stageWith(announced(twoForOne)).play(55 * MINUTE);
    expect(stage.runner.kernel.context.holds.against(AAPL)).toMatch(/forward split of AAPL/);
    expect(stage.alarms).toEqual([]);
    await stage.pass(10 * MINUTE);
    expect(booksOf(stage).frozen.get(AAPL)).toMatch(/does not show the forward split/);
    expect(booksOf(stage).ledger.total(AAPL)).toBe(parseShares('10'));
  });

  test('is booked when the account shows it late or before the open', async () => {
    for (const at of [10 * MINUTE, 50 * MINUTE]) {
      const stage = await stageWith(announced(twoForOne)).play(at);
      stage.venue.holdings.set('AAPL', parseShares('20'));
      stage.venue.prices.set('AAPL', parseCash('50'));
      await stage.pass(5 * MINUTE);
      expect(kindsOf(stage)).toEqual(['split']);
      expect(stage.alarms).toEqual([]);
      expect(stage.runner.kernel.context.holds.against(AAPL)).toBeNull();
    }
  });

  test('is booked at its rate, and a remaining difference freezes the stock', async () => {
    const stage = await stageWith(announced(twoForOne)).play(MINUTE);
    stage.venue.holdings.set('AAPL', parseShares('19.5'));
    await stage.pass(5 * MINUTE);
    expect(kindsOf(stage)).toEqual(['split', 'difference']);
    expect(booksOf(stage).ledger.total(AAPL)).toBe(parseShares('20'));
    expect([...booksOf(stage).frozen.keys()]).toEqual([AAPL]);
  });

  test('that is withdrawn is forgotten', async () => {
    let list: readonly CorporateAction[] = [twoForOne];
    const stage = await stageWith(() => Promise.resolve(list)).play(10 * MINUTE);
    list = [];
    await stage.pass(20 * MINUTE);
    expect(stage.runner.kernel.context.holds.against(AAPL)).toBeNull();
    await stage.pass(2 * HOUR);
    expect([stage.alarms, kindsOf(stage)]).toEqual([[], []]);
  });
});

describe('a jump of a position', () => {
  test('has the list of corporate actions read again, and is booked when that explains it', async () => {
    let list: readonly CorporateAction[] = [];
    let asked = 0;
    const stage = await stageWith(() => Promise.resolve((asked++, list))).play(HOUR);
    const before = asked;
    list = [twoForOne];
    stage.venue.holdings.set('AAPL', parseShares('20'));
    await stage.pass(3 * MINUTE);
    expect([kindsOf(stage), asked - before]).toEqual([['split'], 1]);
    expect(stage.alarms).toEqual([]);
  });

  test('that no corporate action explains freezes the stock', async () => {
    const stage = await stageWith(announced(dividend)).play(HOUR);
    stage.venue.holdings.set('AAPL', parseShares('20'));
    await stage.pass(3 * MINUTE);
    expect(kindsOf(stage)).toEqual(['difference']);
    expect([...booksOf(stage).frozen.keys()]).toEqual([AAPL]);
  });

  test('waits for a list that cannot be read, and is a difference after some minutes', async () => {
    const stage = await stageWith(() => Promise.reject(new UnreachableError('gone'))).play(HOUR);
    stage.venue.holdings.set('AAPL', parseShares('20'));
    await stage.pass(5 * MINUTE);
    expect(kindsOf(stage)).toEqual([]);
    await stage.pass(10 * MINUTE);
    expect(kindsOf(stage)).toEqual(['difference']);
  });
});

describe('a dividend', () => {
  test('pays for the shares at the open of its ex-date, and is booked when it arrives', async () => {
    const stage = await stageWith(announced(dividend)).play(HOUR);
    stage.venue.cash += parseCash('5');
    await stage.pass(2 * MINUTE);
    expect([kindsOf(stage), stage.alarms]).toEqual([['paid'], []]);
    expect(booksOf(stage).ledger.total('mUSD')).toBe(stage.venue.cash);
  });

  test('that arrives together with another, while a third is due, is booked with it', async () => {
    const of = (name: string, perShare: string): CorporateAction => ({
      ...dividend,
      name,
      perShare: parseCash(perShare),
    });
    const three = [of('cash_dividend', '0.5'), of('special_dividend', '0.7'), of('spin_off_cash', '1.1')];
    const stage = await stageWith(() => Promise.resolve(three)).play(HOUR);
    stage.venue.cash += parseCash('16');
    await stage.pass(2 * MINUTE);
    expect([kindsOf(stage), stage.alarms]).toEqual([['paid', 'paid'], []]);
    expect([...booksOf(stage).actions.unpaid.values()]).toMatchObject([
      { action: { name: 'special_dividend' } },
    ]);
    expect(booksOf(stage).ledger.total('mUSD')).toBe(stage.venue.cash);
  });

  test('that does not arrive raises one alarm after its day, and another amount is a difference', async () => {
    const stage = await stageWith(announced(dividend)).play(HOUR);
    stage.venue.cash += parseCash('4');
    await stage.pass(2 * MINUTE);
    expect(kindsOf(stage)).toEqual(['difference']);
    await stage.pass(31 * HOUR + 30 * SECOND);
    expect(stage.alarms.filter((text) => text.includes('have not arrived'))).toEqual([
      expect.stringMatching(/\. `drover accept AAPL --reason TEXT` ends it without any/),
    ]);
  });
});
