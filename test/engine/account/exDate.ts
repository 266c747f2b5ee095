import { parseCash, parseDecimal, parseShares, shares } from '../../../src/core/amount.ts';
import { NoAnswerError } from '../../../src/core/errors.ts';
import type { CorporateAction, DividendRules, DividendWay } from '../../../src/domain/corporateAction.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import { accountEquity } from '../../../src/engine/state/exposure.ts';
import { factsOf } from '../invariants.ts';
import { FakeVenue } from '../fakeVenue.ts';
import { atStart, MINUTE, MORNING, Stage } from '../stage.ts';

export const AAPL = ticker('AAPL');
export const HOUR = 60 * MINUTE;
/** Half an hour before the open of Tuesday. */
export const EARLY = MORNING + 23 * HOUR;

export const dividend: CorporateAction = {
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
  limit?: boolean;
  /** Shares in the wallet, which the venue shows. */
  wallet?: { shares: string };
  /** Multiplier of the token by its contract; null while the node does not answer. */
  token?: { growth: string | null };
  after?: Stage;
}>;

/** 10 AAPL on the account, and with `buys` 30 more of a strategy, at 10:05 of the ex-date. */
export async function exDate(setting: Setting = {}) {
  const { way = 'tokens', more, actions = [dividend], buys, limit, wallet, token, after } = setting;
  const stage = new Stage({
    ...(after ? { after } : {}),
    start: buys ? EARLY - 18 * HOUR : EARLY,
    hooks: {
      solo: atStart((order) => {
        if (buys) order.buy('AAPL', { notional: 3_000 });
        if (limit) order.limit('AAPL', { side: 'buy', shares: 1, price: 80, goodTill: 'cancelled' });
      }),
    },
    rules: { dividends: rulesOf(way, more) },
    as: (venue) => {
      if (!after) venue.holdings.set('AAPL', parseShares('10'));
      venue.corporateActions = () => Promise.resolve(actions);
      if (token)
        Object.assign(venue, {
          tokenMultipliers: () =>
            token.growth === 'never'
              ? new Promise(() => undefined)
              : token.growth === null
                ? Promise.reject(new NoAnswerError('the node does not answer'))
                : Promise.resolve({ ratio: null, growth: parseDecimal(token.growth) }),
        });
      if (wallet) {
        const own = FakeVenue.prototype.account.bind(venue);
        venue.account = async () => {
          const report = await own();
          const exchange = report.holdings.get(AAPL)?.exchange ?? shares(0n);
          return {
            ...report,
            tokens: new Map(),
            holdings: new Map([[AAPL, { exchange, wallet: parseShares(wallet.shares) }]]),
          };
        };
      }
      return venue;
    },
  });
  await stage.play(5 * MINUTE);
  for (const row of buys ? stage.venue.rows : []) stage.venue.fill(row);
  return stage.pass((buys ? 19 : 1) * HOUR);
}

export const booksOf = (stage: Stage) => stage.runner.kernel.context.accountState;
export const kindsOf = (stage: Stage) =>
  factsOf(stage).flatMap(({ kind }) =>
    ['entitled', 'paid', 'paidInTokens', 'difference', 'frozen'].includes(kind) ? [kind] : [],
  );
export const grow = (stage: Stage, text: string) =>
  stage.venue.holdings.set('AAPL', (stage.venue.holdings.get('AAPL') ?? 0n) + parseShares(text));
export const equityOf = (stage: Stage) => accountEquity(stage.runner.kernel.context);
