import type { BarSet, Interval } from '../../domain/bar.ts';
import type { Ticker } from '../../domain/instrument.ts';
import { DatedSeries, rowsOf, seriesNamed, type SeriesColumns } from '../../market/datedSeries.ts';
import type { BarColumns } from '../../domain/barColumns.ts';
import { barAt, BarSeries } from '../../market/series.ts';
import type { BarHistory, OrderView, SessionView, View } from '../../strategy/contract.ts';
import type { SeriesHistory } from '../../strategy/datedSeries.ts';
import type { FeeView, FetchedView, InstrumentView, QuoteView, StrategyLimit } from '../../strategy/shown.ts';
import { toNumber } from '../../core/amount.ts';
import { averageCost } from '../../domain/account/positions.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { worth } from '../state/exposure.ts';
import { unasked, type ViewScope } from './view.ts';

/** A stock that a strategy holds or has a cost in. Amounts as in `View`; `worth` in mUSD at the latest price. */
type HoldingData = Readonly<{
  symbol: string;
  shares: number;
  average: number | null;
  worth: number;
  /** Null without a price. */
  unrealised: number | null;
}>;

/** Bars finished since the previous data. */
type BarData = Readonly<{
  symbol: string;
  interval: Interval;
  /** True when these replace all bars sent before. */
  isReset: boolean;
  columns: BarColumns;
}>;

/** Rows of a dated series that became known since the previous data. */
type SeriesData = Readonly<{
  name: string;
  /** True when these replace all rows sent before. */
  isReset: boolean;
  rows: SeriesColumns;
}>;

/**
 * A strategy's view at one time, as plain data. Prices, bars and rows contain only changes since the previous data; the
 * rest is complete.
 */
export type ViewData = Readonly<{
  now: number;
  session: SessionView | null;
  phase: View['phase'];
  cash: number;
  equity: number;
  holdings: readonly HoldingData[];
  /** Value of all holdings with a price, less their cost. */
  unrealised: number;
  fees: FeeView;
  limits: readonly StrategyLimit[];
  /** Quotes; null for a price that is no longer known. */
  prices: readonly (readonly [symbol: string, quote: QuoteView | null])[];
  /** Changed terms of stocks; null for a delisted one. */
  instruments: readonly (readonly [symbol: string, terms: InstrumentView | null])[];
  orders: readonly OrderView[];
  bars: readonly BarData[];
  series: readonly SeriesData[];
  /** Changed texts of addresses; null for one without a text. */
  fetched: readonly (readonly [name: string, text: FetchedView | null])[];
}>;

const EMPTY: ViewData = {
  now: 0,
  session: null,
  phase: 'closed',
  cash: 0,
  equity: 0,
  holdings: [],
  unrealised: 0,
  fees: { buyBps: 0, sellBps: 0 },
  limits: [],
  prices: [],
  instruments: [],
  orders: [],
  bars: [],
  series: [],
  fetched: [],
};

const isSameQuote = (one: QuoteView | null, other: QuoteView | null): boolean =>
  one?.price === other?.price && one?.at === other?.at && one?.premiumBps === other?.premiumBps;

const isSameInstrument = (one: InstrumentView | null, other: InstrumentView | null): boolean =>
  one?.step === other?.step &&
  one?.tick === other?.tick &&
  one?.fractionable === other?.fractionable &&
  one?.window?.from === other?.window?.from &&
  one?.tradable === other?.tradable;

const barKey = (symbol: string, interval: Interval): string => `${symbol} ${interval}`;

export class DataView implements View {
  #data = EMPTY;
  #holdings: ReadonlyMap<string, HoldingData> = new Map();
  readonly #quotes = new Map<string, QuoteView | null>();
  readonly #instruments = new Map<string, InstrumentView | null>();
  readonly #series = new Map<string, BarSeries>();
  readonly #dated = new Map<string, DatedSeries>();
  readonly #fetched = new Map<string, FetchedView | null>();

  /** Applies the next data to the previous. */
  take(data: ViewData): void {
    this.#data = data;
    if (data.session) Object.freeze(data.session);
    for (const shown of [data.fees, data.limits, ...data.limits]) Object.freeze(shown);
    this.#holdings = new Map(data.holdings.map((holding) => [holding.symbol, holding]));
    for (const [symbol, quote] of data.prices) this.#quotes.set(symbol, quote && Object.freeze(quote));
    for (const [symbol, terms] of data.instruments)
      this.#instruments.set(symbol, terms && Object.freeze(terms));
    for (const bars of data.bars) this.#append(bars);
    for (const { name, isReset, rows } of data.series)
      if (isReset) this.#dated.set(name, new DatedSeries(rows, () => Infinity));
      else this.#dated.get(name)?.append(rows);
    for (const [name, text] of data.fetched) this.#fetched.set(name, text && Object.freeze(text));
  }

  /** Forgets everything: the next data are complete. */
  restart(): void {
    this.#data = EMPTY;
    this.#holdings = new Map();
    this.#quotes.clear();
    this.#instruments.clear();
    this.#series.clear();
    this.#dated.clear();
    this.#fetched.clear();
  }

  get now(): number {
    return this.#data.now;
  }

  get session(): SessionView | null {
    return this.#data.session;
  }

  get phase(): View['phase'] {
    return this.#data.phase;
  }

  get cash(): number {
    return this.#data.cash;
  }

  get equity(): number {
    return this.#data.equity;
  }

  position(symbol: string): number {
    return this.#holdings.get(symbol)?.shares ?? 0;
  }

  averagePrice(symbol: string): number | null {
    return this.#holdings.get(symbol)?.average ?? null;
  }

  price(symbol: string): number | null {
    return this.#quotes.get(symbol)?.price ?? null;
  }

  quote(symbol: string): QuoteView | null {
    return this.#quotes.get(symbol) ?? null;
  }

  instrument(symbol: string): InstrumentView | null {
    return this.#instruments.get(symbol) ?? null;
  }

  unrealised(symbol: string): number | null;
  unrealised(): number;
  unrealised(symbol?: string): number | null {
    if (symbol === undefined) return this.#data.unrealised;
    const holding = this.#holdings.get(symbol);
    return holding ? holding.unrealised : 0;
  }

  get fees(): FeeView {
    return this.#data.fees;
  }

  get limits(): readonly StrategyLimit[] {
    return this.#data.limits;
  }

  weight(symbol: string): number {
    const { equity } = this.#data;
    return equity > 0 ? (this.#holdings.get(symbol)?.worth ?? 0) / equity : 0;
  }

  bars(symbol: string, interval: Interval): BarHistory {
    return (
      this.#series.get(barKey(symbol, interval)) ?? new BarSeries({ symbol: symbol as Ticker, interval })
    );
  }

  series(name: string): SeriesHistory {
    return seriesNamed(this.#dated, name).history;
  }

  fetched(name: string): FetchedView | null {
    const text = this.#fetched.get(name);
    if (text === undefined) throw unasked(name, [...this.#fetched.keys()]);
    return text;
  }

  orders(symbol?: string): readonly OrderView[] {
    const { orders } = this.#data;
    return orders.filter((order) => symbol === undefined || order.symbol === symbol);
  }

  #append({ symbol, interval, isReset, columns }: BarData): void {
    const key = barKey(symbol, interval);
    const known = isReset ? undefined : this.#series.get(key);
    const series = known ?? new BarSeries({ symbol: symbol as Ticker, interval });
    this.#series.set(key, series);
    for (let index = 0; index < columns.start.length; index++) series.append(barAt(series, columns, index));
  }
}

/** Length of a bar series up to which it was delivered. */
type SeriesPosition = Readonly<{ series: BarSeries; length: number }>;

/** Length of a dated series up to which it was delivered, and its columns. */
type RowPosition = Readonly<{ columns: SeriesColumns; length: number }>;

/** One strategy's view as data, each time with only the new prices and bars. */
export class ViewFeed {
  readonly #context: EngineContext;
  readonly #view: View;
  readonly #scope: ViewScope;
  readonly #quotes = new Map<string, QuoteView | null>();
  readonly #instruments = new Map<string, InstrumentView | null>();
  readonly #bars = new Map<string, SeriesPosition>();
  readonly #rows = new Map<string, RowPosition>();
  readonly #fetched = new Map<string, FetchedView | null>();

  constructor(context: EngineContext, view: View, scope: ViewScope) {
    this.#context = context;
    this.#view = view;
    this.#scope = scope;
  }

  next(): ViewData {
    const { now, session, phase, cash, equity, fees, limits } = this.#view;
    return {
      now,
      session,
      phase,
      cash,
      equity,
      holdings: this.#holdings(),
      unrealised: this.#view.unrealised(),
      fees,
      limits,
      prices: this.#changed(this.#quotes, (symbol) => this.#view.quote(symbol), isSameQuote),
      instruments: this.#changed(
        this.#instruments,
        (symbol) => this.#view.instrument(symbol),
        isSameInstrument,
      ),
      orders: this.#view.orders(),
      bars: this.#newBars(),
      series: this.#newRows(),
      fetched: this.#newTexts(),
    };
  }

  /** Delivers all bars and prices again, because earlier ones may have changed, for example by a split. */
  restart(): void {
    this.#bars.clear();
    this.#rows.clear();
    this.#fetched.clear();
    this.#quotes.clear();
    this.#instruments.clear();
  }

  #holdings(): HoldingData[] {
    const { ledger, positions } = this.#context.accountState;
    const { strategyId } = this.#scope;
    const holdings: HoldingData[] = [];
    for (const asset of ledger.assets) {
      if (asset === 'mUSD') continue;
      const held = ledger.held(strategyId, asset);
      const average = averageCost(positions.of(strategyId, asset));
      if (held === 0n && average === null) continue;
      holdings.push({
        symbol: asset,
        shares: toNumber(held),
        average: average === null ? null : toNumber(average),
        worth: toNumber(worth(this.#context, asset, held)),
        unrealised: this.#view.unrealised(asset),
      });
    }
    return holdings;
  }

  /** View of each stock, if it differs from the one `given` before. */
  #changed<Part>(
    given: Map<string, Part | null>,
    shown: (symbol: string) => Part | null,
    isSame: (one: Part | null, other: Part | null) => boolean,
  ): (readonly [string, Part | null])[] {
    const changed: (readonly [string, Part | null])[] = [];
    for (const symbol of this.#scope.known) {
      const part = shown(symbol);
      if (isSame(part, given.get(symbol) ?? null)) continue;
      given.set(symbol, part);
      changed.push([symbol, part]);
    }
    return changed;
  }

  #newBars(): BarData[] {
    const fresh: BarData[] = [];
    for (const sets of this.#scope.bars.values())
      for (const set of sets.values()) {
        const bars = this.#newBarsOf(set);
        if (bars) fresh.push(bars);
      }
    return fresh;
  }

  #newBarsOf(set: BarSet): BarData | null {
    const { symbol, interval } = set;
    const series = this.#context.market.series(set);
    const key = barKey(symbol, interval);
    const given = this.#bars.get(key);
    const isReset = given?.series !== series || series.length < given.length;
    const known = isReset ? 0 : given.length;
    if (given && series.length === known && !isReset) return null;
    this.#bars.set(key, { series, length: series.length });
    return { symbol, interval, isReset, columns: series.tail(series.length - known) };
  }

  #newTexts(): (readonly [string, FetchedView | null])[] {
    const texts = this.#scope.fetches.map((name) => [name, this.#view.fetched(name)] as const);
    const changed = texts.filter(([name, text]) => this.#fetched.get(name) !== text);
    for (const [name, text] of changed) this.#fetched.set(name, text);
    return changed;
  }

  #newRows(): SeriesData[] {
    const fresh: SeriesData[] = [];
    for (const [name, series] of this.#scope.series) {
      const { columns, length } = series;
      const given = this.#rows.get(name);
      const isReset = given?.columns !== columns || length < given.length;
      if (!isReset && length === given.length) continue;
      this.#rows.set(name, { columns, length });
      fresh.push({ name, isReset, rows: rowsOf(columns, isReset ? 0 : given.length, length) });
    }
    return fresh;
  }
}
