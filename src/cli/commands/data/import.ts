import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import type { TradingCalendar } from '../../../calendar/index.ts';
import { counted } from '../../../core/counted.ts';
import { parseDay } from '../../../calendar/zone.ts';
import { ConfigError, InvalidValueError, faultIn } from '../../../core/errors.ts';
import type { Interval } from '../../../domain/bar.ts';
import type { Ticker } from '../../../domain/instrument.ts';
import { setText } from '../../../market/barStore.ts';
import { joinedActions, requireOneStory } from '../../../market/foreign/actionList.ts';
import { readActions } from '../../../market/foreign/actions.ts';
import { DECIMALS } from '../../../market/foreign/numbers.ts';
import { PRICE_KINDS, SHARE_DAYS } from '../../../market/foreign/sources.ts';
import { DATE_ORDERS } from '../../../market/foreign/stamps.ts';
import type { StoredAction } from '../../../market/manifest.ts';
import { splitHours } from '../../../market/outsideBars.ts';
import { oneOf } from '../../../app/backtest/flags.ts';
import { hoursOf, intervalOf, readBarFile, requireSound } from '../../../app/backtest/barFiles.ts';
import { givenCalendar } from '../../../app/config/load.ts';
import type { CommandContext } from '../../../process/context.ts';
import { asTraded, SetImport, type SetResult } from '../../../app/data/importedBars.ts';
import { withStore, type DataFlags, requireOneKind, tickersOf } from '../../../app/data/storedBars.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { readNamed } from '../../../process/files.ts';
import { printResult } from '../../../process/output.ts';

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
    sessions?: string;
    overwrite?: boolean;
  }>;

/** Flags for importing one symbol. */
type SymbolFlags = ImportFlags & Readonly<{ symbol: string }>;

/** `drover data import`: imports files of one symbol, or a folder of many. Exit 1 if bars differ from the stored ones. */
export async function dataImport(flags: ImportFlags, context: CommandContext): Promise<number> {
  const [first = ''] = flags.files;
  const folder = resolve(context.cwd, first);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return importFolder(folder, flags, context);
  const { symbol } = flags;
  if (symbol === undefined)
    throw new ConfigError('which symbol? Name it with --symbol AAPL, or name a folder');
  if (flags.actions) return importActions({ ...flags, symbol }, context);
  const imported = await importBars({ ...flags, symbol }, context);
  printResult(context, imported, importText(imported));
  return differs(imported) && !flags.overwrite ? EXIT.failed : EXIT.done;
}

/** File names that may contain bars, with the symbol in front: `AAPL.csv`, `aapl.us.txt`, `BRK-B_1d.csv`. */
const BAR_FILE = /^([A-Za-z]{1,6})(?:[.-]([A-Za-z]))?(?=[._-])(?:[._-].*)?\.(?:csv|txt|f64)$/;

/** Imports each file of a folder independently; unreadable ones are listed at the end. */
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
  const differ = imported.some(differs) && !flags.overwrite;
  return failed.length > 0 || differ ? EXIT.failed : EXIT.done;
}

/** Result of importing one symbol. */
type ImportResult = Readonly<{ symbol: Ticker; interval: Interval }> &
  SetResult &
  Readonly<{
    /** Detected layout of each file of another program, one line per file. */
    readAs: readonly string[];
    /** Number of rows left out, by reason. */
    leftOut: Readonly<Record<string, number>>;
    /** Bars outside the regular sessions, if all were imported; null if the files have none. */
    outside?: SetResult | null;
  }>;

const differs = ({ differences, outside }: ImportResult): boolean =>
  differences.length + (outside?.differences.length ?? 0) > 0;

function importText({ symbol, interval, readAs, outside, ...regular }: ImportResult): string {
  const line = (name: Parameters<typeof setText>[0], { added, bars, first, last }: SetResult) =>
    `${setText(name)}: ${added} new bars, now ${bars}${first === null ? '' : ` from ${first} to ${last}`}`;
  return [
    ...readAs.map((text) => `read as: ${text}`),
    line({ symbol, interval }, regular),
    ...(outside ? [line({ symbol, interval, outside: true }, outside)] : []),
  ].join('\n');
}

const SESSIONS = ['regular', 'all'] as const;

/** Imports all of the files or none. */
function importBars(flags: SymbolFlags, context: CommandContext): Promise<ImportResult> {
  const interval = intervalOf(flags.interval ?? '1d');
  const sessions = oneOf('sessions', flags.sessions, SESSIONS) ?? 'regular';
  const [symbol] = tickersOf([flags.symbol]);
  if (!symbol) throw new ConfigError('which symbol? --symbol AAPL');
  const calendar = givenCalendar(context);
  return withStore(flags, context, (store) => {
    requireOneKind({ symbol, interval }, { kind: 'file' }, store);
    const { terminal, clock } = context;
    const parts = { store, overwrite: flags.overwrite ?? false, calendar, terminal, now: clock.now() };
    const regular = new SetImport({ symbol, interval }, parts);
    const outside = sessions === 'all' ? new SetImport({ symbol, interval, outside: true }, parts) : null;
    const readAs: string[] = [];
    const leftOut: Record<string, number> = {};
    let actions: readonly StoredAction[] | null = store.actions(symbol)?.actions ?? null;
    for (const name of flags.files) {
      const file = resolve(context.cwd, name);
      const taken = barsOf(file, { interval, symbol, sessions, flags, context, calendar, actions });
      const hours = outside ? splitHours(taken.columns, calendar) : null;
      regular.add(hours?.regular ?? taken.columns, file);
      if (hours) outside?.add(hours.outside, file);
      ({ actions } = taken);
      if (taken.foreign) readAs.push(taken.foreign.readAs);
      for (const [why, count] of Object.entries(taken.foreign?.leftOut.counts() ?? {}))
        leftOut[why] = (leftOut[why] ?? 0) + count;
    }
    if (actions !== null)
      store.writeActions({ format: 1, symbol, fetchedAt: context.clock.now(), actions: [...actions] });
    // The regular set is written last: if that fails, only bars of the night are new, and a second import adds the rest.
    const others = outside && { outside: outside.isEmpty ? null : outside.save() };
    return { symbol, interval, ...regular.save(), readAs, leftOut, ...others };
  });
}

/** Replaces stored actions of the same day and type with those in the files. */
function importActions(flags: SymbolFlags, context: CommandContext): Promise<number> {
  const [symbol] = tickersOf([flags.symbol]);
  if (!symbol) throw new ConfigError('which symbol? --symbol AAPL');
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
        { ...options, dates, shares, asOf: asOfDay(flags) },
      );
    });
    const place = ({ source }: StoredAction) => source.name;
    const joined = joinedActions(found, stored ?? []);
    const actions = requireOneStory(joined.map((action) => ({ place: place(action), action })));
    store.writeActions({ format: 1, symbol, fetchedAt: context.clock.now(), actions });
    const counts = { symbol, read: found.length, actions: actions.length };
    return printResult(
      context,
      counts,
      `${symbol}: ${counted(counts.read, 'corporate action')} read, now ${counts.actions}`,
    );
  });
}

/** Day of `--as-of`; null without it. @throws {ConfigError} for an invalid day */
function asOfDay({ asOf }: ImportFlags): string | null {
  const fault = asOf === undefined ? null : faultIn(InvalidValueError, () => parseDay(asOf));
  if (fault !== null) throw new ConfigError(`--as-of: ${fault}`);
  return asOf ?? null;
}

type BarParts = Readonly<{
  interval: Interval;
  symbol: Ticker;
  sessions: (typeof SESSIONS)[number];
  flags: SymbolFlags;
  context: CommandContext;
  calendar: TradingCalendar;
  /** Stored actions of the symbol, plus those of the files read before; null for none. */
  actions: readonly StoredAction[] | null;
}>;

/** Bars of one file, as traded. @throws {ConfigError} naming file and line of an invalid row */
function barsOf(file: string, parts: BarParts) {
  const { interval, symbol, sessions, flags, context, calendar } = parts;
  const warn = (text: string) => context.terminal.err(`drover: ${text}`);
  const { columns: read, foreign } = readBarFile(file, {
    ...parts,
    columns: flags.columns,
    zone: flags.zone,
    dates: oneOf('dates', flags.dates, DATE_ORDERS),
    decimal: oneOf('decimal', flags.decimal, DECIMALS),
    prices: oneOf('prices', flags.prices, PRICE_KINDS),
    warn,
  });
  const shares = oneOf('shares-of', flags.sharesOf, SHARE_DAYS);
  const about = { file, symbol, calendar: hoursOf({ calendar, sessions }), asOf: asOfDay(flags), shares };
  const { columns, actions } = foreign
    ? asTraded(read, foreign, { ...about, actions: parts.actions })
    : { columns: read, actions: parts.actions };
  if (extname(file) === '.f64') requireSound(columns, { interval, calendar, sessions, file });
  return { columns, actions, foreign };
}
