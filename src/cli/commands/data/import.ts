import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import type { TradingCalendar } from '../../../calendar/index.ts';
import { epochMs } from '../../../core/brand.ts';
import { counted } from '../../../core/counted.ts';
import { ConfigError } from '../../../core/errors.ts';
import type { Interval } from '../../../domain/bar.ts';
import type { Ticker } from '../../../domain/instrument.ts';
import { barEnd, columnsOf, type BarColumns } from '../../../market/series.ts';
import type { BarStore, StoredBars } from '../../../market/barStore.ts';
import { joinedActions, requireOneStory, withFound } from '../../../market/foreign/actionList.ts';
import { actionOfEvent, perShareOfThen, readActions } from '../../../market/foreign/actions.ts';
import type { ForeignBars } from '../../../market/foreign/bars.ts';
import { DECIMALS } from '../../../market/foreign/numbers.ts';
import { PRICE_KINDS, pricesText, SHARE_DAYS } from '../../../market/foreign/sources.ts';
import { DATE_ORDERS } from '../../../market/foreign/stamps.ts';
import type { StoredAction } from '../../../market/manifest.ts';
import { inspectBars } from '../../../market/inspectBars.ts';
import { mergeBars, type Difference } from '../../../market/mergeBars.ts';
import { joinedParts } from '../../../market/pullBars.ts';
import { rawPrices } from '../../../market/rawPrices.ts';
import { oneOf } from '../../../app/backtest/flags.ts';
import { intervalOf, readBarFile } from '../../../app/backtest/barFiles.ts';
import { givenCalendar } from '../../../app/config/load.ts';
import type { CommandContext } from '../../../process/context.ts';
import {
  withStore,
  type DataFlags,
  differenceJson,
  reportDifferences,
  requireOneKind,
  tickersOf,
} from '../../../app/data/storedBars.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { readNamed } from '../../../process/files.ts';
import { iso, printResult } from '../../../process/output.ts';

type ImportFlags = DataFlags &
  Readonly<{
    files: readonly string[];
    symbol?: string;
    interval?: string;
    columns?: string;
    prices?: string;
    zone?: string;
    dates?: string;
    decimal?: string;
    sharesOf?: string;
    asOf?: string;
    actions?: boolean;
    overwrite?: boolean;
  }>;

/** Flags of an import of one symbol. */
type SymbolFlags = ImportFlags & Readonly<{ symbol: string }>;

/** `drover data import`: imports files of one symbol, or a folder of many. Exit 1 when bars differ from the stored ones. */
export async function dataImport(flags: ImportFlags, context: CommandContext): Promise<number> {
  const [first = ''] = flags.files;
  const folder = resolve(context.cwd, first);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return importFolder(folder, flags, context);
  const { symbol } = flags;
  if (symbol === undefined) throw new ConfigError('whose bars? Name the symbol, --symbol AAPL, or a folder');
  if (flags.actions) return importActions({ ...flags, symbol }, context);
  const imported = await importBars({ ...flags, symbol }, context);
  printResult(context, imported, importText(imported));
  return imported.differences.length > 0 && !flags.overwrite ? EXIT.failed : EXIT.done;
}

/** Files of a folder that may have bars, each with the symbol of its name: `AAPL.csv`, `aapl.us.txt`, `BRK-B_1d.csv`. */
const BAR_FILE = /^([A-Za-z]{1,6})(?:[.-]([A-Za-z]))?(?=[._-])(?:[._-].*)?\.(?:csv|txt|f64)$/;

/** Imports each file of a folder for itself; those that cannot be read are named at the end. */
async function importFolder(folder: string, flags: ImportFlags, context: CommandContext): Promise<number> {
  if (flags.symbol !== undefined || flags.files.length > 1 || flags.actions)
    throw new ConfigError('a folder is imported by itself: leave out --symbol, --actions and other files');
  const files = readdirSync(folder).flatMap((name) => {
    const [, letters, share] = BAR_FILE.exec(name) ?? [];
    const symbol = `${letters ?? ''}${share === undefined ? '' : `.${share}`}`.toUpperCase();
    return letters === undefined ? [] : [{ symbol, file: join(folder, name) }];
  });
  if (files.length === 0)
    throw new ConfigError(`${folder} has no bars: files are named after their symbols, such as AAPL.csv`);
  const [imported, failed]: [ImportResult[], { file: string; why: string }[]] = [[], []];
  for (const [index, { symbol, file }] of files.entries()) {
    context.terminal.status?.(`${index + 1} of ${files.length}  ${symbol}`);
    try {
      imported.push(await importBars({ ...flags, symbol, files: [file] }, context));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      failed.push({ file, why: error.message });
    }
  }
  context.terminal.status?.('');
  const lines = [
    ...imported.map(importText),
    ...failed.map(({ file, why }) => `${basename(file)} was left out: ${why}`),
  ];
  printResult(context, { imported, failed }, lines.join('\n'));
  const differ = imported.some(({ differences }) => differences.length > 0) && !flags.overwrite;
  return failed.length > 0 || differ ? EXIT.failed : EXIT.done;
}

/** Result of an import of one symbol. */
type ImportResult = Readonly<{
  symbol: Ticker;
  interval: Interval;
  added: number;
  bars: number;
  first: string;
  last: string;
  hash: string;
  differences: readonly ReturnType<typeof differenceJson>[];
  /** Layout that was understood of each file of another program, one line a file. */
  readAs: readonly string[];
  /** Rows that were left out, by reason. */
  leftOut: Readonly<Record<string, number>>;
}>;

const importText = ({ symbol, interval, added, bars, first, last, readAs }: ImportResult): string =>
  [
    ...readAs.map((text) => `read as: ${text}`),
    `${symbol} ${interval}: ${added} new bars, now ${bars} from ${first} to ${last}`,
  ].join('\n');

/** Imports all of the files or nothing. */
function importBars(flags: SymbolFlags, context: CommandContext): Promise<ImportResult> {
  const interval = intervalOf(flags.interval ?? '1d');
  const [symbol] = tickersOf([flags.symbol]);
  if (!symbol) throw new ConfigError('whose bars? --symbol AAPL');
  const calendar = givenCalendar(context);
  return withStore(flags, context, (store) => {
    const stored = store.read({ symbol, interval });
    let bars = stored ?? { symbol, interval, columns: columnsOf(0), parts: [], factors: null };
    const differences: Difference[] = [];
    const readAs: string[] = [];
    const leftOut: Record<string, number> = {};
    let actions: readonly StoredAction[] | null = store.actions(symbol)?.actions ?? null;
    for (const name of flags.files) {
      const taken = taking(bars, resolve(context.cwd, name), { flags, context, store, calendar, actions });
      ({ bars, actions } = taken);
      differences.push(...taken.differences);
      if (taken.foreign) readAs.push(taken.foreign.readAs);
      for (const [why, count] of Object.entries(taken.foreign?.leftOut.counts() ?? {}))
        leftOut[why] = (leftOut[why] ?? 0) + count;
    }
    if (actions !== null)
      store.writeActions({ format: 1, symbol, fetchedAt: context.clock.now(), actions: [...actions] });
    const { hash } = store.write(bars);
    reportDifferences({ symbol, interval }, differences, {
      terminal: context.terminal,
      kept: !flags.overwrite,
    });
    const { start } = bars.columns;
    return {
      symbol,
      interval,
      added: start.length - (stored?.columns.start.length ?? 0),
      bars: start.length,
      first: iso(start[0] ?? NaN),
      last: iso(start.at(-1) ?? NaN),
      hash,
      differences: differences.map(differenceJson),
      readAs,
      leftOut,
    };
  });
}

/** Replaces stored actions of the same day and type by those of the files. */
function importActions(flags: SymbolFlags, context: CommandContext): Promise<number> {
  const [symbol] = tickersOf([flags.symbol]);
  if (!symbol) throw new ConfigError('whose actions? --symbol AAPL');
  const calendar = givenCalendar(context);
  return withStore(flags, context, (store) => {
    const stored = store.actions(symbol)?.actions ?? null;
    const found = flags.files.flatMap((name) => {
      const file = resolve(context.cwd, name);
      const source = { kind: 'file', name: basename(file) } as const;
      const options = { file, source, calendar, symbol, stored };
      const dates = oneOf('dates', flags.dates, DATE_ORDERS);
      const shares = oneOf('shares-of', flags.sharesOf, SHARE_DAYS);
      return readActions(
        readNamed(file, () => readFileSync(file)),
        { ...options, dates, shares },
      );
    });
    const place = ({ source }: StoredAction) => source.name;
    const joined = joinedActions(found, stored ?? []);
    const actions = requireOneStory(joined.map((action) => ({ place: place(action), action })));
    store.writeActions({ format: 1, symbol, fetchedAt: context.clock.now(), actions });
    const counts = { symbol, read: found.length, actions: actions.length };
    printResult(
      context,
      counts,
      `${symbol}: ${counted(counts.read, 'corporate action')} read, now ${counts.actions}`,
    );
    return EXIT.done;
  });
}

type ImportParts = Readonly<{
  flags: SymbolFlags;
  context: CommandContext;
  store: BarStore;
  calendar: TradingCalendar;
  /** Stored actions of the symbol, and those of the files before; null for none. */
  actions: readonly StoredAction[] | null;
}>;

/** The bars with those of one file. @throws {ConfigError} naming file and line of an invalid row */
function taking(bars: StoredBars, file: string, parts: ImportParts) {
  const { flags, context, store, calendar } = parts;
  const { interval, symbol } = bars;
  const source = { kind: 'file', name: basename(file) } as const;
  requireOneKind(bars, source, store);
  const warn = (text: string) => context.terminal.err(`drover: ${text}`);
  const { columns, foreign } = readBarFile(file, {
    interval,
    calendar,
    symbol,
    columns: flags.columns,
    zone: flags.zone,
    dates: oneOf('dates', flags.dates, DATE_ORDERS),
    decimal: oneOf('decimal', flags.decimal, DECIMALS),
    prices: oneOf('prices', flags.prices, PRICE_KINDS),
    warn,
  });
  const actions = foreign ? withEvents(foreign, { ...parts, file, symbol }) : parts.actions;
  const found = foreign ? asTraded(columns, foreign, { ...parts, actions, file, symbol }) : columns;
  if (extname(file) === '.f64') requireSound(found, { interval, calendar, file });
  const { columns: merged, differences } = mergeBars(bars.columns, found, flags.overwrite);
  const last = { start: epochMs(found.start.at(-1) ?? NaN), interval };
  const span = { from: found.start[0] ?? NaN, to: barEnd(last, calendar) };
  const part = { source, fetchedAt: context.clock.now(), ...span };
  return {
    bars: { ...bars, columns: merged, parts: joinedParts([...bars.parts, part]) },
    differences,
    actions,
    foreign,
  };
}

type ImportSource = Pick<ImportParts, 'flags' | 'calendar' | 'actions'> &
  Readonly<{ file: string; symbol: Ticker }>;

/** Known actions with the dividends and splits of the file. @throws {ConfigError} where these contradict each other */
function withEvents(
  { events, source }: ForeignBars,
  { flags, actions, file }: ImportSource,
): readonly StoredAction[] | null {
  if (events.length === 0) return source.shares === undefined ? actions : (actions ?? []);
  const from = { kind: 'file', name: basename(file) } as const;
  const placed = events.map((event) => ({
    place: event.place,
    action: { ...actionOfEvent(event), source: from },
  }));
  const shares = oneOf('shares-of', flags.sharesOf, SHARE_DAYS) ?? source.shares ?? null;
  const hasSplits = source.shares !== undefined;
  return withFound(actions ?? [], perShareOfThen(placed, { file, shares, hasSplits, stored: actions }));
}

/** Prices as traded: those of the file, or undone by the known actions. @throws {ConfigError} where there are none */
function asTraded(
  bars: BarColumns,
  foreign: ForeignBars,
  { flags, calendar, file, symbol, actions }: ImportSource,
): BarColumns {
  const { prices, source } = foreign;
  if (prices === 'raw') return bars;
  if (actions) return rawPrices(bars, { symbol, prices, actions, calendar, asOf: flags.asOf ?? null });
  throw new ConfigError(
    `${file} ${pricesText(source, prices)}; drover keeps prices as traded. If these are, say --prices raw. Otherwise import ` +
      `the splits and dividends of ${symbol} first, so that they can be undone: ` +
      `\`drover data import ACTIONS.csv --actions --symbol ${symbol}\`, or \`drover data pull ${symbol}\``,
    { file },
  );
}

/** Names a bar of a column file by its time, because the file has no lines; those of others are checked as they are read. */
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
