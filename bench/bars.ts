import { tradingCalendar, type Session } from '../src/calendar/index.ts';
import { seededRandom } from '../src/core/seededRandom.ts';
import type { BarColumns } from '../src/domain/barColumns.ts';

/** A set of generated bars on real sessions, determined by its seed. */
export type BarSet = Readonly<{ name: string; interval: '1m' | '1d'; columns: BarColumns }>;

const MINUTE_MS = 60_000;
const DAILY = { volatility: 0.012, drift: 0.0003, start: 100 } as const;
const MINUTE = { volatility: 0.0006, drift: 0, start: 100 } as const;

/** Ten years of daily bars, or the given number of sessions. */
export const d10 = (seed = 42, sessions = 2520): BarSet => ({
  name: 'd10-S00',
  interval: '1d',
  columns: barsOn(dailyStarts(sessionsFrom('2015-01-01', sessions)), { seed, ...DAILY }),
});

/** Five years of minutes, or the given number of sessions. */
export const m5y = (seed = 42, sessions = 1260): BarSet => ({
  name: 'm5y-S00',
  interval: '1m',
  columns: barsOn(minuteStarts(sessionsFrom('2019-01-01', sessions)), { seed: seed + 1, ...MINUTE }),
});

/** One year of minutes for twenty symbols. */
export function m1x20(seed = 42): BarSet[] {
  const starts = minuteStarts(sessionsFrom('2019-01-01', 252));
  return Array.from({ length: 20 }, (_, index) => ({
    name: `m1x20-S${String(index).padStart(2, '0')}`,
    interval: '1m' as const,
    columns: barsOn(starts, { ...MINUTE, seed: seed + 100 + index, start: 50 + index * 10 }),
  }));
}

const sessionsFrom = (from: string, count: number): Session[] =>
  tradingCalendar.sessions(from, '2050-12-31').slice(0, count);

const dailyStarts = (sessions: readonly Session[]) => Float64Array.from(sessions, ({ open }) => open);

const minuteStarts = (sessions: readonly Session[]) =>
  Float64Array.from(
    sessions.flatMap(({ open, close }) =>
      Array.from({ length: (close - open) / MINUTE_MS }, (_, minute) => open + minute * MINUTE_MS),
    ),
  );

type Walk = Readonly<{ seed: number; volatility: number; drift: number; start: number }>;

const toFourPlaces = (value: number): number => Math.round(value * 1e4) / 1e4;

/** A geometric random walk with gaps between the bars, to four decimals. */
function barsOn(start: Float64Array, { seed, volatility, drift, start: first }: Walk): BarColumns {
  const random = seededRandom(seed);
  const normal = gauss(() => random.next());
  const column = () => new Float64Array(start.length);
  const [open, high, low, close, volume] = [column(), column(), column(), column(), column()];
  let last = first;
  for (let index = 0; index < start.length; index++) {
    const from = toFourPlaces(last * Math.exp(normal() * volatility * 0.2));
    const to = toFourPlaces(from * Math.exp(drift + normal() * volatility));
    const [up, down] = [Math.abs(normal()) * volatility * 0.5, Math.abs(normal()) * volatility * 0.5];
    open[index] = from;
    close[index] = to;
    high[index] = toFourPlaces(Math.max(from, to) * (1 + up));
    low[index] = toFourPlaces(Math.min(from, to) * (1 - down));
    volume[index] = Math.floor(1000 + random.next() * 9000);
    last = to;
  }
  return { start, open, high, low, close, volume };
}

/** Standard normal numbers, two from each pair of uniform ones (Box and Muller). */
function gauss(uniform: () => number): () => number {
  let spare: number | null = null;
  return () => {
    const kept = spare;
    spare = null;
    if (kept !== null) return kept;
    const radius = Math.sqrt(-2 * Math.log(Math.max(uniform(), 1e-12)));
    const angle = 2 * Math.PI * uniform();
    spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  };
}
