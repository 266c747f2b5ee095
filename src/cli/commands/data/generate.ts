import { newYorkDate, type TradingCalendar } from '../../../calendar/index.ts';
import { epochMs } from '../../../core/brand.ts';
import { ConfigError, SafetyError } from '../../../core/errors.ts';
import type { Interval } from '../../../domain/bar.ts';
import type { Ticker } from '../../../domain/instrument.ts';
import type { BarStore } from '../../../market/barStore.ts';
import { generateMinutes, RECIPE } from '../../../market/generateBars.ts';
import type { Part } from '../../../market/manifest.ts';
import { resample } from '../../../market/resample.ts';
import type { BarColumns } from '../../../market/series.ts';
import { intervalOf } from '../../../app/backtest/barFiles.ts';
import { givenCalendar } from '../../../app/config/load.ts';
import type { CommandContext } from '../../../process/context.ts';
import { manifestJson, withStore, type DataFlags, spanIn, tickersOf } from '../../../app/data/storedBars.ts';
import { EXIT } from '../../../process/exitCodes.ts';
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
    overwrite?: boolean;
  }>;

/** `drover data generate`: generated bars, marked as such. The same flags give the same bytes. */
export function dataGenerate(flags: GenerateFlags, context: CommandContext): Promise<number> {
  const intervals = (flags.interval ?? ['1d']).map(intervalOf);
  const symbols = tickersOf(flags.symbols);
  const options = optionsOf(flags, givenCalendar(context));
  return withStore(flags, context, (store) => {
    for (const symbol of symbols)
      for (const interval of intervals)
        requireFree(store, { symbol, interval, overwrite: flags.overwrite ?? false });
    const written = symbols.flatMap((symbol) => {
      const minutes = generateMinutes({ ...options, symbol });
      const part = partOf(minutes, options, context);
      return intervals.map((interval) => {
        const columns = interval === '1m' ? minutes : longer(minutes, interval, options.calendar);
        return store.write({ symbol, interval, columns, parts: [part], factors: null });
      });
    });
    printResult(
      context,
      written.map((manifest) => ({ ...manifestJson(manifest), source: manifest.parts[0]?.source })),
      written
        .map(
          ({ symbol, interval, bars, first, last }) =>
            `${symbol} ${interval}: ${bars} generated bars from ${iso(first)} to ${iso(last)}`,
        )
        .join('\n'),
    );
    return EXIT.done;
  });
}

function optionsOf(flags: GenerateFlags, calendar: TradingCalendar) {
  const { from, to } = spanIn(flags, { from: NaN, to: NaN });
  return {
    seed: flags.seed ?? 1,
    calendar,
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

/** Generated sessions are whole; the week at either end may be incomplete. */
const longer = (minutes: BarColumns, interval: Interval, calendar: TradingCalendar): BarColumns =>
  resample(minutes, { from: '1m', to: interval, calendar }).columns;

function partOf(
  { start }: BarColumns,
  { seed, price, volatility }: Readonly<{ seed: number; price?: number; volatility?: number }>,
  { clock }: CommandContext,
): Part {
  const own = [price && ` price ${price}`, volatility && ` volatility ${volatility}`]
    .filter(Boolean)
    .join('');
  const source = { kind: 'generated', name: `recipe ${RECIPE} seed ${seed}${own}` } as const;
  return { source, fetchedAt: clock.now(), from: start[0] ?? NaN, to: (start.at(-1) ?? NaN) + 60_000 };
}

type TargetSet = Readonly<{ symbol: Ticker; interval: Interval; overwrite: boolean }>;

/** @throws {SafetyError} when there are bars from elsewhere, or bars that must not be replaced */
function requireFree(store: BarStore, { symbol, interval, overwrite }: TargetSet): void {
  const manifest = store.manifest({ symbol, interval });
  if (!manifest) return;
  const isMadeUp = manifest.parts.every(
    ({ source }) => source.kind === 'generated' || source.kind === 'emulator',
  );
  if (isMadeUp && overwrite) return;
  const isPulled = manifest.parts.some(({ source }) => source.kind === 'emulator');
  const name = `${symbol} ${interval} in ${store.folder}`;
  throw new SafetyError(
    isMadeUp
      ? `there are generated bars of ${name}${isPulled ? ', from an emulator,' : ''} already: --overwrite replaces them`
      : `${name} has bars that were not generated; they stay. Take another symbol, or another folder (--data)`,
  );
}
