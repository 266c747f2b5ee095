import fc from 'fast-check';
import { tradingCalendar, type Session } from '../../../src/calendar/index.ts';
import { epochMs, type EpochMs } from '../../../src/core/brand.ts';
import { toNumber } from '../../../src/core/amount.ts';
import { ticker, type Ticker } from '../../../src/domain/instrument.ts';
import { createMarket, type KLine, type Market, type Shock } from '../../../src/emulator/market/index.ts';

export const MINUTE = 60_000;
export const markets: readonly Market[] = [createMarket({ seed: 1 }), createMarket({ seed: 20_250_610 })];
export const symbols: readonly Ticker[] = createMarket({ seed: 1 }).listings.map(({ symbol }) => symbol);
export const AAPL = ticker('AAPL');
export const KO = ticker('KO');

export const instant = (iso: string): EpochMs => epochMs(Date.parse(iso));

export function sessionOn(date: string): Session {
  const session = tradingCalendar.sessionOn(date);
  if (!session) throw new Error(`no session on ${date}`);
  return session;
}

/** Clock changes, early closes, late opens, days next to holidays, the calendar's first and last. */
export const oddDates = [
  '2000-01-03',
  '2001-09-17',
  '2002-09-11',
  '2005-06-01',
  '2023-11-24',
  '2024-12-24',
  '2025-01-08',
  '2025-01-10',
  '2025-03-07',
  '2025-03-10',
  '2025-07-03',
  '2025-10-31',
  '2025-11-03',
  '2025-11-28',
  '2050-12-30',
];

const plainSessions = tradingCalendar
  .sessions('2000-01-01', '2050-12-31')
  .filter((_session, index) => index % 97 === 0);

export const anyMarket = fc.constantFrom(...markets);
export const anySymbol = fc.constantFrom(...symbols);
export const anySession: fc.Arbitrary<Session> = fc.oneof(
  fc.constantFrom(...oddDates.map(sessionOn)),
  fc.constantFrom(...plainSessions),
);

/** An instant of a session, at any millisecond. */
export const instantOf = ({ open, close }: Session): fc.Arbitrary<EpochMs> =>
  fc.integer({ min: open, max: close - 1 }).map(epochMs);

/** Up to four shocks between the day before a session and its close, at any millisecond. */
export const shocksAround = (symbol: Ticker, { open, close }: Session): fc.Arbitrary<Shock[]> =>
  fc.array(
    fc.record({
      symbol: fc.oneof({ weight: 4, arbitrary: fc.constant(symbol) }, { weight: 1, arbitrary: anySymbol }),
      at: fc.integer({ min: open - 3_600_000, max: close }).map(epochMs),
      factor: fc.double({ min: 0.5, max: 2, noNaN: true }),
    }),
    { maxLength: 4 },
  );

export type Asked = Readonly<{ market: Market; symbol: Ticker; shocks?: readonly Shock[] }>;

/** Price in mUSD. */
export const numberAt = ({ market, symbol, shocks }: Asked, at: number): number =>
  toNumber(market.priceAt(symbol, epochMs(at), shocks));

/** One bar joined from some; null for none. */
export function joinBars(bars: readonly KLine[]): KLine | null {
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last) return null;
  return {
    open: first.open,
    high: Math.max(...bars.map(({ high }) => high)),
    low: Math.min(...bars.map(({ low }) => low)),
    close: last.close,
    volume: bars.reduce((sum, { volume }) => sum + volume, 0),
    timestamp: first.timestamp,
  };
}
