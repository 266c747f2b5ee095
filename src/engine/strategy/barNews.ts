import { barSetName, hasPhase, INTERVAL_MS, isIntraday, type Bar, type BarSet } from '../../domain/bar.ts';
import type { QuotePhase, Ticker } from '../../domain/instrument.ts';
import { barEnd, nextBarEnd } from '../../market/series.ts';
import type { BarNeed } from '../../strategy/contract.ts';
import type { StrategyInstance, StrategySetup } from './strategyInstance.ts';
import { DECISION_AGE_MAX_MS } from '../risk/gate.ts';
import type { EngineContext } from '../state/engineContext.ts';

type BarPhase = QuotePhase | 'closed';

export const setOf = ({ symbol, interval, phases }: BarNeed): BarSet => ({
  symbol: symbol as Ticker,
  interval,
  phases,
});

/** Need of a strategy that matches a bar of a phase; undefined if it requests no such bars. */
const barNeed = (
  { needs }: Pick<StrategySetup, 'needs'>,
  { symbol, interval }: Pick<Bar, 'symbol' | 'interval'>,
  phase: BarPhase,
): BarNeed | undefined =>
  needs.bars?.find((need) => need.symbol === symbol && need.interval === interval && hasPhase(need, phase));

const phaseOfBar = ({ calendar }: EngineContext, { start, interval }: Bar): BarPhase =>
  !isIntraday(interval) || calendar.sessionAt(start) ? 'regular' : calendar.phaseAt(start).phase;

/** True for a bar that later bars followed long ago: a decision on it would come too late. */
const isOldBar = ({ now, calendar }: EngineContext, bar: Bar, phase: BarPhase): boolean => {
  const end = barEnd(bar, calendar);
  const next = phase === 'regular' ? nextBarEnd(bar, calendar) : end + INTERVAL_MS[bar.interval];
  return now - end > DECISION_AGE_MAX_MS && next <= now;
};

/** A bar, and the strategies that receive it. */
export type ShownBar = Readonly<{ bar: Bar; to: readonly StrategyInstance[] }>;

/** `noteBar`: called for each bar before strategies get it; `warmed`: after a warm-up bar of a waiting strategy. */
type Listeners = Readonly<{
  noteBar: (bar: Bar) => void;
  warmed: (strategy: StrategyInstance) => void;
}>;

/** Delivers finished bars to the strategies that request them. */
export class BarNews {
  readonly #context: EngineContext;
  readonly #strategies: ReadonlyMap<string, StrategyInstance>;
  readonly #listeners: Listeners;
  /** Bars of the current time, if a strategy takes them together. */
  readonly #instant: ShownBar[] = [];
  /** True if a strategy requests bars outside the session. */
  readonly #hasPhases: boolean;

  constructor(
    context: EngineContext,
    strategies: ReadonlyMap<string, StrategyInstance>,
    listeners: Listeners,
  ) {
    this.#context = context;
    this.#strategies = strategies;
    this.#listeners = listeners;
    const all = [...strategies.values()].flatMap(({ setup }) => setup.needs.bars ?? []);
    const outside = all.filter(({ phases }) => phases);
    this.#hasPhases = outside.length > 0;
    for (const need of outside) context.market.series(setOf(need));
  }

  #phaseOf(bar: Bar): BarPhase {
    return this.#hasPhases ? phaseOfBar(this.#context, bar) : 'regular';
  }

  /** Appends a bar to its series. False if none of them accepts it. */
  append(bar: Bar): boolean {
    return this.#context.market.append(bar, this.#phaseOf(bar));
  }

  /** The bars before a start that each strategy requests as its warm-up, always the last ones. */
  warmUpOf(bars: readonly Bar[]): ReadonlyMap<StrategyInstance, ReadonlySet<Bar>> {
    const sets = new Map<string, Bar[]>();
    for (const bar of bars) {
      const name = barSetName(bar);
      const own = sets.get(name) ?? [];
      sets.set(name, own);
      own.push(bar);
    }
    const lastOf = (need: BarNeed) => {
      const all = sets.get(`${need.symbol} ${need.interval}`) ?? [];
      const own = all.filter((bar) => hasPhase(need, this.#phaseOf(bar)));
      return own.slice(Math.max(own.length - (need.warmUp ?? 0), 0));
    };
    return new Map(
      [...this.#strategies.values()].map((strategy) => [
        strategy,
        new Set((strategy.setup.needs.bars ?? []).flatMap(lastOf)),
      ]),
    );
  }

  /** Delivers finished bars in the order of their ends. Frozen, because all strategies and the journal share them. */
  take(bars: readonly Bar[]): void {
    const old = bars.filter((bar) => isOldBar(this.#context, bar, this.#phaseOf(bar))).length;
    const text = `${old} bars arrived long after their end: strategies see them, but no order is placed on them`;
    if (old > 0) this.#context.notify('alarm', text, { code: 'BARS_LATE' });
    const { calendar } = this.#context;
    for (const bar of bars) {
      const [before] = this.#instant;
      if (before && barEnd(before.bar, calendar) !== barEnd(bar, calendar)) this.showTogether();
      this.show(bar);
    }
    this.showTogether();
  }

  /** Delivers the bars of one time together, after each was delivered alone; late bars are left out. */
  showTogether(shown: readonly ShownBar[] = this.#instant.splice(0)): void {
    if (shown.length === 0) return;
    this.#context.record({ kind: 'barsShown' });
    for (const strategy of this.#strategies.values()) {
      if (!strategy.takesBars) continue;
      const own = shown.flatMap(({ bar, to }) => (to.includes(strategy) ? [bar] : []));
      if (own.length > 0) strategy.call({ hook: 'onBars', bars: Object.freeze(own) });
    }
  }

  show(bar: Bar): void {
    const { market } = this.#context;
    const phase = this.#phaseOf(bar);
    if (!market.append(bar, phase)) return;
    this.#context.record({ kind: 'bar', bar: Object.freeze(bar), warm: false });
    this.#listeners.noteBar(bar);
    const isOld = isOldBar(this.#context, bar, phase);
    // A bar that arrives after later ones of another phase is in only some of its series.
    const to = [...this.#strategies.values()].filter(({ setup }) => {
      const need = barNeed(setup, bar, phase);
      return need && market.series(setOf(need)).latest === bar.start;
    });
    for (const strategy of to)
      if (strategy.isWarming()) {
        strategy.warm(bar);
        this.#listeners.warmed(strategy);
      } else if (isOld) strategy.study(bar);
      else strategy.bar(bar);
    const takesBars = [...this.#strategies.values()].some((strategy) => strategy.takesBars);
    if (takesBars && !isOld) this.#instant.push({ bar, to });
  }

  /** Strategies that requested exactly these bars. */
  watching(set: BarSet): StrategyInstance[] {
    const name = barSetName(set);
    return [...this.#strategies.values()].filter(({ setup }) =>
      setup.needs.bars?.some((need) => barSetName(need) === name),
    );
  }
}
