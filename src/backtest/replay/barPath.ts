import { toNumber } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { Quote, QuotePhase } from '../../domain/instrument.ts';
import type { Order } from '../../domain/orders/order.ts';
import { buyStopOf, type SyntheticState } from '../../domain/orders/syntheticOrder.ts';
import { isArmed, type Triggers } from '../../domain/orders/triggers.ts';
import type { Kernel } from '../../engine/kernel/kernel.ts';
import type { Exchange } from '../exchange.ts';
import type { Moment, Touch } from '../restingOrder.ts';
import type { Tape } from '../tape.ts';

/**
 * Times of the two stages of a bar's price path, in ms before its end: in the last minute, so that no touch is known
 * before shorter bars of other stocks have ended, yet early enough to end an order and then send a market order.
 */
const STAGE_MS = [55_000, 40_000] as const;

type BarPathInput = Readonly<{
  kernel: Kernel;
  exchange: Exchange;
  ambiguous: 'worst' | 'best';
  /** Shows a price to synthetic orders and carries out their effects. */
  show: (quote: Quote, now: EpochMs) => void;
  /** Delivers the order reports that are due. */
  report: (now: EpochMs) => void;
}>;

/**
 * Price path within a bar, for synthetic orders. The real path is unknown: in the worst case it leads from the open to
 * the low, then to the high and the close; in the best case to the high first. Bars that reach no trigger are skipped.
 */
export class BarPath {
  readonly #input: BarPathInput;
  readonly #fallsFirst: boolean;
  phase: QuotePhase = 'regular';

  constructor(input: BarPathInput) {
    this.#input = input;
    this.#fallsFirst = input.ambiguous === 'worst';
  }

  /** True when the next bar's first price triggers something, or an order is being worked by price. */
  opensAtTrigger({ symbol, columns, index }: Tape): boolean {
    const open = columns.open[index] ?? NaN;
    const triggers = this.#triggersOf(symbol);
    return triggers !== undefined && (triggers.isWorked || triggers.isReached(open, open));
  }

  /** Next instant, from `now` on, at which the next bar of a tape must be examined; Infinity for none. */
  next(tape: Tape, now: number): number {
    const triggers = tape.last && this.#triggersOf(tape.symbol);
    if (!triggers) return Infinity;
    if (!tape.opened && tape.start >= now && this.opensAtTrigger(tape)) return tape.start;
    const stage = this.#stageOf(tape, triggers);
    return stage === undefined ? Infinity : Math.max(instantOf(tape, stage), now);
  }

  /** First stage not yet played in which a trigger or limit is reached. */
  #stageOf(tape: Tape, triggers: Triggers): 0 | 1 | undefined {
    if (tape.stages >= STAGE_MS.length) return undefined;
    const { low, high } = tape.columns;
    const falls = (low[tape.index] ?? NaN) <= triggers.sell || this.#input.exchange.awaitsLow(tape);
    const rises = triggers.isReached(Infinity, high[tape.index] ?? NaN);
    const [first, second] = this.#fallsFirst ? [falls, rises] : [rises, falls];
    if (tape.stages === 0 && first) return 0;
    return second ? 1 : undefined;
  }

  /** Plays the stage of the bar that is due, if any. */
  play(tape: Tape, now: EpochMs): void {
    if (!tape.last || tape.isPlayed || now < instantOf(tape, 0) || now >= tape.endOfNext()) return;
    if (!this.#triggersOf(tape.symbol)) return;
    const stage = now < instantOf(tape, 1) ? 0 : 1;
    tape.last.refresh(now);
    const isNew = tape.stages <= stage;
    tape.opened = true;
    tape.stages = stage + 1;
    const { low, close } = tape.columns;
    if ((stage === 0) === this.#fallsFirst) return this.#fall(tape, low[tape.index] ?? NaN, now);
    if (isNew) this.#rise(tape, now);
    if (this.#fallsFirst) this.#fall(tape, close[tape.index] ?? NaN, now);
  }

  /** Moves the price down: buy limits fill on the way, and sell stops trigger, highest first. */
  #fall(tape: Tape, floor: number, now: EpochMs): void {
    const { exchange, report } = this.#input;
    const moment = { tape, index: tape.index, at: now };
    for (let from = Infinity; ;) {
      if (!this.#fallsFirst && exchange.passTo(moment, 'sell', Infinity)) report(now);
      const stop = this.#highestStop(moment, { floor, from });
      if (exchange.passTo(moment, 'buy', stop ?? floor)) {
        report(now);
        continue;
      }
      if (stop === undefined) return;
      this.#touch(tape, stop, now);
      from = stop;
    }
  }

  /** Moves the price up: sell limits fill, buy stops trigger, lowest first, and trailing stops rise. */
  #rise(tape: Tape, now: EpochMs): void {
    const { exchange, report } = this.#input;
    const high = tape.columns.high[tape.index] ?? NaN;
    if (exchange.passTo({ tape, index: tape.index, at: now }, 'sell', Infinity)) report(now);
    const stops = this.#stopsOf(tape, 'buy', now).filter((stop) => stop <= high);
    for (const stop of [...new Set(stops)].sort((a, b) => a - b)) this.#touch(tape, stop, now);
    if (high > (this.#triggersOf(tape.symbol)?.mark ?? Infinity)) this.#raise(tape, high, now);
  }

  #highestStop({ tape, at }: Moment, on: Readonly<{ floor: number; from: number }>): number | undefined {
    const stops = this.#stopsOf(tape, 'sell', at).filter((stop) => stop >= on.floor && stop < on.from);
    return stops.length === 0 ? undefined : Math.max(...stops);
  }

  /** Stop prices of a stock's armed orders whose start time has come: before it, the market may be beyond a stop. */
  #stopsOf({ symbol }: Tape, side: 'buy' | 'sell', now: number): number[] {
    return this.#armedIn(symbol, now).flatMap((state) => {
      const buyStop = buyStopOf(state);
      const stop = side === 'buy' ? buyStop : buyStop === null ? state.stop : null;
      return stop === null ? [] : [toNumber(stop)];
    });
  }

  /** Shows the price of a stop; the order that it triggers fills there if it arrives at once. */
  #touch(tape: Tape, price: number, now: EpochMs): void {
    const { exchange, report } = this.#input;
    this.#show(tape, price, now);
    exchange.atTouch({ tape, index: tape.index, at: now }, price);
    report(now);
  }

  /** Shows the high to trailing stops only: nothing trades at it, and no strategy sees it. */
  #raise(tape: Tape, high: number, now: EpochMs): void {
    const { last } = tape;
    if (!last) return;
    const { price, at } = last;
    this.#show(tape, high, now);
    last.set(price, at);
  }

  #show({ last }: Tape, price: number, now: EpochMs): void {
    last?.set(price, now);
    const quote = last?.quote(now);
    if (quote) this.#input.show(quote, now);
  }

  /** Price within a bar that triggered an order; null for any other order. */
  touchOf({ intentId }: Order, tape: Tape): Touch | null {
    const { intents, synthetics } = this.#book;
    const parent = intents.get(intentId)?.parent;
    const state = parent && synthetics.live.get(parent.id);
    const touch = parent?.leg === 'entry' ? (state?.entered ?? state?.trigger) : state?.trigger;
    const isByTime = touch === state?.trigger && state?.trigger?.cause === 'time';
    if (!touch?.price || isByTime || tape.stages === 0 || touch.at <= tape.start) return null;
    return { price: toNumber(touch.price), index: tape.index };
  }

  get #book() {
    return this.#input.kernel.context.accountState;
  }

  #triggersOf(symbol: Tape['symbol']): Triggers | undefined {
    return this.#book.synthetics.triggersOf(symbol, this.phase);
  }

  #armedIn(symbol: Tape['symbol'], now: number): SyntheticState[] {
    const { synthetics } = this.#book;
    return [...synthetics.inSymbol(symbol)]
      .map((id) => synthetics.of(id))
      .filter((state) => isArmed(state, this.phase) && now >= state.order.notBefore);
  }
}

const instantOf = (tape: Tape, stage: 0 | 1): number =>
  Math.max(tape.start, tape.endOfNext() - STAGE_MS[stage]);
