import type { EpochMs } from '../../core/brand.ts';
import type { Bar, Interval } from '../../domain/bar.ts';
import type { Quote, Ticker } from '../../domain/instrument.ts';
import type { OrderId } from '../../domain/orders/order.ts';
import type { OrderReport, SignedSend } from '../../domain/venue.ts';
import type { Responses } from '../orders/responses.ts';
import type { EngineContext } from '../state/engineContext.ts';
import type { Gate } from '../risk/gate.ts';
import type { StrategyInstance } from '../strategy/strategyInstance.ts';
import type { StrategyManager } from '../strategy/strategyManager.ts';
import type { Step } from '../state/kernelEvent.ts';

export type FastPathParts = Readonly<{
  context: EngineContext;
  strategies: StrategyManager;
  gate: Gate;
  responses: Responses;
}>;

/** The kernel's turns for a market that is played from tapes to a simulated venue: the same parts, by the short way. */
export class FastPath {
  readonly #parts: FastPathParts;

  constructor(parts: FastPathParts) {
    this.#parts = parts;
  }

  /** Strategies that asked for these bars: `showBar` wants to know. */
  watching(symbol: Ticker, interval: Interval): readonly StrategyInstance[] {
    return this.#parts.strategies.watching(symbol, interval);
  }

  /** True when a strategy hears quotes of the regular session: tapes have no others. */
  get hearsQuotes(): boolean {
    return [...this.#parts.strategies.all.values()].some(({ quotePhases }) =>
      [...quotePhases.values()].some((phases) => phases.has('regular')),
    );
  }

  /** Intents wait for their time, their price or for other orders: another turn may bring them on. */
  get hasWaiting(): boolean {
    return !this.#parts.strategies.isIdle;
  }

  /** A turn for one finished bar that the market shows already. Null, and next to no work, when nothing came of it. */
  showBar(bar: Bar, to: readonly StrategyInstance[], now: EpochMs): Step | null {
    const { context, strategies } = this.#parts;
    context.begin(now);
    if (to.length > 1) Object.freeze(bar);
    for (const strategy of to) strategy.bar(bar);
    return context.isClear && strategies.isIdle ? null : this.#finish();
  }

  /** Prices have moved, and time has passed: strategies that watch them are told, intents that waited are tried. */
  showQuotes(changed: readonly Quote[], now: EpochMs): Step {
    this.#parts.context.begin(now);
    this.#parts.strategies.quotes(changed, 'regular');
    return this.#finish();
  }

  /** A send whose answer is there at once: gate, send and answer in one turn. Its transaction goes by the id of the order. */
  sendAtOnce(id: OrderId, request: SignedSend, now: EpochMs): Step & Readonly<{ sent: boolean }> {
    const { context, gate, responses } = this.#parts;
    context.begin(now);
    const permit = gate.forPlacing(id);
    const sent = !('stop' in permit);
    if ('stop' in permit) responses.placed(id, { kind: 'stopped', reason: permit.stop });
    else {
      context.move(id, { kind: 'sent', at: now, deadline: permit.deadline }, request);
      responses.placed(id, { kind: 'accepted', txHash: id });
    }
    const { facts, effects, notices } = this.#finish();
    return { facts, effects, notices, sent };
  }

  /** What the venue tells of an order of which nothing is in doubt: a simulated one neither forgets nor takes back. */
  report(id: OrderId, report: OrderReport, now: EpochMs): Step {
    const { context } = this.#parts;
    context.begin(now);
    context.move(id, { kind: 'reported', report });
    return this.#finish();
  }

  #finish(): Step {
    this.#parts.strategies.drain();
    return this.#parts.context.finish();
  }
}
