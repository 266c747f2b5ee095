import { basename } from 'node:path';
import type { TradingCalendar } from '../../calendar/index.ts';
import { epochMs } from '../../core/brand.ts';
import { counted } from '../../core/counted.ts';
import { ConfigError } from '../../core/errors.ts';
import type { Ticker } from '../../domain/instrument.ts';
import { setText, type BarStore, type SetName, type StoredBars } from '../../market/barStore.ts';
import { withFound } from '../../market/foreign/actionList.ts';
import { actionOfEvent, perShareOfThen } from '../../market/foreign/actions.ts';
import type { ForeignBars } from '../../market/foreign/bars.ts';
import { pricesText, type ShareDay } from '../../market/foreign/sources.ts';
import type { StoredAction } from '../../market/manifest.ts';
import { mergeBars, type Difference } from '../../market/mergeBars.ts';
import { joinedParts } from '../../market/pullBars.ts';
import { rawPrices } from '../../market/rawPrices.ts';
import { columnsOf, type BarColumns } from '../../domain/barColumns.ts';
import { barEnd } from '../../market/series.ts';
import type { Terminal } from '../../process/terminal.ts';
import { iso } from '../../process/output.ts';
import { differenceJson, hoursOfSet, reportDifferences } from './storedBars.ts';

type SetParts = Readonly<{
  store: BarStore;
  overwrite: boolean;
  calendar: TradingCalendar;
  terminal: Terminal;
  now: number;
}>;

/** Result of an import into one set; `first` to `hash` are null if it has no bars. */
export type SetResult = Readonly<{
  added: number;
  bars: number;
  first: string | null;
  last: string | null;
  hash: string | null;
  differences: readonly ReturnType<typeof differenceJson>[];
  /** Number of bars in the files that start after the import: misread or made-up dates. */
  future: number;
}>;

/** Import into one set: collects the bars of all files, and is saved if all could be read. */
export class SetImport {
  readonly #parts: SetParts;
  readonly #before: number;
  readonly #differences: Difference[] = [];
  #bars: StoredBars;
  /** Starts of bars after now. */
  readonly #future: number[] = [];
  isEmpty = true;

  constructor(name: SetName, parts: SetParts) {
    this.#parts = parts;
    this.#bars = parts.store.read(name) ?? { ...name, columns: columnsOf(0), parts: [], factors: null };
    this.#before = this.#bars.columns.start.length;
  }

  /** Adds the bars of a file. */
  add(found: BarColumns, file: string): void {
    if (found.start.length === 0) return;
    const { overwrite, calendar, now } = this.#parts;
    const { interval } = this.#bars;
    const { columns, differences } = mergeBars(this.#bars.columns, found, overwrite);
    const last = { start: epochMs(found.start.at(-1) ?? NaN), interval };
    const span = { from: found.start[0] ?? NaN, to: barEnd(last, hoursOfSet(this.#bars, calendar)) };
    const part = { source: { kind: 'file', name: basename(file) }, fetchedAt: now, ...span } as const;
    this.#bars = { ...this.#bars, columns, parts: joinedParts([...this.#bars.parts, part]) };
    this.#differences.push(...differences);
    for (const start of found.start) if (start > now) this.#future.push(start);
    this.isEmpty = false;
  }

  /** Writes the set if bars were found, and reports those that differ. */
  save(): SetResult {
    const { store, overwrite, terminal } = this.#parts;
    const { start } = this.#bars.columns;
    const manifest = this.isEmpty ? store.manifest(this.#bars) : store.write(this.#bars);
    reportDifferences(this.#bars, this.#differences, { terminal, kept: !overwrite });
    this.#reportFuture();
    return {
      added: start.length - this.#before,
      bars: start.length,
      first: manifest && iso(manifest.first),
      last: manifest && iso(manifest.last),
      hash: manifest?.hash ?? null,
      differences: this.#differences.map(differenceJson),
      future: this.#future.length,
    };
  }

  #reportFuture(): void {
    const [first] = this.#future;
    if (first === undefined) return;
    this.#parts.terminal.err(
      `${setText(this.#bars)}: ${counted(this.#future.length, 'bar')} of the future, the first of ${iso(first)}. Were the dates ` +
        'of the file read as intended? --dates dmy reads days first, --dates mdy months',
    );
  }
}

type ForeignSource = Readonly<{
  file: string;
  symbol: Ticker;
  /** Hours that the bars fall into. */
  calendar: TradingCalendar;
  /** Known actions of the symbol; null for none. */
  actions: readonly StoredAction[] | null;
  /** Day on which an adjusting source wrote the file; null if not stated. */
  asOf: string | null;
  /** Day whose share count the dividends refer to, if stated. */
  shares: ShareDay | undefined;
}>;

/**
 * Bars of another program's file converted to prices as traded, and the known actions together with those of the file.
 * @throws {ConfigError} when actions contradict each other, or there are none to undo adjustments with
 */
export function asTraded(bars: BarColumns, foreign: ForeignBars, about: ForeignSource) {
  const { prices, source } = foreign;
  const { file, symbol, calendar, asOf } = about;
  const actions = withEvents(foreign, about);
  if (prices === 'raw') return { columns: bars, actions };
  if (actions) return { columns: rawPrices(bars, { symbol, prices, actions, calendar, asOf }), actions };
  throw new ConfigError(
    `${file} ${pricesText(source, prices)}; drover keeps prices as traded. If these are, say --prices raw. Otherwise import ` +
      `the splits and dividends of ${symbol} first, so that they can be undone: ` +
      `\`drover data import ACTIONS.csv --actions --symbol ${symbol}\`, or \`drover data pull ${symbol}\``,
    { file },
  );
}

/** Known actions plus the dividends and splits of the file. @throws {ConfigError} when they contradict each other */
function withEvents(
  { events, source }: ForeignBars,
  { shares: named, actions, file, asOf }: ForeignSource,
): readonly StoredAction[] | null {
  if (events.length === 0) return source.shares === undefined ? actions : (actions ?? []);
  const from = { kind: 'file', name: basename(file) } as const;
  const placed = events.map((event) => ({
    place: event.place,
    action: { ...actionOfEvent(event), source: from },
  }));
  const shares = named ?? source.shares ?? null;
  const hasSplits = source.shares !== undefined;
  return withFound(actions ?? [], perShareOfThen(placed, { file, shares, hasSplits, stored: actions, asOf }));
}
