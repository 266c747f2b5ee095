import { isSplit } from '../../backtest/actions.ts';
import { measuredOf, type Measures } from '../../backtest/figures.ts';
import type { BacktestOrders } from '../../backtest/orderTally.ts';
import { marketPlanOf, type MarketPlan } from '../../backtest/plan.ts';
import type { Mark } from '../../backtest/recorder.ts';
import { arrivingOrder, settlementOf, reportOf, type RestingOrder } from '../../backtest/restingOrder.ts';
import type { Tape } from '../../backtest/tape.ts';
import { Trades } from '../../backtest/trades.ts';
import type { Session } from '../../calendar/index.ts';
import { cash, notionalOf, shares, sharesFor, toNumber, wadFromNumber } from '../../core/amount.ts';
import { epochMs } from '../../core/brand.ts';
import { ConfigError } from '../../core/errors.ts';
import { rescale, sharesPer } from '../../domain/corporateAction.ts';
import { buyCost, type FeeSchedule } from '../../domain/fees.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { Order, OrderId } from '../../domain/orders/order.ts';
import type { OrderTerms } from '../../domain/venue.ts';
import type { Trade } from '../../sim/roundTrips.ts';
import { SIGNALS_REASON } from '../../strategy/signals/defineSignals.ts';
import type { RunObserver } from './fusedRun.ts';
import type { Target } from './target.ts';
import { slippageOf, type ExactAccount } from './account.ts';
import type { Prices } from './prices.ts';
import { startedTapes } from './timeline.ts';
import type { BacktestFill } from '../../backtest/rows.ts';

/** Result of a backtest beyond what a trial needs: marks, fills, round trips and all metrics. */
export type Details = Measures &
  Readonly<{ marks: readonly Mark[]; fills: readonly BacktestFill[]; tradeList: readonly Trade[] }>;

type DetailOptions = Readonly<{ strategyId: string; symbols: readonly Ticker[] }>;

const NOWHERE = '0x0000000000000000000000000000000000000000';

/** Collects fills and round trips of a run with the backtest's own code, over separate bars. */
export class DetailObserver implements RunObserver {
  readonly #plan: MarketPlan;
  readonly #given: DetailOptions;
  readonly #trades: Trades;
  readonly #tapes: ReadonlyMap<string, Tape>;
  /** Splits so far, each with its symbol, time and present shares per old one. */
  readonly #splits: { readonly symbol: Ticker; readonly open: number; readonly per: number }[] = [];
  #filling: Target | null = null;
  readonly #marks: Mark[] = [];

  constructor({ options }: MarketPlan, given: DetailOptions) {
    this.#plan = marketPlanOf(options);
    this.#given = given;
    this.#tapes = new Map(startedTapes(this.#plan).map((tape) => [tape.symbol as string, tape]));
    this.#trades = new Trades((symbol) => this.#tapeOf(symbol).columns, {
      of: () => this.#decision(),
      split: () => undefined,
    });
  }

  /** Computes the metrics once the run has ended. */
  details(orders: BacktestOrders): Details {
    const marks = this.#marks;
    const measured = measuredOf(this.#plan, { marks, orders, trades: this.#trades });
    return { ...measured, marks, fills: this.#trades.fills.all, tradeList: this.#trades.closed.all };
  }

  acted(open: number): void {
    const { actions, start } = this.#plan;
    const before = this.#splits.at(-1)?.open ?? start;
    for (const { action, open: from } of actions.filter(isSplit)) {
      if (from <= before || from > open) continue;
      const { symbol } = action;
      this.#tapeOf(symbol).rescale(from, sharesPer(action));
      const per = sharesPer(action);
      this.#trades.split({ symbol, at: from, per }, (quantity) => rescale(quantity, action));
      this.#splits.push({ symbol, open: from, per });
    }
  }

  closed({ date, close }: Session, account: ExactAccount, prices: Prices): void {
    const positions: Record<string, number> = {};
    for (const symbol of account.known) {
      const { held = 0n } = account.holdings[symbol] ?? {};
      if (held !== 0n) positions[this.#symbolOf({ symbol })] = toNumber(held) * prices.of(symbol);
    }
    const { equityNumber: equity, money } = account;
    this.#marks.push({ date, at: close, equity, cash: toNumber(money), positions });
  }

  filled(target: Target): void {
    this.#filling = target;
    const { fees } = this.#plan.model;
    const at = target.filledAt;
    const resting = restingOf(target, this.#orderOf(target), fees);
    const report = reportOf(resting, 'filled', { at, settlement: settlementOf(resting, fees) });
    this.#trades.add({ at, due: epochMs(at), resting, report });
  }

  #tapeOf(symbol: Ticker): Tape {
    const tape = this.#tapes.get(symbol);
    if (!tape) throw new ConfigError(`there are no bars of ${symbol}`);
    return tape;
  }

  #symbolOf({ symbol }: Pick<Target, 'symbol'>): Ticker {
    return this.#given.symbols[symbol] as Ticker;
  }

  /** Decision behind the current fill, with its price in present shares. */
  #decision() {
    const target = this.#filling?.decision;
    if (!target) return undefined;
    const symbol = this.#symbolOf(target);
    let price = Number.isNaN(target.price) ? null : toNumber(wadFromNumber(target.price));
    for (const split of this.#splits)
      if (split.symbol === symbol && split.open > target.at && price !== null) price /= split.per;
    return { at: epochMs(target.at), price };
  }

  #orderOf(target: Target): Order {
    const { isBuy, amount, reserve } = target;
    const { strategyId } = this.#given;
    const intentId = `${strategyId}-${target.decision.number}`;
    const common = { symbol: this.#symbolOf(target), stock: NOWHERE, type: 'market' } as const;
    const terms: OrderTerms = isBuy
      ? { ...common, side: 'buy', notional: cash(amount) }
      : { ...common, side: 'sell', quantity: shares(amount) };
    return {
      id: `${intentId}.1` as OrderId,
      intentId,
      strategyId,
      terms,
      reserve,
      reason: SIGNALS_REASON,
      plannedAt: epochMs(target.decision.at),
      state: { kind: 'planned' },
      cancel: { kind: 'none' },
    };
  }
}

function restingOf(target: Target, order: Order, fees: FeeSchedule): RestingOrder {
  const { isBuy, amount, filled: price, place, filledAt: at } = target;
  const filled = isBuy ? sharesFor(cash(amount), price, 'down') : shares(amount);
  const notional = isBuy ? cash(amount) : notionalOf(filled, price, 'down');
  return Object.assign(arrivingOrder(order, { at, arrival: at, touch: null }), {
    filled,
    notional,
    cost: isBuy ? buyCost(notional, fees) : null,
    slipped: slippageOf(filled, target),
    firstPlace: place,
    lastPlace: place,
  });
}
