import { newYorkDate, type Session } from '../../calendar/index.ts';
import { cash, formatDecimal, wadFromNumber } from '../../core/amount.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import { UNALLOCATED } from '../../domain/account/ledger.ts';
import type { Kernel } from '../../engine/kernel/kernel.ts';
import { dueWithinPrice, tradedEquity } from '../../engine/state/exposure.ts';
import { barEnd } from '../../market/series.ts';
import { isSplit, type ActionReplay } from '../actions.ts';
import type { Delistings, LastBar } from '../delisting.ts';
import type { Recorder } from '../recorder.ts';
import { sessionBefore, type Hours, type Tape } from '../tape.ts';
import type { Trades } from '../trades.ts';
import type { PhaseTally } from '../phaseTally.ts';
import type { BarReplay } from './barReplay.ts';

/** Time of a session's day at which `onTimer` is called. */
export type Timer = Readonly<{ at: EpochMs; strategyId: string; name: string }>;

export type DayReplayInput = Readonly<{
  kernel: Kernel;
  bars: BarReplay;
  recorder: Recorder;
  trades: Trades;
  /** Null if only the regular session is played. */
  phases: PhaseTally | null;
  tapes: readonly Tape[];
  actions: ActionReplay;
  /** Symbols to write off, with their times. */
  delistings: Delistings;
  /** First instant that counts. */
  start: EpochMs;
  /** Timers of a session's day, earliest first. */
  timersOf: (session: Session) => readonly Timer[];
}>;

/** Plays trading days: their sessions and the traded phases around them, with timers, actions and marks. */
export class DayReplay {
  readonly #input: DayReplayInput;
  /** Timers to come, earliest first. */
  #timers: readonly Timer[] = [];
  #date = '';
  /** Close of the latest session. */
  #close = 0;
  /** False on a first day that starts after its session: the day's profit is then part of the next mark. */
  #hasSession = false;

  constructor(input: DayReplayInput) {
    this.#input = input;
  }

  /** Plays a session or a phase. `next`: the one that follows, in a run that trades phases. */
  play(hours: Hours, next?: Hours): void {
    const { bars, start, recorder, kernel, phases } = this.#input;
    const { open, close } = hours;
    if (hours.date !== this.#date) this.#beginDay(hours);
    this.#fire(open);
    bars.begin(hours);
    if (this.#input.actions.isDue(open)) this.#playActions(open);
    if (hours.phase === undefined)
      for (const last of this.#input.delistings.due(open)) this.#writeOff(last, open);
    this.#change('opened', hours, open < start ? start : open);
    for (let [timer] = this.#timers; timer && timer.at <= close; [timer] = this.#timers) {
      this.#playTo(timer.at);
      this.#fireFirst();
    }
    this.#playTo(close);
    bars.end();
    this.#change('closed', hours, close);
    bars.report(next?.open ?? Infinity);
    const isLast = next?.date !== hours.date;
    // If the next phase begins at once, fills of the last seconds are not reported yet.
    const unseen = next ? recorder.gainOf(bars.unsettled) : 0;
    if (phases) {
      const within = next ? dueWithinPrice(kernel.context, UNALLOCATED) : 0n;
      const equity = tradedEquity(kernel.context) - within + wadFromNumber(unseen);
      phases.end(hours.phase ?? 'regular', cash(equity));
    }
    if (isLast && this.#hasSession) recorder.mark(hours, unseen);
    this.#fire(next?.open ?? Infinity);
    // Ended orders can no longer be referenced and would only use memory.
    if (isLast) kernel.context.accountState.forgetEnded();
  }

  /** Stops the kernel at the close, or at the last event after it, such as a settlement. */
  end(close: EpochMs): void {
    const { bars } = this.#input;
    bars.take({ kind: 'stop' }, epochMs(Math.max(bars.now, close)));
  }

  #beginDay(hours: Hours): void {
    const { tapes, timersOf } = this.#input;
    const { calendar } = this.#input.kernel.context;
    const { date, open } = hours;
    const session = hours.phase === undefined ? hours : calendar.sessionOn(date);
    const before = session && this.#date === '' && sessionBefore(session, { tapes, calendar });
    if (before) this.#timers = timersOf(before);
    this.#date = date;
    this.#hasSession = false;
    this.#passMissed(open);
    if (session) this.#timers = [...this.#timers, ...timersOf(session)];
  }

  /** Notifies the kernel that a session opens or closes; for a phase it only advances the time. */
  #change(change: 'opened' | 'closed', hours: Hours, at: EpochMs): void {
    const { bars } = this.#input;
    if (hours.phase !== undefined) return bars.take({ kind: 'due' }, at);
    bars.take({ kind: 'session', change, session: hours }, at);
    if (change === 'opened') return;
    this.#close = hours.close;
    this.#hasSession = true;
  }

  /** Fires the timers before an instant. */
  #fire(before: number): void {
    while ((this.#timers[0]?.at ?? Infinity) < before) this.#fireFirst();
  }

  #fireFirst(): void {
    const [timer, ...later] = this.#timers;
    this.#timers = later;
    if (!timer) return;
    const { strategyId, name, at } = timer;
    this.#input.bars.take({ kind: 'timer', strategyId, timer: name }, at);
  }

  /** Plays everything up to an instant, including payments to holders within the session. */
  #playTo(until: EpochMs): void {
    const { actions, bars } = this.#input;
    for (let at = actions.next; at < until; at = actions.next) {
      bars.playUntil(at);
      actions.play(at, (event) => bars.take(event, at));
    }
    bars.playUntil(until);
  }

  #playActions(open: EpochMs): void {
    const { actions, bars, phases } = this.#input;
    for (const planned of actions.dueBy(open)) {
      if (isSplit(planned)) bars.drop(planned.action.symbol, open);
      else if (phases) bars.hasten(planned.action.symbol, open);
    }
    bars.report(phases ? open : Infinity);
    actions.play(open, (event) => bars.take(event, open));
  }

  #writeOff({ symbol, at }: LastBar, open: EpochMs): void {
    const { actions, bars, recorder, trades } = this.#input;
    const why = `delisted, the last bar is of ${newYorkDate(at)}`;
    bars.hasten(symbol, open);
    bars.report(open);
    bars.take({ kind: 'writeOff', symbol, why }, open);
    trades.writeOff(symbol, open, why);
    const value = recorder.writtenOff.get(symbol);
    if (value === undefined) return;
    const text = `${formatDecimal(value)} mUSD of ${symbol} written off: ${why}`;
    actions.events.push({ at: open, kind: 'writeOff', text });
  }

  /** Expires waiting intents of a session without bars, which is not played; with weekly bars, those of its week. */
  #passMissed(open: EpochMs): void {
    const { bars, kernel, tapes } = this.#input;
    if (this.#close === 0 || !kernel.fastPath.hasWaiting()) return;
    const { calendar } = kernel.context;
    const interval = tapes.every((tape) => tape.interval === '1w') ? '1w' : '1d';
    const end = barEnd({ start: calendar.nextSession(epochMs(this.#close)).open, interval }, calendar);
    if (end <= open) bars.pass(end);
  }
}
