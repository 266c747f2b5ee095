import type { EpochMs } from '../../core/brand.ts';
import type { Bar } from '../../domain/bar.ts';
import type { Quote, QuotePhase } from '../../domain/instrument.ts';
import type { OrderId } from '../../domain/orders/order.ts';
import type { OrderReport, SignedSend } from '../../domain/venue.ts';
import type { Responses } from '../orders/responses.ts';
import type { Gate } from '../risk/gate.ts';
import type { Operator } from '../operator/operator.ts';
import type { EngineContext } from '../state/engineContext.ts';
import type { Step } from '../state/kernelEvent.ts';
import type { StrategyInstance } from '../strategy/strategyInstance.ts';
import type { ShownBar } from '../strategy/barNews.ts';
import type { StrategyManager } from '../strategy/strategyManager.ts';

type FastPathParts = Readonly<{
  context: EngineContext;
  strategies: StrategyManager;
  gate: Gate;
  responses: Responses;
  operator: Operator;
  /** Enforces limits that bind without an order. */
  guard: () => void;
}>;

/** Faster steps of the kernel for a backtest: bars come from tapes, and a simulated venue responds at once. */
export class FastPath {
  readonly #parts: FastPathParts;

  constructor(parts: FastPathParts) {
    this.#parts = parts;
  }

  /** True when a strategy receives quotes of a phase. */
  hearsQuotes(phase: QuotePhase): boolean {
    return [...this.#parts.strategies.all.values()].some(({ quotePhases }) =>
      [...quotePhases.values()].some((phases) => phases.has(phase)),
    );
  }

  /** True while a synthetic order is armed or working: bars must be compared with its prices. */
  holdsOrders(): boolean {
    return this.#parts.context.accountState.synthetics.live.size > 0;
  }

  /** True while intents wait for a time, a price or other orders: another step may let them continue. */
  hasWaiting(): boolean {
    if (this.#isQuiet()) return false;
    const { strategies, context } = this.#parts;
    return !strategies.isIdle() || context.accountState.commands.flattening.size > 0;
  }

  /** Next time at which an order continues without other news; Infinity if none. */
  nextDue(): number {
    return this.#isQuiet() ? Infinity : this.#parts.strategies.nextDue();
  }

  /** True while no request of a strategy is under way: between two steps, all news has been delivered. */
  #isQuiet(): boolean {
    const { intents, synthetics, commands } = this.#parts.context.accountState;
    return intents.size === 0 && synthetics.live.size === 0 && commands.flattening.size === 0;
  }

  /** Step for one finished bar that the market already has. Null, at almost no cost, if it has no results. */
  showBar(bar: Bar, to: readonly StrategyInstance[], now: EpochMs): Step | null {
    const { context, strategies } = this.#parts;
    const holdsOrders = this.holdsOrders();
    context.begin(now);
    if (to.length > 1) Object.freeze(bar);
    if (holdsOrders) strategies.noteBar(bar);
    for (let index = 0; index < to.length; index++) to[index]?.bar(bar);
    if (context.watchesDrawdown) this.#parts.guard();
    return context.isClear() && strategies.isIdle() ? null : this.#finish();
  }

  /** True when a strategy takes the bars of one time together. */
  get takesBars(): boolean {
    return [...this.#parts.strategies.all.values()].some((strategy) => strategy.takesBars);
  }

  /** Step for the bars that ended at one time, after the step of each. */
  showBars(shown: readonly ShownBar[], now: EpochMs): Step {
    const { context, strategies } = this.#parts;
    context.begin(now);
    for (const { bar } of shown) Object.freeze(bar);
    strategies.barNews.showTogether(shown);
    return this.#finish();
  }

  /** Step for new prices at a later time: calls the strategies that watch them, and tries waiting intents. */
  showQuotes(changed: readonly Quote[], now: EpochMs, phase: QuotePhase = 'regular'): Step {
    this.#parts.context.begin(now);
    this.#parts.strategies.quotes(changed, phase);
    if (this.#parts.context.watchesDrawdown) this.#parts.guard();
    return this.#finish();
  }

  /** Step for a price within a bar, which only synthetic orders see. */
  touch(quote: Quote, phase: QuotePhase, now: EpochMs): Step {
    this.#parts.context.begin(now);
    this.#parts.strategies.touched(quote, phase);
    return this.#finish();
  }

  /** Step of a send with an immediate response: gate, send and response. The order's id serves as its transaction. */
  sendAtOnce(id: OrderId, request: SignedSend, now: EpochMs): Step & Readonly<{ sent: boolean }> {
    const { context, gate, responses } = this.#parts;
    context.begin(now);
    const permit = gate.forPlacing(id);
    const sent = !('stop' in permit);
    if ('stop' in permit) responses.placed(id, { kind: 'stopped', reason: permit.stop, code: permit.code });
    else {
      context.move(id, { kind: 'sent', at: now, deadline: permit.deadline }, request);
      responses.placed(id, { kind: 'accepted', txHash: id });
    }
    const { facts, effects, notices } = this.#finish();
    return { facts, effects, notices, sent };
  }

  /** Step for a report of the simulated venue, which needs no checks: it neither forgets nor reverses anything. */
  report(id: OrderId, report: OrderReport, now: EpochMs): Step {
    const { context } = this.#parts;
    context.begin(now);
    context.move(id, { kind: 'reported', report });
    return this.#finish();
  }

  #finish(): Step {
    const { context, operator, strategies } = this.#parts;
    if (context.accountState.commands.flattening.size > 0) operator.check();
    strategies.drain();
    return context.finish();
  }
}
