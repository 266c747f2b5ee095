import { basename, resolve } from 'node:path';
import type { TradingCalendar } from '../../../calendar/index.ts';
import { epochMs } from '../../../core/brand.ts';
import { ConfigError } from '../../../core/errors.ts';
import type { Interval } from '../../../domain/bar.ts';
import type { Ticker } from '../../../domain/instrument.ts';
import { joinedActions, readActions } from '../../../market/actionsCsv.ts';
import { barEnd, columnsOf, type BarColumns } from '../../../market/series.ts';
import type { BarStore, StoredBars } from '../../../market/barStore.ts';
import { inspectBars } from '../../../market/inspectBars.ts';
import { mergeBars, type Difference } from '../../../market/mergeBars.ts';
import { joinedParts } from '../../../market/pullBars.ts';
import { intervalOf, readBarFile } from '../../backtest/barFiles.ts';
import { givenCalendar } from '../../config/load.ts';
import type { CommandContext } from '../../context.ts';
import {
  withStore,
  type DataFlags,
  differenceJson,
  reportDifferences,
  requireOneKind,
  tickersOf,
} from '../../data/storedBars.ts';
import { EXIT } from '../../exitCodes.ts';
import { readText } from '../../files.ts';
import { iso, printResult } from '../../output.ts';

type ImportFlags = DataFlags &
  Readonly<{
    files: readonly string[];
    symbol: string;
    interval?: string;
    actions?: boolean;
    overwrite?: boolean;
  }>;

/** `drover data import`: imports all of the files or nothing. Exit 1 when bars differ from the stored ones. */
export function dataImport(flags: ImportFlags, context: CommandContext): Promise<number> {
  const interval = intervalOf(flags.interval ?? '1d');
  const [symbol] = tickersOf([flags.symbol]);
  if (!symbol) throw new ConfigError('whose bars? --symbol AAPL');
  if (flags.actions) return importActions(symbol, flags, context);
  const calendar = givenCalendar(context);
  return withStore(flags, context, (store) => {
    const stored = store.read({ symbol, interval });
    let bars = stored ?? { symbol, interval, columns: columnsOf(0), parts: [], factors: null };
    const differences: Difference[] = [];
    for (const name of flags.files) {
      const taken = taking(bars, resolve(context.cwd, name), { flags, context, store, calendar });
      bars = taken.bars;
      differences.push(...taken.differences);
    }
    const { hash } = store.write(bars);
    reportDifferences({ symbol, interval }, differences, {
      terminal: context.terminal,
      kept: !flags.overwrite,
    });
    const { start } = bars.columns;
    const added = start.length - (stored?.columns.start.length ?? 0);
    const [first, last] = [iso(start[0] ?? NaN), iso(start.at(-1) ?? NaN)];
    printResult(
      context,
      {
        symbol,
        interval,
        added,
        bars: start.length,
        first,
        last,
        hash,
        differences: differences.map(differenceJson),
      },
      `${symbol} ${interval}: ${added} new bars, now ${start.length} from ${first} to ${last}`,
    );
    return differences.length > 0 && !flags.overwrite ? EXIT.failed : EXIT.done;
  });
}

/** Replaces stored actions of the same day and type by those of the files. */
function importActions(symbol: Ticker, flags: ImportFlags, context: CommandContext): Promise<number> {
  const found = flags.files.flatMap((name) => {
    const file = resolve(context.cwd, name);
    return readActions(readText(file), { file, source: { kind: 'file', name: basename(file) } });
  });
  return withStore(flags, context, (store) => {
    const actions = joinedActions(found, store.actions(symbol)?.actions ?? []);
    store.writeActions({ format: 1, symbol, fetchedAt: context.clock.now(), actions });
    const counts = { symbol, read: found.length, actions: actions.length };
    printResult(context, counts, `${symbol}: ${counts.read} corporate actions read, now ${counts.actions}`);
    return EXIT.done;
  });
}

type ImportParts = Readonly<{
  flags: ImportFlags;
  context: CommandContext;
  store: BarStore;
  calendar: TradingCalendar;
}>;

/** The bars with those of one file. @throws {ConfigError} naming file and line of an invalid row */
function taking(bars: StoredBars, file: string, { flags, context, store, calendar }: ImportParts) {
  const { interval } = bars;
  const source = { kind: 'file', name: basename(file) } as const;
  requireOneKind(bars, source, store);
  const warn = (text: string) => context.terminal.err(`drover: ${text}`);
  const found = readBarFile(file, { interval, calendar, cwd: context.cwd, warn });
  requireSound(found, { interval, calendar, file });
  const { columns, differences } = mergeBars(bars.columns, found, flags.overwrite);
  const last = { start: epochMs(found.start.at(-1) ?? NaN), interval };
  const span = { from: found.start[0] ?? NaN, to: barEnd(last, calendar) };
  const part = { source, fetchedAt: context.clock.now(), ...span };
  return { bars: { ...bars, columns, parts: joinedParts([...bars.parts, part]) }, differences };
}

/** Names a bar of a column file by its time, because the file has no lines. */
function requireSound(
  columns: BarColumns,
  {
    interval,
    calendar,
    file,
  }: Pick<ImportParts, 'calendar'> & Readonly<{ interval: Interval; file: string }>,
): void {
  const found = inspectBars(columns, { interval, calendar, actions: null });
  const wrong = found.find(({ kind }) =>
    ['order', 'duplicate', 'outside', 'step', 'price', 'range', 'volume'].includes(kind),
  );
  if (wrong) throw new ConfigError(`${file}: the bar of ${iso(wrong.at)} is wrong: ${wrong.what}`, { file });
}
