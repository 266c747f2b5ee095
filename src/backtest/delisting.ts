import { type Session, type TradingCalendar, newYorkDate } from '../calendar/index.ts';
import { formatDecimal, type Cash } from '../core/amount.ts';
import { epochMs, toIso, type EpochMs } from '../core/brand.ts';
import { ConfigError } from '../core/errors.ts';
import type { Ticker } from '../domain/instrument.ts';
import { barEnd, nextBarEnd } from '../market/series.ts';
import type { Tape } from './tape.ts';

/**
 * Value of shares whose bars end before the run does, as after a delisting: `last` keeps their last price, `zero`
 * writes them off in the next session, `error` refuses such bars.
 */
export type Delisted = 'last' | 'zero' | 'error';

/** Symbol whose bars end before the run does, with the shares left. */
export type EndedSymbol = Readonly<{
  symbol: Ticker;
  /** End of its last bar, ISO 8601. */
  lastBar: string;
  /** Last price, mUSD. */
  price: number;
  /** Shares held at the end of the run. */
  quantity: string;
  /** Orders waiting for a price at the end of the run. */
  pending: number;
  /** Value in mUSD, at the last price, of the shares that were written off; null unless `delisted` is `zero`. */
  writtenOff: string | null;
}>;

/** Time at which the prices of a symbol end. */
export type LastBar = Readonly<{ symbol: Ticker; at: EpochMs }>;

/** Symbols whose prices end in a session before the last one; for weekly bars, a whole week before its close. */
export function endedSymbols(
  tapes: readonly Tape[],
  sessions: readonly Session[],
  calendar: TradingCalendar,
): LastBar[] {
  const end = sessions.at(-1);
  if (!end) return [];
  return tapes.flatMap(({ symbol, interval, last, columns, parts }) => {
    const latest = parts.at(-1)?.session;
    if (!last || !latest || latest.close >= end.close) return [];
    const bar = { start: epochMs(columns.start.at(-1) ?? NaN), interval };
    if (interval === '1w' && nextBarEnd(bar, calendar) > end.close) return [];
    return [{ symbol, at: barEnd(bar, calendar) }];
  });
}

/** @throws {ConfigError} naming the first of the symbols that end early */
export function refuseEnded([first, ...more]: readonly LastBar[], sessions: readonly Session[]): void {
  if (!first) return;
  const others = more.length > 0 ? `, and those of ${more.length} more symbols end early too` : '';
  throw new ConfigError(
    `the bars of ${first.symbol} end on ${newYorkDate(first.at)}, and the run goes on until ` +
      `${sessions.at(-1)?.date ?? ''}${others}. Give its later bars, end the run there (--to), or choose what its shares are ` +
      'worth from then on: --delisted last (their last price) or zero',
    { symbol: first.symbol },
  );
}

export type EndedFigures = Readonly<{
  priceOf: (symbol: string) => number;
  held: (symbol: Ticker) => bigint;
  pending: readonly Readonly<{ symbol: string }>[];
  writtenOff: ReadonlyMap<Ticker, Cash> | null;
}>;

export const endedOf = (
  ended: readonly LastBar[],
  { priceOf, held, pending, writtenOff }: EndedFigures,
): EndedSymbol[] =>
  ended.map(({ symbol, at }) => ({
    symbol,
    lastBar: toIso(at),
    price: priceOf(symbol),
    quantity: formatDecimal(held(symbol)),
    pending: pending.filter((one) => one.symbol === symbol).length,
    writtenOff: writtenOff && formatDecimal(writtenOff.get(symbol) ?? 0n),
  }));

/** Symbols to write off, each at the open of the session after its last bar. */
export class Delistings {
  readonly #coming: LastBar[];

  constructor(ended: readonly LastBar[]) {
    this.#coming = [...ended].sort((a, b) => a.at - b.at);
  }

  /** Symbols whose last bar has ended by an instant; each is returned once. */
  due(open: EpochMs): LastBar[] {
    if ((this.#coming[0]?.at ?? Infinity) > open) return [];
    const later = this.#coming.findIndex(({ at }) => at > open);
    return this.#coming.splice(0, later < 0 ? this.#coming.length : later);
  }
}
