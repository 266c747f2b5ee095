import { newYorkDate, type TradingCalendar } from '../../../calendar/index.ts';
import { epochMs } from '../../../core/brand.ts';
import { ConfigError } from '../../../core/errors.ts';
import { outsideHours } from '../../../calendar/phaseHours.ts';
import { isIntraday, type Interval } from '../../../domain/bar.ts';
import { setText } from '../../../market/barStore.ts';
import { generateMinutes, RECIPE, type GenerateOptions } from '../../../market/generateBars.ts';
import type { Part } from '../../../market/manifest.ts';
import { splitHours } from '../../../market/outsideBars.ts';
import { resample } from '../../../market/resample.ts';
import type { BarColumns } from '../../../domain/barColumns.ts';
import { intervalOf, requireIntraday } from '../../../app/backtest/barFiles.ts';
import { oneOf } from '../../../app/backtest/flags.ts';
import { givenCalendar } from '../../../app/config/load.ts';
import type { CommandContext } from '../../../process/context.ts';
import {
  manifestJson,
  requireFree,
  withStore,
  type DataFlags,
  spanIn,
  tickersOf,
} from '../../../app/data/storedBars.ts';
import { iso, printResult } from '../../../process/output.ts';

type GenerateFlags = DataFlags &
  Readonly<{
    symbols: readonly string[];
    interval?: readonly string[];
    from: string;
    to: string;
    seed?: number;
    price?: number | string;
    volatility?: number | string;
    sessions?: string;
    overwrite?: boolean;
  }>;

/** `drover data generate`: generated bars, marked as such. The same flags produce the same bytes. */
export function dataGenerate(flags: GenerateFlags, context: CommandContext): Promise<number> {
  const intervals = (flags.interval ?? ['1d']).map(intervalOf);
  const symbols = tickersOf(flags.symbols);
  const options = optionsOf(flags, givenCalendar(context));
  const { sessions } = options;
  if (sessions === 'all' && !intervals.some(isIntraday)) requireIntraday(intervals[0] ?? '1d', sessions);
  return withStore(flags, context, (store) => {
    for (const symbol of symbols)
      for (const interval of intervals)
        requireFree(store, { symbol, interval, sessions, overwrite: flags.overwrite ?? false });
    const written = symbols.flatMap((symbol) => {
      const hours = hoursOf({ ...options, symbol });
      return intervals.flatMap((interval) =>
        hours
          .filter(({ outside }) => isIntraday(interval) || !outside)
          .map(({ minutes, calendar, outside }) => {
            const columns = interval === '1m' ? minutes : longer(minutes, interval, calendar);
            const parts = [partOf(minutes, options, context)];
            return store.write({
              symbol,
              interval,
              ...(outside && { outside }),
              columns,
              parts,
              factors: null,
            });
          }),
      );
    });
    return printResult(
      context,
      written.map((manifest) => ({ ...manifestJson(manifest), source: manifest.parts[0]?.source })),
      written
        .map(
          (set) => `${setText(set)}: ${set.bars} generated bars from ${iso(set.first)} to ${iso(set.last)}`,
        )
        .join('\n'),
    );
  });
}

type Hours = Readonly<{ minutes: BarColumns; calendar: TradingCalendar; outside?: true }>;

/** Generated one-minute bars, those outside the regular sessions separately. */
function hoursOf(options: GenerateOptions): readonly Hours[] {
  const { calendar, sessions } = options;
  const minutes = generateMinutes(options);
  if (sessions !== 'all') return [{ minutes, calendar }];
  const { regular, outside } = splitHours(minutes, calendar);
  return [
    { minutes: regular, calendar },
    { minutes: outside, calendar: outsideHours(calendar), outside: true },
  ];
}

function optionsOf(flags: GenerateFlags, calendar: TradingCalendar) {
  const { from, to } = spanIn(flags, { from: NaN, to: NaN });
  return {
    seed: flags.seed ?? 1,
    calendar,
    sessions: oneOf('sessions', flags.sessions, ['regular', 'all']) ?? 'regular',
    from: newYorkDate(epochMs(from)),
    to: newYorkDate(epochMs(to - 1)),
    ...numberAbove0('price', flags.price),
    ...numberAbove0('volatility', flags.volatility),
  };
}

function numberAbove0(name: string, value: number | string | undefined): Record<string, number> {
  if (value === undefined) return {};
  if (typeof value === 'number' && value > 0) return { [name]: value };
  throw new ConfigError(`--${name} "${value}": write a number above 0`);
}

/** Bars built from the minutes. Generated sessions are complete; the week at either end may not be. */
const longer = (minutes: BarColumns, interval: Interval, calendar: TradingCalendar): BarColumns =>
  resample(minutes, { from: '1m', to: interval, calendar }).columns;

function partOf(
  { start }: BarColumns,
  {
    seed,
    price,
    volatility,
    sessions,
  }: ReturnType<typeof optionsOf> & { price?: number; volatility?: number },
  { clock }: CommandContext,
): Part {
  const all = sessions === 'all' && ' all sessions';
  const own = [price && ` price ${price}`, volatility && ` volatility ${volatility}`, all]
    .filter(Boolean)
    .join('');
  const source = { kind: 'generated', name: `recipe ${RECIPE} seed ${seed}${own}` } as const;
  return { source, fetchedAt: clock.now(), from: start[0] ?? NaN, to: (start.at(-1) ?? NaN) + 60_000 };
}
