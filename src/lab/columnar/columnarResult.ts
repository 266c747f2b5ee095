import type { PlannedAction } from '../../backtest/actions.ts';
import { noOrders, type BacktestOrders } from '../../backtest/orderTally.ts';
import { setupOf, type Plan } from '../../backtest/plan.ts';
import type { SignalRun } from '../../backtest/playedSignals.ts';
import type { BacktestResult } from '../../backtest/result.ts';
import type { Tape } from '../../backtest/tape.ts';
import { cash, formatDecimal } from '../../core/amount.ts';
import { ActionPlan } from './actions.ts';
import { DetailObserver, type Details } from './details.ts';
import { FusedRun, type RunObserver } from './fusedRun.ts';
import type { Timeline } from './timeline.ts';

/** One set of parameters over a market. */
export type Trial = Readonly<{
  plan: Plan;
  timeline: Timeline;
  signals: SignalRun;
  /** Index on the timeline for each symbol of the signals. */
  places: readonly number[];
  /** Actions after the start. */
  actions: readonly PlannedAction[];
}>;

function playedBy(trial: Trial, observer: RunObserver | null): FusedRun {
  const { plan, timeline, signals, places, actions } = trial;
  const { model, money } = plan;
  const planned = new ActionPlan(actions, timeline.symbols, timeline.sessions);
  const run = new FusedRun({ timeline, signals, places, model, money, actions: planned, observer });
  run.run();
  return run;
}

/**
 * Plays a trial. The result has fields of a backtest's result, with equal values. Metrics, fills and trades are
 * computed on first access, by a second pass.
 * @param tapes bars of all symbols at the start
 */
export function resultOf(trial: Trial, tapes: readonly Tape[]) {
  const { plan, timeline } = trial;
  const { sessions } = plan;
  const { account, tally, dividends, equities } = playedBy(trial, null);
  const orders = Object.assign(noOrders(), { planned: tally.sent, ...tally });
  const end = account.equity;
  let known: Details | null = null;
  const details = () => (known ??= detailsOf(trial, orders));
  return {
    ...setupOf(plan),
    bars: tapes.reduce((sum, { columns, skipped }) => sum + columns.start.length - skipped, 0),
    trades: account.trades,
    orders,
    pnl: formatDecimal(cash(end - plan.money)),
    fees: formatDecimal(account.fees),
    slippage: formatDecimal(cash(account.slippage)),
    dividends: formatDecimal(dividends),
    receivable: formatDecimal(account.receivable + account.looseReceivable),
    equity: { start: formatDecimal(plan.money), end: formatDecimal(end) },
    /** Equity at the start, and at the close of each session, in mUSD. */
    equities,
    /** Dates of the first and last sessions. */
    dates: { first: sessions[0]?.date ?? '', last: sessions.at(-1)?.date ?? '' },
    open: timeline.symbols.flatMap(({ symbol }, index) => {
      const held = account.holdings[index]?.held ?? 0n;
      return held === 0n ? [] : [{ symbol, quantity: formatDecimal(held) }];
    }),
    get marks() {
      return details().marks;
    },
    get metrics() {
      return details().metrics;
    },
    get notes() {
      return details().notes;
    },
    get tradeMetricsFrom() {
      return details().tradeMetricsFrom;
    },
    get benchmark() {
      return details().benchmark;
    },
    get lots() {
      return details().lots;
    },
    get fills() {
      return details().fills;
    },
    get tradeList() {
      return details().tradeList;
    },
  } satisfies Partial<BacktestResult> & Record<'equities' | 'dates', unknown>;
}

export type ColumnarResult = Readonly<ReturnType<typeof resultOf>>;

/** Plays the trial again and records everything. */
function detailsOf(trial: Trial, orders: BacktestOrders): Details {
  const { plan, timeline } = trial;
  const observer = new DetailObserver(plan, {
    strategyId: plan.strategies[0]?.id ?? '',
    symbols: timeline.symbols.map(({ symbol }) => symbol),
  });
  playedBy(trial, observer);
  return observer.details(orders);
}
