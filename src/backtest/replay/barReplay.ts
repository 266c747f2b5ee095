import { epochMs, toIso, type EpochMs } from '../../core/brand.ts';
import { ConfigError, StrategyError } from '../../core/errors.ts';
import type { JournalEntry } from '../../domain/journalEvent.ts';
import type { QuotePhase, Ticker } from '../../domain/instrument.ts';
import type { OrderId } from '../../domain/orders/order.ts';
import type { SignedSend } from '../../domain/venue.ts';
import type { FastPath } from '../../engine/kernel/fastPath.ts';
import type { Kernel } from '../../engine/kernel/kernel.ts';
import type { KernelEvent, Step, Effect } from '../../engine/state/kernelEvent.ts';
import { recallTokenPrices } from '../../engine/state/tokenPrices.ts';
import { BarPath } from './barPath.ts';
import type { Exchange } from '../exchange.ts';
import type { TokenReading } from '../options.ts';
import type { Recorder } from '../recorder.ts';
import type { PhaseTally } from '../phaseTally.ts';
import { reportedBy, reportOf, unsettledIn, type Unsettled } from '../restingOrder.ts';
import { coarseOf, type Hours, type Tape } from '../tape.ts';
import type { Trades } from '../trades.ts';

const tooCoarse = ({ strategyId, symbol }: Readonly<{ strategyId: string; symbol: Ticker }>): ConfigError =>
  new ConfigError(
    `${strategyId} trades ${symbol}, which has only weekly bars, beside shorter ones of others: a midweek order ` +
      `would fill at Monday's price. Give daily bars of ${symbol} too (--bars ${symbol}=FILE, --interval 1d)`,
    { strategy: strategyId, symbol },
  );

export type BarReplayInput = Readonly<{
  kernel: Kernel;
  exchange: Exchange;
  recorder: Recorder;
  trades: Trades;
  phases: PhaseTally | null;
  tapes: readonly Tape[];
  /** Rule for the unknown price path of a bar: `BarPath`. */
  ambiguous: 'worst' | 'best';
  tokenPrices?: readonly TokenReading[] | undefined;
  onFact?: ((entry: JournalEntry) => void) | undefined;
}>;

/** Placeholder for a signed request: the simulated exchange signs nothing. */
const NO_REQUEST: SignedSend = { method: 'POST', uri: '', timestamp: epochMs(0), nonce: '', body: '' };

/**
 * Plays the bars of tapes to the kernel, span by span. While there is no open order, no waiting intent and no
 * subscriber to prices, a bar only moves a cursor and calls a hook; otherwise its open and its end are two events.
 */
export class BarReplay {
  readonly #kernel: Kernel;
  readonly #fastPath: FastPath;
  readonly #exchange: Exchange;
  readonly #input: BarReplayInput;
  readonly #path: BarPath;
  /** Tapes that set the prices, by stock. */
  readonly #pricing: ReadonlyMap<Ticker, Tape>;
  /** Tapes with bars left in this session. */
  #active: Tape[] = [];
  /** Tapes whose latest bar has just ended. */
  #ended: Tape[] = [];
  #now = 0;
  /** Instant at which time alone advances an order, as of the last kernel step with a result; Infinity for none. */
  #due = Infinity;
  /** True while intents wait for another step, as of the same step. */
  #hasWaiting = false;
  /** True while the runner holds orders, as of the same step. */
  #holdsOrders = false;
  #close: EpochMs = epochMs(0);
  #phase: QuotePhase = 'regular';
  #hearsQuotes = false;
  #takesBars = false;
  /** Token prices still to come, and the time of the next of them. */
  readonly #readings: TokenReading[];
  #nextReading: number;
  /** Symbols with only weekly bars, in a run that also plays other sessions. */
  readonly #coarse: ReadonlySet<Ticker>;
  bars = 0;

  constructor(input: BarReplayInput) {
    this.#input = input;
    this.#kernel = input.kernel;
    this.#fastPath = input.kernel.fastPath;
    this.#exchange = input.exchange;
    this.#coarse = coarseOf(input.tapes);
    this.#pricing = new Map(input.tapes.flatMap((tape) => (tape.last ? [[tape.symbol, tape] as const] : [])));
    const { kernel, exchange, ambiguous, tokenPrices = [] } = input;
    this.#readings = [...tokenPrices];
    this.#nextReading = tokenPrices[0]?.at ?? Infinity;
    this.#path = new BarPath({
      kernel,
      exchange,
      ambiguous,
      show: (quote, now) => this.#act(this.#fastPath.touch(quote, this.#phase, now), now),
      report: (now) => this.report(now),
    });
  }

  /** Handles an event outside the sessions. @throws {StrategyError} when a strategy throws */
  take(event: KernelEvent, at: EpochMs): void {
    this.#readTokens(at);
    this.#act(this.#kernel.handle(event, at), at);
  }

  /** Applies token prices that were read by an instant. */
  #readTokens(now: number): void {
    while (this.#nextReading <= now) {
      const next = this.#readings.shift();
      if (next) recallTokenPrices(this.#kernel.context, next);
      this.#nextReading = this.#readings[0]?.at ?? Infinity;
    }
  }

  /** Instant of the latest step. */
  get now(): number {
    return this.#now;
  }

  /** Settlements of fills that are not reported yet. */
  get unsettled(): readonly Unsettled[] {
    return unsettledIn(this.#exchange.ended);
  }

  /** Moves to the beginning of a span. */
  begin(hours: Hours): void {
    const { phase = 'regular' } = hours;
    const isRegular = phase === 'regular';
    this.#phase = this.#path.phase = phase;
    this.#active = this.#input.tapes.filter((tape) => tape.enter(hours));
    this.#close = hours.close;
    this.#hearsQuotes = this.#fastPath.hearsQuotes(phase);
    this.#takesBars = this.#fastPath.takesBars;
    this.#exchange.isOutside = !isRegular;
    for (const tape of this.#active)
      if (!tape.isOfPhases && (tape.isShown || !isRegular)) this.bars += tape.to - tape.index;
  }

  /** Ends a span: unfilled parts of its orders expire. */
  end(): void {
    this.#exchange.expire(this.#close);
    this.report(this.#close);
    if (this.#coarse.size > 0) this.#refuseCoarse();
  }

  /** Ends orders of a stock that have not reached the market before its split; all reports of the stock come first. */
  drop(symbol: Ticker, at: EpochMs): void {
    this.#exchange.drop(symbol, at);
    this.hasten(symbol, at);
  }

  /** Makes the order reports of a stock due at an instant, because a payment then belongs to holders from before it. */
  hasten(symbol: Ticker, at: EpochMs): void {
    const { ended } = this.#exchange;
    ended.splice(0, ended.length, ...reportedBy(ended, symbol, at));
  }

  /** Advances time without any bar. */
  pass(now: EpochMs): void {
    this.#act(this.#fastPath.showQuotes([], now, this.#phase), now);
  }

  #isQuiet(): boolean {
    return this.#isCalm() && this.#exchange.isIdle();
  }

  /** True while bars need no more than their end events, apart from orders at the exchange. */
  #isCalm(): boolean {
    return !this.#hasWaiting && !this.#hearsQuotes && !this.#takesBars;
  }

  /** Plays everything up to an instant, including events at it, but not bars that begin at it. */
  playUntil(until: EpochMs): void {
    while (this.#active.length > 0 || this.#exchange.nextDue() <= until) {
      const [only] = this.#active;
      if (only && this.#active.length === 1 && this.#isCalm()) this.#playQuietly(only, until);
      if (only?.isPlayed) this.#active.shift();
      const next = this.#nextEvent();
      if (next > until || (next === until && this.#nextIsOpen(next))) return;
      this.#step(epochMs(next), next < until);
    }
  }

  /** Plays bars of a single tape while nothing else is due; stops at the first bar that has any other effect. */
  #playQuietly(tape: Tape, until: EpochMs): void {
    for (;;) {
      if (!this.#exchange.isIdle() && !this.#isAsleep(tape)) return;
      if (this.#holdsOrders && this.#nextHeld(tape) <= tape.endOfNext()) return;
      const index = tape.finishBy(until);
      if (index < 0) return;
      if (this.#nextReading <= tape.now) this.#readTokens(tape.now);
      const turn = this.#fastPath.showBar(tape.bar(index), tape.watchers, epochMs(tape.now));
      if (turn === null) continue;
      this.#act(turn, epochMs(tape.now));
      if (!this.#isCalm()) return;
    }
  }

  /** True when the rest of a tape's next bar reaches no order and the runner holds none. */
  #isAsleep(tape: Tape): boolean {
    return !this.#holdsOrders && this.#due > tape.endOfNext() && this.#exchange.sleepsThrough(tape);
  }

  /** Next instant at which synthetic orders need more of a tape than the ends of its bars; Infinity for none. */
  #nextHeld(tape: Tape): number {
    const due = this.#fastPath.nextDue();
    return Math.min(this.#path.next(tape, this.#now), due > this.#now ? due : Infinity);
  }

  /** Next instant at which a bar ends, a bar begins (if that matters), or a report is due. */
  #nextEvent(): number {
    const opens = !this.#isQuiet();
    let next = this.#exchange.nextDue();
    if (this.#due > this.#now && this.#due < next) next = this.#due;
    for (const tape of this.#active) {
      const at = opens && !tape.opened && tape.start >= this.#now ? tape.start : tape.endOfNext();
      if (at < next) next = at;
      if (this.#holdsOrders) next = Math.min(next, this.#path.next(tape, this.#now));
    }
    return next;
  }

  #nextIsOpen(next: number): boolean {
    return this.#exchange.nextDue() > next && this.#active.every((tape) => tape.endOfNext() > next);
  }

  /** Plays the events of an instant; bars that begin at it come last, after the timers. */
  #step(now: EpochMs, opens: boolean): void {
    this.#now = now;
    this.#readTokens(now);
    this.#finishBars(now);
    this.report(now);
    this.#showBars(now);
    if (this.#due <= now) this.#act(this.#fastPath.showQuotes([], now, this.#phase), now);
    if (this.#holdsOrders) for (const tape of this.#active) this.#path.play(tape, now);
    if (opens && (!this.#isQuiet() || this.#holdsOrders)) this.#openBars(now);
    for (const tape of this.#ended)
      if (tape.isPlayed) this.#active = this.#active.filter((other) => other !== tape);
  }

  /** Ends bars: closes become prices, resting orders fill within them, and at the session close the rest expire. */
  #finishBars(now: EpochMs): void {
    this.#ended = this.#active.filter((tape) => tape.endOfNext() <= now);
    for (const tape of this.#ended) tape.finish(tape.endOfNext());
    if (!this.#exchange.hasResting()) return;
    for (const tape of this.#ended)
      if (tape.last) this.#exchange.within({ tape, index: tape.index - 1, at: now });
    if (now >= this.#close) this.#exchange.expire(now);
  }

  #showBars(now: EpochMs): void {
    if (this.#ended.length > 0 && this.#hearsQuotes) this.#showQuotes(now);
    for (const tape of this.#ended) {
      const turn = this.#fastPath.showBar(tape.bar(tape.index - 1), tape.watchers, now);
      if (turn !== null) this.#act(turn, now);
    }
    if (!this.#takesBars || this.#ended.length === 0) return;
    const shown = this.#ended.map((tape) => ({ bar: tape.bar(tape.index - 1), to: tape.watchers }));
    this.#act(this.#fastPath.showBars(shown, now), now);
  }

  /** Shows a bar's first price: first the waiting intents are tried, then orders fill at it. */
  #openBars(now: EpochMs): void {
    let opened = false;
    for (const tape of this.#active) {
      if (tape.isPlayed || tape.opened || tape.start > now) continue;
      tape.opened = true;
      if (tape.start < now || !tape.last) continue;
      tape.last.set(tape.columns.open[tape.index] ?? NaN, now);
      opened = true;
    }
    if (!opened) return;
    if (this.#hasWaiting || this.#hearsQuotes || this.#holdsOrders) this.#showQuotes(now);
    if (!this.#exchange.hasResting()) return;
    for (const tape of this.#active)
      if (tape.last && tape.last.at === now && tape.opened && tape.start === now)
        this.#exchange.atOpen({ tape, index: tape.index, at: now });
    this.report(now);
  }

  /** Shows new prices; if nothing else waits for a price, only those that trigger something. */
  #showQuotes(now: EpochMs): void {
    const showsAll = this.#hasWaiting || this.#hearsQuotes;
    const changed = this.#input.tapes.flatMap((tape) => {
      const { last } = tape;
      if (last?.at !== now) return [];
      const triggers = this.#holdsOrders && tape.opened && this.#path.opensAtTrigger(tape);
      if (!triggers && (!showsAll || last.price === last.shown)) return [];
      last.shown = last.price;
      return last.quote(now) ?? [];
    });
    if (changed.length === 0 && !showsAll) return;
    this.#act(this.#fastPath.showQuotes(changed, now, this.#phase), now);
  }

  /** Delivers the venue's reports that are due by an instant to the kernel. */
  report(now: number): void {
    for (let ended = this.#exchange.nextEnded(now); ended; ended = this.#exchange.nextEnded(now)) {
      this.#input.trades.add(ended);
      this.#input.phases?.fill(ended);
      this.#act(this.#fastPath.report(ended.resting.order.id, ended.report, ended.due), ended.due);
    }
  }

  /** Records a step of the kernel and carries out its effects. */
  #act({ facts, effects, notices }: Step, now: EpochMs): void {
    this.#now = now;
    const { recorder, onFact } = this.#input;
    recorder.take(facts);
    if (onFact) facts.forEach(onFact);
    for (const effect of effects) this.#carry(effect, now);
    if (notices.length > 0) this.#throwStrategyError(now);
    this.#due = this.#fastPath.nextDue();
    this.#hasWaiting = this.#fastPath.hasWaiting();
    this.#holdsOrders = this.#fastPath.holdsOrders();
  }

  #carry(effect: Effect, now: EpochMs): void {
    if (effect.kind === 'place') this.#place(effect.id, now);
    if (effect.kind === 'cancel') this.#cancel(effect.id, now);
    // The tapes are already rescaled: the bars shown are all there is to reload.
    if (effect.kind === 'rewarm') this.take({ kind: 'rewarmed', symbol: effect.symbol, bars: [] }, now);
  }

  /** Refuses an intent that waits for a price of a symbol with weekly bars: it would fill at Monday's price. */
  #refuseCoarse(): void {
    for (const intent of this.#kernel.context.accountState.intents.values())
      if (this.#coarse.has(intent.symbol) && intent.notBefore < this.#close) throw tooCoarse(intent);
  }

  #place(id: OrderId, now: EpochMs): void {
    const order = this.#kernel.context.accountState.order(id);
    const { strategyId, terms } = order;
    if (this.#coarse.has(terms.symbol)) throw tooCoarse({ strategyId, symbol: terms.symbol });
    const turn = this.#fastPath.sendAtOnce(id, NO_REQUEST, now);
    const tape = this.#pricing.get(terms.symbol);
    const touch = tape && this.#fastPath.holdsOrders() ? this.#path.touchOf(order, tape) : null;
    const resting = turn.sent ? this.#exchange.take(order, now, touch) : null;
    this.#act(turn, now);
    if (!resting) return;
    if (resting.order.terms.type === 'limit')
      this.#act(
        this.#fastPath.report(id, reportOf(resting, 'open', { at: now, settlement: null }), now),
        now,
      );
    this.#meetClose(resting.order.terms.symbol, id, now);
  }

  /** Fills an order at the close on which it was decided, where orders fill on closes. */
  #meetClose(symbol: Ticker, id: OrderId, now: EpochMs): void {
    if (!this.#exchange.fillsOnCloses) return;
    const tape = this.#input.tapes.find(({ last }) => last?.symbol === symbol);
    if (!tape?.last || tape.last.at !== now || tape.index === 0 || tape.opened) return;
    this.#exchange.atClose(id, { tape, index: tape.index - 1, at: now });
    this.report(now);
  }

  #cancel(id: OrderId, now: EpochMs): void {
    const kernel = this.#kernel;
    const permit = kernel.permitCancelling(id, now);
    if ('stop' in permit) return;
    const { deadline } = permit;
    this.take({ kind: 'cancelSent', id, deadline, request: NO_REQUEST }, now);
    const outcome = { kind: 'accepted', txHash: `sim-cancel-${id}` } as const;
    this.take({ kind: 'cancelled', id, outcome }, now);
    this.#exchange.cancel(id, now);
    this.report(now);
  }

  /** Ends the backtest after an error of a strategy: its results would no longer be those of the code as written. */
  #throwStrategyError(now: EpochMs): void {
    for (const [strategyId, error] of this.#kernel.context.accountState.stopped) {
      const latest = this.#input.tapes.find(({ last, index }) => last?.at === now && index > 0);
      const bar = latest ? ` after bar ${latest.index} of ${latest.symbol} ${latest.interval}` : '';
      throw new StrategyError(`strategy ${strategyId} threw at ${toIso(now)}${bar}: ${error}`, {
        strategy: strategyId,
        at: toIso(now),
      });
    }
  }
}
