import { describe, expect, test } from 'vitest';
import { parseCash, parseShares } from '../../../src/core/amount.ts';
import { AccountState } from '../../../src/domain/account/accountState.ts';
import type { CorporateAction, DividendRules, DividendWay } from '../../../src/domain/corporateAction.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import { accountEquity } from '../../../src/engine/state/exposure.ts';
import { entryOf } from '../../store/memoryJournal.ts';
import { amountsIn } from '../../domain/account/amountsIn.ts';
import { factsOf } from '../invariants.ts';
import { atStart, MINUTE, MORNING, Stage } from '../stage.ts';

const AAPL = ticker('AAPL');
const HOUR = 60 * MINUTE;
/** Half an hour before the open of Tuesday. */
const EARLY = MORNING + 23 * HOUR;

const dividend: CorporateAction = {
  kind: 'payment',
  symbol: AAPL,
  name: 'cash_dividend',
  exDate: '2026-06-16',
  payableDate: '2026-06-17',
  perShare: parseCash('0.5'),
};

const rulesOf = (way: DividendWay, more: Partial<DividendRules> = {}): DividendRules => ({
  way,
  stocks: new Map(),
  withheldBps: 2_000,
  toleranceBps: 200,
  ...more,
});

type Setting = Readonly<{
  way?: DividendWay;
  more?: Partial<DividendRules>;
  actions?: readonly CorporateAction[];
  buys?: boolean;
}>;

/** 10 AAPL on the account, and 30 more of a strategy that has bought them, an hour after the open of the ex-date. */
async function exDate({ way = 'tokens', more, actions = [dividend], buys = false }: Setting = {}) {
  const stage = new Stage({
    start: EARLY - 2 * HOUR - 16 * HOUR,
    hooks: { solo: buys ? atStart((order) => order.buy('AAPL', { notional: 3_000 })) : {} },
    rules: { dividends: rulesOf(way, more) },
    as: (venue) => {
      venue.holdings.set('AAPL', parseShares('10'));
      venue.corporateActions = () => Promise.resolve(actions);
      return venue;
    },
  });
  await stage.play(19 * HOUR + 5 * MINUTE);
  return stage;
}

const booksOf = (stage: Stage) => stage.runner.kernel.context.accountState;
const kindsOf = (stage: Stage) =>
  factsOf(stage).flatMap(({ kind }) =>
    ['entitled', 'paid', 'paidInTokens', 'difference', 'frozen'].includes(kind) ? [kind] : [],
  );
const grow = (stage: Stage, text: string) =>
  stage.venue.holdings.set('AAPL', (stage.venue.holdings.get('AAPL') ?? 0n) + parseShares(text));
const equityOf = (stage: Stage) => accountEquity(stage.runner.kernel.context);

describe('a dividend in tokens', () => {
  test('is due at the open, net of what is withheld, and booked once when as much stock has come', async () => {
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
});
