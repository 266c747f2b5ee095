import type { Session, TradingCalendar } from '../calendar/index.ts';
import type { Random } from '../core/random.ts';
import { chanceOf, seededRandom } from '../core/seededRandom.ts';
import { ConfigError } from '../core/errors.ts';
import { columnsOf, type BarColumns } from './series.ts';

export type GenerateOptions = Readonly<{
  symbol: string;
  seed: number;
  /** Dates in New York, both included. The random walk begins at the first: another one gives other prices. */
  from: string;
  to: string;
  calendar: TradingCalendar;
  /** Price at the first open. Default: 20 to 420, by seed and symbol. */
  price?: number;
  /** Annual volatility. Default 0.28. */
  volatility?: number;
}>;

/** Version of the recipe, raised whenever the same seed would give other numbers. */
export const RECIPE = 1;

const MINUTE_MS = 60_000;
const SESSIONS_A_YEAR = 252;
const DRIFT = 0.07;
/** Part of a day's variance that falls on the night before it. */
const NIGHT = 0.2;
/** Part of one session's log volatility that carries over to the next, and the size of its random change. */
const [KEPT, FRESH] = [0.94, 0.09];
/** Overnight news: its frequency, and the factor by which it enlarges the gap. */
const [NEWS, NEWS_TIMES] = [0.02, 4];
const STEPS = 6;

/**
 * Generated minute bars on real sessions: the same for the same options, to the last bit.
 *
 * A day's variance is an equal part of the year's, times a volatility factor that varies over weeks. A fifth of it is the
 * overnight gap, with news now and then; the rest is spread over the minutes in a U shape, highest at the open and raised
 * before the close. Each minute is six steps of a random walk, whose extremes are its high and low. Volume follows the same
 * shape, the factor and the size of the move. Prices are on the tick: 0.01, below one mUSD 0.0001.
 */
export function generateMinutes(options: GenerateOptions): BarColumns {
  const sessions = options.calendar.sessions(options.from, options.to);
  const name = `bars ${RECIPE} ${options.seed} ${options.symbol}`;
  if (sessions.length === 0)
    throw new ConfigError(`there is no session from ${options.from} to ${options.to}`);
  const columns = columnsOf(sessions.reduce((sum, session) => sum + minutesOf(session), 0));
  const walk = new Walk(name, options);
  let at = 0;
  for (const session of sessions) at = walk.session(session, { columns, at });
  return columns;
}

const minutesOf = ({ open, close }: Session): number => Math.round((close - open) / MINUTE_MS);

const onTick = (price: number): number =>
  price < 1 ? Math.max(Math.round(price * 1e4), 1) / 1e4 : Math.round(price * 100) / 100;

type Shape = Readonly<{ unrest: Float64Array; trade: Float64Array }>;

/** Each minute's part of a session: of the standard deviation, and of the volume. */
function shapeOf(minutes: number): Shape {
  const minute = Float64Array.from({ length: minutes }, (_, index) => index);
  const variance = minute.map((at) => 1 + 5 * Math.exp(-at / 18) + 1.2 * Math.exp((at - minutes) / 25));
  const trade = minute.map((at) => 1 + 3 * Math.exp(-at / 22) + 3.5 * Math.exp((at - minutes) / 15));
  const [whole, traded] = [variance, trade].map((parts) => parts.reduce((sum, part) => sum + part, 0));
  return {
    unrest: variance.map((part) => Math.sqrt(part / (whole ?? 1))),
    trade: trade.map((part) => part / (traded ?? 1)),
  };
}

class Walk {
  readonly #random: Random;
  readonly #sigma: number;
  readonly #shares: number;
  readonly #shapes = new Map<number, Shape>();
  #price: number;
  #mood = 0;

  constructor(name: string, { price, volatility = 0.28 }: GenerateOptions) {
    this.#random = seededRandom(name);
    this.#sigma = volatility / Math.sqrt(SESSIONS_A_YEAR);
    this.#shares = 10 ** (5.7 + 1.6 * chanceOf(`${name} shares`));
    this.#price = price ?? 20 + 400 * chanceOf(`${name} price`);
  }

  /** Writes the minutes of a session, and returns the index after them. */
  session(session: Session, { columns, at }: Readonly<{ columns: BarColumns; at: number }>): number {
    const minutes = minutesOf(session);
    const shape = this.#shapeOf(minutes);
    this.#mood = KEPT * this.#mood + FRESH * this.#normal();
    const sigma = this.#sigma * Math.exp(this.#mood);
    const news = this.#random.next() < NEWS ? NEWS_TIMES : 1;
    if (at > 0) this.#move(DRIFT / SESSIONS_A_YEAR + Math.sqrt(NIGHT) * sigma * news * this.#normal());
    const volume = this.#shares * Math.exp(1.5 * this.#mood + 0.25 * this.#normal()) * Math.sqrt(news);
    for (let minute = 0; minute < minutes; minute++) {
      columns.start[at + minute] = session.open + minute * MINUTE_MS;
      const part = Math.sqrt(1 - NIGHT) * sigma * (shape.unrest[minute] ?? 0);
      const moved = this.#minute(part, columns, at + minute);
      const lively = Math.exp(0.5 * this.#normal() - 0.125) * (0.6 + 0.5 * moved);
      columns.volume[at + minute] = Math.max(Math.round(volume * (shape.trade[minute] ?? 0) * lively), 1);
    }
    return at + minutes;
  }

  /** @returns the size of the move, in standard deviations */
  #minute(sigma: number, { open, high, low, close }: BarColumns, at: number): number {
    const before = this.#price;
    let [top, bottom] = [before, before];
    for (let step = 0; step < STEPS; step++) {
      this.#move((sigma / Math.sqrt(STEPS)) * this.#normal());
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

  #shapeOf(minutes: number): Shape {
    const shape = this.#shapes.get(minutes) ?? shapeOf(minutes);
    this.#shapes.set(minutes, shape);
    return shape;
  }
}
