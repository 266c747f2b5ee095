import type { TradingCalendar } from '../../calendar/index.ts';
import { dateOf, weekdayOf, type Day } from '../../calendar/zone.ts';
import { formatDecimal, isAboveZero, parseDecimal } from '../../core/amount.ts';
import { DAY_MS } from '../../core/brand.ts';
import { ConfigError } from '../../core/errors.ts';
import { ACTION_KINDS, fitsName } from '../../domain/corporateAction.ts';
import type { Source, StoredAction } from '../manifest.ts';
import { requireOneStory, type PlacedAction } from './actionList.ts';
import { cashOf, ratesOf, type ForeignEvent } from './events.ts';
import { CURRENCY_NAMES, isSymbol, plainName, requireDollars } from './layout.ts';
import { isEmpty } from './numbers.ts';
import type { ShareDay } from './sources.ts';
import type { DateOrder } from './stamps.ts';
import { ForeignTable } from './table.ts';
import { openError, TimeColumn } from './timeColumn.ts';

const HEADER = 'exDate,type,oldRate,newRate,cashPerShare';

const NAMES = {
  exDate:
    'exdate,ex date,ex dividend date,ex eff date,ex div date,execution date,effective date,date,timestamp,data,datum,fecha',
  type: 'type,dividend type,distribution type',
  oldRate: 'oldrate,old rate,split from',
  newRate: 'newrate,new rate,split to',
  cash: 'cashpershare,unadjustedvalue,divcash,dividend amount,cash amount,ex dividend,dividends,dividend,amount,rate,value',
  ratio: 'stock splits,splitfactor,split coefficient,split ratio,split factor,splits,split,ratio',
  payable: 'payabledate,payable date,payment date,paymentdate,pay date',
  symbol: 'symbol,ticker',
  currency: CURRENCY_NAMES,
} as const;
type Field = keyof typeof NAMES;

/** Share basis of amount columns, as their sources document it. */
const SHARES: Readonly<Record<string, ShareDay>> = {
  cashpershare: 'ex-date',
  unadjustedvalue: 'ex-date',
  divcash: 'ex-date',
  'dividend amount': 'ex-date',
  'cash amount': 'ex-date',
  'ex dividend': 'ex-date',
  dividends: 'today',
};

type ActionOptions = Readonly<{
  file: string;
  source: Source;
  calendar: TradingCalendar;
  /** Symbol of the actions; rows of others are left out. */
  symbol: string;
  dates?: DateOrder | undefined;
  /** Share basis of the amounts. Default: the one known for the source. */
  shares?: ShareDay | undefined;
  /** Stored actions; null for none. Their splits convert amounts per present share into those of their day. */
  stored?: readonly StoredAction[] | null;
  /** Day of writing of the file, `YYYY-MM-DD`, the basis of present shares. Null if unknown: after all splits. */
  asOf?: string | null;
}>;

/**
 * Corporate actions of a file: with our own header, where a split has `oldRate` and `newRate`, a payment `cashPerShare`
 * and maybe its payable date in a sixth column; or of another source, with columns for dividends and splits.
 * @throws {ConfigError} with file, line and row of a wrong action, and with both of two that contradict each other
 */
export function readActions(content: Uint8Array | string, options: ActionOptions): StoredAction[] {
  const table = new ForeignTable(options.file, content);
  const header = (table.rows[0] ?? []).map(plainName);
  const isOwn = header.join(',').startsWith(HEADER.toLowerCase());
  const columns = columnsOf(header);
  const { exDate, cash, ratio, newRate } = columns;
  if (exDate < 0 || (cash < 0 && ratio < 0 && newRate < 0))
    throw new ConfigError(
      `${options.file}:1: the header is "${(table.rows[0] ?? []).join(table.separator)}"; write ${HEADER}`,
      { file: options.file, line: 1 },
    );
  const rows = rowsOf(table, columns, options.symbol);
  const dates = options.dates ?? (header[exDate] === MONTH_FIRST ? 'mdy' : undefined);
  const { days, order } = datesOf(table, rows, { column: exDate, name: 'exDate', dates });
  const read = rows.flatMap((row, index): NamedAction[] => {
    const day = days[index] ?? NaN;
    if (day < FIRST_DAY) return [];
    requireSession(table, row, { day, calendar: options.calendar });
    requireDollars(table, row, columns.currency);
    const about = { row, place: table.place(row), exDate: dateOf(day), order };
    const actions = isOwn ? [ownAction(table, columns, about)] : foreignActions(table, columns, about);
    const name = isOwn || columns.type < 0 ? '' : table.cell(row, columns.type).toLowerCase();
    const { place } = about;
    return actions.map((action) => ({ place, name, action: { ...action, source: options.source } }));
  });
  if (read.length === 0)
    throw new ConfigError(`${options.file}: no corporate action follows the header`, { file: options.file });
  const shares = options.shares ?? SHARES[header[cash] ?? ''] ?? null;
  return requireOneStory(
    perShareOfThen(withKindsAdded(read), { ...options, shares, hasSplits: ratio >= 0 || newRate >= 0 }),
  );
}

/** Column of nasdaq.com, which writes the month first. */
const MONTH_FIRST = 'ex eff date';

/** Action with the source's name for its kind: `regular`, `SC`; empty for none. */
type NamedAction = PlacedAction & Readonly<{ name: string }>;

/**
 * Replaces equal payments of one day by the sum of those that the file calls different kinds, such as a regular and a
 * special one. Equal rows then count as one payment, listed twice.
 */
function withKindsAdded(read: readonly NamedAction[]): PlacedAction[] {
  const keyOf = ({ action: { exDate, cashPerShare } }: PlacedAction) => `${exDate} ${Number(cashPerShare)}`;
  const names = new Map<string, Set<string>>();
  for (const one of read) names.set(keyOf(one), (names.get(keyOf(one)) ?? new Set()).add(one.name));
  return read.map((one): PlacedAction => {
    const { cashPerShare } = one.action;
    if (cashPerShare === null) return one;
    const kinds = BigInt(names.get(keyOf(one))?.size ?? 1);
    return {
      ...one,
      action: { ...one.action, cashPerShare: formatDecimal(parseDecimal(cashPerShare) * kinds) },
    };
  });
}

const FIRST_DAY = Date.UTC(2000, 0, 1);

function columnsOf(header: readonly string[]): Record<Field, number> {
  const place = (names: string) => {
    const found = names.split(',').find((name) => header.includes(name));
    return found === undefined ? -1 : header.indexOf(found);
  };
  return Object.fromEntries(Object.entries(NAMES).map(([field, names]) => [field, place(names)])) as Record<
    Field,
    number
  >;
}

function rowsOf(table: ForeignTable, columns: Record<Field, number>, symbol: string): number[] {
  const width = table.rows[0]?.length ?? 0;
  return table.rows.flatMap((cells, row) => {
    if (row === 0 || cells.every((cell) => cell.trim() === '')) return [];
    if (cells.length !== width)
      throw table.error(
        row,
        `${cells.length} fields instead of ${width}: ${(table.rows[0] ?? []).join(table.separator)}`,
      );
    return columns.symbol < 0 || isSymbol(table.cell(row, columns.symbol), symbol) ? [row] : [];
  });
}

type DateColumn = Readonly<{ column: number; name: string; dates?: DateOrder | undefined }>;

type Dates = Readonly<{ days: readonly Day[]; order: DateOrder }>;

function datesOf(table: ForeignTable, rows: readonly number[], { column, name, dates }: DateColumn): Dates {
  const times = new TimeColumn(table, (row) => table.cell(row, column));
  for (const row of rows)
    if (!times.add(row))
      throw table.error(row, `${name} is "${table.cell(row, column)}": write a date such as 2026-06-15`);
  const order = times.order(dates);
  if (typeof order === 'string') {
    const days = times.places(order).map((at, index) => times.written(index, order) ?? at - (at % DAY_MS));
    return { days, order };
  }
  throw openError(table, [order]);
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

type ExDate = Readonly<{ day: Day; calendar: TradingCalendar }>;

/** @throws {ConfigError} for an ex-date without trading, naming the sessions before and after it */
function requireSession(table: ForeignTable, row: number, { day, calendar }: ExDate): void {
  const date = dateOf(day);
  if (calendar.sessionOn(date)) return;
  const next = calendar.sessionFrom(date);
  const why = calendar.closureOn(date) ?? `a ${WEEKDAYS[weekdayOf(day)] ?? ''}`;
  throw table.error(
    row,
    `exDate ${date} is not a session (${why}), but an ex-date must be one. The nearest ones are ` +
      `${calendar.previousSession(next.open).date} and ${next.date}`,
  );
}

/** Row of an action. `order`: order of day and month in the file's dates. */
type About = Readonly<{ row: number; place: string; exDate: string; order: DateOrder }>;
type Action = Omit<StoredAction, 'source'>;

function ownAction(table: ForeignTable, columns: Record<Field, number>, about: About): Action {
  const { row, exDate } = about;
  const cell = (field: Field) => (columns[field] < 0 ? '' : table.cell(row, columns[field]));
  const type = cell('type');
  const kind = ACTION_KINDS[type];
  if (kind !== 'split' && kind !== 'payment')
    throw table.error(row, `type is "${type}": write ${Object.keys(ACTION_KINDS).join(', ')}`);
  const rates = { oldRate: cell('oldRate'), newRate: cell('newRate') };
  const needed = kind === 'split' ? rates : { cashPerShare: cell('cash') };
  for (const [name, value] of Object.entries(needed))
    if (!isAboveZero(value))
      throw table.error(row, `${name} is "${value}": of a ${type} it is a decimal above 0`);
  if (kind === 'split') requireFit(type, rates, (what) => table.error(row, what));
  const beside =
    kind === 'split'
      ? isAboveZero(cell('cash')) && `cashPerShare is "${cell('cash')}"`
      : isSplit(rates) && `oldRate is "${rates.oldRate}" and newRate "${rates.newRate}"`;
  if (beside) throw table.error(row, `${beside} in a ${type}: give each action a row of its own`);
  const action = { type, exDate, oldRate: null, newRate: null, cashPerShare: null, ...needed };
  const payableDate = payableOf(table, cell('payable'), about);
  return payableDate === null ? action : { ...action, payableDate };
}

const isSplit = ({ oldRate, newRate }: Readonly<{ oldRate: string; newRate: string }>): boolean =>
  isAboveZero(oldRate) && isAboveZero(newRate) && Number(oldRate) !== Number(newRate);

function payableOf(table: ForeignTable, text: string, { row, exDate, order: given }: About): string | null {
  if (isEmpty(text)) return null;
  const wrong = (why: string) => table.error(row, `payableDate is "${text}"${why}`);
  const times = new TimeColumn(table, () => text);
  const order = times.add(row) ? times.order(given === 'ymd' ? undefined : given) : null;
  if (typeof order !== 'string') throw wrong(': write a date such as 2026-06-15, or nothing');
  const date = dateOf(times.written(0, order) ?? NaN);
  if (date >= exDate) return date;
  throw wrong(', before the ex-date: write a later date, or nothing for one paid on the ex-date');
}

/** Actions in a row of another source: from its amount, its ratio and its two rates. */
function foreignActions(table: ForeignTable, columns: Record<Field, number>, about: About): Action[] {
  const { row, exDate } = about;
  const cell = (field: Field) => (columns[field] < 0 ? '' : table.cell(row, columns[field]));
  const events: ForeignEvent[] = [];
  const cash = cashOf(cell('cash'), table, row);
  const payableDate = cash === null ? null : payableOf(table, cell('payable'), about);
  if (cash !== null) events.push({ place: about.place, exDate, kind: 'dividend', cash });
  const both =
    columns.oldRate >= 0 && columns.newRate >= 0 && cell('newRate') !== ''
      ? `${cell('newRate')}:${cell('oldRate')}`
      : cell('ratio');
  const rates = ratesOf(both, table, row);
  if (rates) events.push({ place: about.place, exDate, kind: 'split', ...rates });
  return events
    .map(actionOfEvent)
    .map((action) =>
      action.cashPerShare === null || payableDate === null ? action : { ...action, payableDate },
    );
}

/** Action for an event in a foreign file. */
export function actionOfEvent(event: ForeignEvent): Action {
  const none = { exDate: event.exDate, oldRate: null, newRate: null, cashPerShare: null };
  if (event.kind === 'dividend') return { ...none, type: 'cash_dividend', cashPerShare: event.cash };
  const { oldRate, newRate } = event;
  const type = Number(newRate) > Number(oldRate) ? 'forward_split' : 'reverse_split';
  return { ...none, type, oldRate, newRate };
}

type Basis = Readonly<{
  file: string;
  shares: ShareDay | null;
  hasSplits: boolean;
}> &
  Pick<ActionOptions, 'stored' | 'asOf'>;

/**
 * Payments per share before their ex-date. Amounts per present share are multiplied by all splits since that day.
 * @throws {ConfigError} if it is unknown on which day's shares they are based, or which splits followed
 */
export function perShareOfThen(
  read: readonly PlacedAction[],
  { file, shares, hasSplits, stored = null, asOf = null }: Basis,
): PlacedAction[] {
  const isPayment = ({ action }: PlacedAction) => action.cashPerShare !== null;
  if (shares === 'ex-date' || !read.some(isPayment)) return [...read];
  if (shares === null)
    throw new ConfigError(
      `${file} does not say which day's share count its amounts refer to. Add --shares-of ex-date for those of the ex-date, or ` +
        '--shares-of today where later splits have divided them',
      { file },
    );
  if (!hasSplits && stored === null)
    throw new ConfigError(
      `${file}: its dividends are per share of today, and no split of the symbol is known, by which they were divided. Import the ` +
        'splits first, or a file that has both; --shares-of ex-date takes the amounts as they are',
      { file },
    );
  const all = [...read.map(({ action }) => action), ...(stored ?? [])].filter(
    ({ newRate, exDate }) => newRate !== null && (asOf === null || exDate <= asOf),
  );
  const splits = new Map(all.map((split) => [`${split.exDate} ${ratioOf(split)}`, split]));
  return read.map((placed) => {
    const { action } = placed;
    if (!isPayment(placed)) return placed;
    const since = [...splits.values()].filter(({ exDate }) => exDate >= action.exDate);
    const cash = since.reduce((sum, split) => sum * ratioOf(split), Number(action.cashPerShare));
    const text = cash.toFixed(8).replace(/\.?0+$/, '');
    return { ...placed, action: { ...action, cashPerShare: text } };
  });
}

const ratioOf = ({ oldRate, newRate }: Action): number => Number(newRate) / Number(oldRate);

function requireFit(
  type: string,
  { oldRate, newRate }: Readonly<{ oldRate: string; newRate: string }>,
  wrong: (what: string) => ConfigError,
): void {
  if (fitsName(type, { oldRate: parseDecimal(oldRate), newRate: parseDecimal(newRate) })) return;
  const [leaves, other] = type === 'forward_split' ? ['more', 'reverse_split'] : ['fewer', 'forward_split'];
  throw wrong(
    `${oldRate} for ${newRate} is no ${type.replace('_', ' ')}: it leaves ${leaves} shares. ` +
      `Write oldRate before newRate, or ${other}`,
  );
}
