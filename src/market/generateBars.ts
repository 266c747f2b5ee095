import { MINUTE_MS } from '../core/brand.ts';
import type { Session, TradingCalendar } from '../calendar/index.ts';
import { allHours, type PhaseHours } from '../calendar/phaseHours.ts';
import type { Random } from '../core/random.ts';
import { chanceOf, seededRandom } from '../core/seededRandom.ts';
import { ConfigError } from '../core/errors.ts';
import { columnsOf, type BarColumns } from '../domain/barColumns.ts';

type OpenPhase = PhaseHours['phase'];
type OutsidePhase = Exclude<OpenPhase, 'regular'>;

export type GenerateOptions = Readonly<{
  symbol: string;
  seed: number;
  /** Dates in New York, both inclusive. The random walk begins at the first: changing it changes all prices. */
  from: string;
  to: string;
  calendar: TradingCalendar;
  /** Sessions with bars; `all`: every phase of a trading day. Default: the regular ones. */
  sessions?: 'regular' | 'all';
  /** Price at the first open. Default: 20 to 420, by seed and symbol. */
  price?: number;
  /** Annual volatility. Default 0.28. */
  volatility?: number;
}>;

/** Version of the recipe, raised whenever the same seed would generate other numbers. */
export const RECIPE = 1;

const SESSIONS_A_YEAR = 252;
const DRIFT = 0.07;
/** Fraction of a day's variance in the night before it, or in the phases outside its session. */
const NIGHT = 0.2;
/** Fraction of a session's log volatility that carries over to the next, and the size of its random change. */
const [KEPT, FRESH] = [0.94, 0.09];
/** Overnight news: its probability, and the factor by which it enlarges the gap. */
const [NEWS, NEWS_TIMES] = [0.02, 4];
const STEPS = 6;
/** Share of each phase outside the session: in the variance of those phases, and relative to the session's volume. */
const OUTSIDE: Readonly<Record<OutsidePhase, Readonly<{ variance: number; volume: number }>>> = {
  overnight: { variance: 0.3, volume: 0.005 },
  pre: { variance: 0.4, volume: 0.02 },
  post: { variance: 0.3, volume: 0.015 },
};

/**
 * Generated minute bars on real sessions: bit-identical for the same options.
 *
 * A day's variance is an equal part of the year's, times a volatility factor that varies over weeks. A fifth of it is
 * the overnight gap, enlarged now and then by news; the rest is spread over the minutes in a U shape, highest at the
 * open and raised before the close. Each minute is six steps of a random walk, whose extremes are its high and low.
 * Volume follows the same shape, the factor and the move. Prices are on the tick: 0.01, or 0.0001 below one mUSD.
 *
 * With all sessions there is no gap: the fifth is spread over the other phases, with a little of the volume. Pre rises
 * to the open, post falls from the close, and news come at the start of the night.
 */
export function generateMinutes(options: GenerateOptions): BarColumns {
  const { calendar } = options;
  const hours = options.sessions === 'all' ? allHours(calendar) : calendar;
  const sessions: readonly Hours[] = hours.sessions(options.from, options.to);
  const name = `bars ${RECIPE} ${options.seed} ${options.symbol}`;
  if (sessions.length === 0)
    throw new ConfigError(`there is no session from ${options.from} to ${options.to}`);
  const columns = columnsOf(sessions.reduce((sum, session) => sum + minutesOf(session), 0));
  const walk = new Walk(name, options);
  let at = 0;
  for (const session of sessions) at = walk.session(session, { columns, at });
  return columns;
}

/** `phase`: phase of the trading day, if all phases have bars. */
type Hours = Session & Partial<Pick<PhaseHours, 'phase'>>;

const minutesOf = ({ open, close }: Session): number => Math.round((close - open) / MINUTE_MS);

const onTick = (price: number): number =>
  price < 1 ? Math.max(Math.round(price * 1e4), 1) / 1e4 : Math.round(price * 100) / 100;

type Shape = Readonly<{ unrest: Float64Array; trade: Float64Array }>;

/** Share of each minute in a session: of the standard deviation, and of the volume. */
function shapeOf(minutes: number, phase: OpenPhase): Shape {
  const minute = Float64Array.from({ length: minutes }, (_, index) => index);
  const [variance, trade] = LIVELINESS[phase].map((of) => minute.map((at) => of(at, minutes)));
  const parts = (column: Float64Array = minute) => {
    const whole = column.reduce((sum, part) => sum + part, 0);
    return column.map((part) => part / whole);
  };
  return { unrest: parts(variance).map(Math.sqrt), trade: parts(trade) };
}

type Liveliness = (at: number, minutes: number) => number;
const toOpen: Liveliness = (at, minutes) => 1 + 4 * Math.exp((at - minutes) / 45);
const fromClose: Liveliness = (at) => 1 + 4 * Math.exp(-at / 30);
const even: Liveliness = () => 1;

/** Relative variance and volume of a minute within each phase. */
const LIVELINESS: Readonly<Record<OpenPhase, readonly [Liveliness, Liveliness]>> = {
  overnight: [even, even],
  pre: [toOpen, toOpen],
  regular: [
    (at, minutes) => 1 + 5 * Math.exp(-at / 18) + 1.2 * Math.exp((at - minutes) / 25),
    (at, minutes) => 1 + 3 * Math.exp(-at / 22) + 3.5 * Math.exp((at - minutes) / 15),
  ],
  post: [fromClose, fromClose],
};

/** Day of the walk. `news`: move in the first minute of its night, if the night has bars. */
type Day = Readonly<{ sigma: number; volume: number; news: number }>;

class Walk {
  readonly #random: Random;
  readonly #sigma: number;
  readonly #shares: number;
  readonly #shapes = new Map<string, Shape>();
  #price: number;
  #mood = 0;
  #day: Day = { sigma: 0, volume: 0, news: 0 };

  constructor(name: string, { price, volatility = 0.28 }: GenerateOptions) {
    this.#random = seededRandom(name);
    this.#sigma = volatility / Math.sqrt(SESSIONS_A_YEAR);
    this.#shares = 10 ** (5.7 + 1.6 * chanceOf(`${name} shares`));
    this.#price = price ?? 20 + 400 * chanceOf(`${name} price`);
  }

  /** Writes the minutes of a session or phase, and returns the index after them. */
  session(session: Hours, { columns, at }: Readonly<{ columns: BarColumns; at: number }>): number {
    const minutes = minutesOf(session);
    const { phase = 'regular' } = session;
    const shape = this.#shapeOf(minutes, phase);
    if (session.phase === undefined || phase === 'overnight') this.#day = this.#nextDay(session, at === 0);
    const { sigma, volume, news } = this.#day;
    const [variance, traded] =
      phase === 'regular' ? [1 - NIGHT, 1] : [NIGHT * OUTSIDE[phase].variance, OUTSIDE[phase].volume];
    for (let minute = 0; minute < minutes; minute++) {
      columns.start[at + minute] = session.open + minute * MINUTE_MS;
      const part = Math.sqrt(variance) * sigma * (shape.unrest[minute] ?? 0);
      const drift = minute === 0 && phase === 'overnight' ? news : 0;
      const moved = this.#minute({ sigma: part, drift }, columns, at + minute);
      const lively = Math.exp(0.5 * this.#normal() - 0.125) * (0.6 + 0.5 * moved);
      const share = traded * volume * (shape.trade[minute] ?? 0);
      columns.volume[at + minute] = Math.max(Math.round(share * lively), 1);
    }
    return at + minutes;
  }

  #nextDay({ phase }: Hours, isFirst: boolean): Day {
    this.#mood = KEPT * this.#mood + FRESH * this.#normal();
    const sigma = this.#sigma * Math.exp(this.#mood);
    const times = this.#random.next() < NEWS ? NEWS_TIMES : 1;
    const isGap = phase === undefined;
    // The variance of a gap is that of the night and its news; without a gap, the night's is spread over its minutes.
    const night = isGap ? Math.sqrt(NIGHT) * times : Math.sqrt(NIGHT * (times ** 2 - 1));
    const news = isGap && isFirst ? 0 : DRIFT / SESSIONS_A_YEAR + night * sigma * this.#normal();
    if (isGap) this.#move(news);
    const volume = this.#shares * Math.exp(1.5 * this.#mood + 0.25 * this.#normal()) * Math.sqrt(times);
    return { sigma, volume, news };
  }

  /** @returns the size of the move, in standard deviations */
  #minute(
    { sigma, drift }: Readonly<{ sigma: number; drift: number }>,
    { open, high, low, close }: BarColumns,
    at: number,
  ): number {
    const before = this.#price;
    let [top, bottom] = [before, before];
    for (let step = 0; step < STEPS; step++) {
      this.#move(drift / STEPS + (sigma / Math.sqrt(STEPS)) * this.#normal());
      top = Math.max(top, this.#price);
      bottom = Math.min(bottom, this.#price);
    }
    open[at] = onTick(before);
    high[at] = onTick(top);
    low[at] = onTick(bottom);
    close[at] = onTick(this.#price);
    return Math.abs(Math.log(this.#price / before)) / sigma;
  }

  #move(by: number): void {
    this.#price = Math.max(this.#price * Math.exp(by), 1e-4);
  }

  /** Approximately normal number from three uniform ones: mean 0, standard deviation 1. */
  #normal(): number {
    return 2 * (this.#random.next() + this.#random.next() + this.#random.next() - 1.5);
  }

  #shapeOf(minutes: number, phase: OpenPhase): Shape {
    const name = `${phase} ${minutes}`;
    const shape = this.#shapes.get(name) ?? shapeOf(minutes, phase);
    this.#shapes.set(name, shape);
    return shape;
  }
}
