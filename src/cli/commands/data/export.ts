import { resolve } from 'node:path';
import type { TradingCalendar } from '../../../calendar/index.ts';
import { epochMs } from '../../../core/brand.ts';
import { ConfigError } from '../../../core/errors.ts';
import { bytesOf } from '../../../market/columns.ts';
import { csvText } from '../../../market/csvBars.ts';
import { adjustedBars } from '../../../market/factors.ts';
import { countBefore, cutTo } from '../../../market/mergeBars.ts';
import type { SetName } from '../../../market/barStore.ts';
import type { Factors } from '../../../market/manifest.ts';
import { joinHours } from '../../../market/outsideBars.ts';
import type { BarColumns } from '../../../domain/barColumns.ts';
import { exDateBegins } from '../../../sim/dayEnd.ts';
import { intervalOf, requireIntraday } from '../../../app/backtest/barFiles.ts';
import { oneOf } from '../../../app/backtest/flags.ts';
import { givenCalendar } from '../../../app/config/load.ts';
import type { CommandContext } from '../../../process/context.ts';
import {
  storeOf,
  type DataFlags,
  loadBars,
  type LoadedBars,
  spanIn,
  tickersOf,
  withOutside,
} from '../../../app/data/storedBars.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { printResult } from '../../../process/output.ts';
import { writeNew } from '../../../process/files.ts';

type ExportFlags = DataFlags &
  Readonly<{
    symbol: string;
    interval?: string;
    format?: string;
    out?: string;
    adjusted?: boolean;
    sessions?: string;
    from?: string;
    to?: string;
  }>;

/** `drover data export`: CSV to stdout or a new file. Longer bars are built from shorter ones if only these are stored. */
export function dataExport(flags: ExportFlags, context: CommandContext): number {
  const { format = 'csv', out } = flags;
  const { terminal, json } = context;
  if (format !== 'csv' && format !== 'f64') throw new ConfigError(`--format "${format}": write csv or f64`);
  if (out === undefined && (json || format === 'f64'))
    throw new ConfigError('name the file to write: --out FILE');
  const [symbol] = tickersOf([flags.symbol]);
  if (!symbol) throw new ConfigError('whose bars?');
  const name = { symbol, interval: intervalOf(flags.interval ?? '1d') };
  const sessions = oneOf('sessions', flags.sessions, SESSIONS) ?? 'regular';
  const { columns: whole, madeOf } = loaded({ name, sessions, flags }, context);
  const columns = cut(whole, flags);
  if (out === undefined) for (const text of csvText(columns)) terminal.out(text.trimEnd());
  else {
    const file = resolve(context.cwd, out);
    writeNew(file, format === 'csv' ? csvText(columns) : [bytesOf(columns)]);
    const bars = columns.start.length;
    const shown =
      sessions === 'regular' ? '' : `, ${sessions === 'all' ? 'all sessions' : 'outside the sessions'}`;
    const about = sessions === 'regular' ? {} : { sessions };
    printResult(
      context,
      { file, ...name, madeOf, bars, ...about },
      `${file}: ${bars} bars of ${symbol} ${name.interval}${shown}`,
    );
  }
  return EXIT.done;
}

const SESSIONS = ['regular', 'outside', 'all'] as const;
type ExportInput = Readonly<{ name: SetName; sessions: (typeof SESSIONS)[number]; flags: ExportFlags }>;

/** Bars in time order, as traded or adjusted; `madeOf`: length of the stored ones, those of the regular sessions if included. */
function loaded({ name, sessions, flags }: ExportInput, context: CommandContext) {
  const [store, calendar] = [storeOf(flags, context), givenCalendar(context)];
  const names = withOutside(name).filter(
    ({ outside }) => sessions === 'all' || !outside === (sessions === 'regular'),
  );
  if (sessions !== 'regular') requireIntraday(name.interval, sessions);
  const sets = names.map((each) => loadBars(store, each, calendar));
  const factors = flags.adjusted ? factorsOf(loadBars(store, name, calendar), { sessions, calendar }) : null;
  const columns = sets
    .map((set) => (factors ? adjustedBars(set.columns, factors) : set.columns))
    .reduce(joinHours);
  return { columns, madeOf: sets[0]?.madeOf ?? name.interval };
}

/** Adjustment factors of the regular bars. Outside the sessions a day begins the evening before. */
function factorsOf(
  { symbol, madeOf, factors, parts }: LoadedBars,
  { sessions, calendar }: Pick<ExportInput, 'sessions'> & Readonly<{ calendar: TradingCalendar }>,
): Factors {
  const { fetchedAt: latest = 0 } = factors ?? {};
  if (!factors || parts.some(({ fetchedAt }) => fetchedAt > latest))
    throw new ConfigError(
      `no factors are stored of ${factors ? 'all bars of ' : ''}${symbol} ${madeOf}: \`drover data pull ${symbol} --interval ${madeOf}\` gets them from the venue`,
    );
  if (sessions === 'regular') return factors;
  const beginOf = (at: number) =>
    exDateBegins(calendar, calendar.newYorkDate(epochMs(at)), { begins: 'evening' });
  return { ...factors, steps: factors.steps.map(({ from, factor }) => ({ from: beginOf(from), factor })) };
}

function cut(columns: BarColumns, flags: ExportFlags): BarColumns {
  const { from, to } = spanIn(flags, { from: -Infinity, to: Infinity });
  const kept = cutTo(columns, countBefore(columns.start, from), countBefore(columns.start, to));
  if (kept.start.length > 0) return kept;
  throw new ConfigError('there are no bars in that time; `drover data list` shows what there is');
}
