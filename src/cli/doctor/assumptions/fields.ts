import * as endpoints from '../../../api/endpoints/index.ts';
import type { Assumptions } from '../../../api/assumptions/assumptions.ts';
import { OBJECTS, type ObjectName } from '../../../api/assumptions/names.ts';
import { isTree, type Tree } from '../../../api/assumptions/translate.ts';
import type { Endpoint } from '../../../api/endpoint.ts';
import { suggest } from '../../../core/suggest.ts';
import { dataOf, type EndpointReply } from '../answers.ts';
import { asAssumed, differs, editOf, unchecked, type AssumptionResult } from './checked.ts';
import type { VenueClient } from '../../../api/client.ts';
import { isUnreadable } from '../../../api/wire.ts';
import { newYorkDate, type TradingCalendar } from '../../../calendar/index.ts';
import { epochMs, toSeconds, type EpochMs } from '../../../core/brand.ts';
import { isVenueFault, messageOf } from '../../../core/errors.ts';

/** Objects of answers, as the venue sent them. */
export type Samples = Readonly<Partial<Record<ObjectName, readonly Tree[]>>>;

/** Objects that answers to reads show, with what it takes that there is one. */
const SHOWN_BY: Readonly<Partial<Record<ObjectName, string>>> = {
  orderDetail: 'the key has no order yet',
  link: 'the key has no order and no transfer yet',
  withdrawalOperation: 'the key has made no withdrawal yet',
  stockDetail: 'the key has moved no stock yet',
  stockOperation: 'the key has moved no stock yet',
  debt: 'the wallet owes no stock',
  cashierBuffer: 'GET /config shows none',
  exchangeFees: 'GET /config shows none',
  cashToken: 'GET /config shows none',
  corporateAction: 'no corporate action is announced',
};

/** Objects that only a write would show or take. */
const NEEDS_WRITE: Readonly<Partial<Record<ObjectName, string>>> = {
  sent: 'it needs an order',
  recordTx: "it needs a transaction of the wallet's own, which linking would keep",
  cashWithdrawal: 'it needs a withdrawal; the calldata of one is asked with documented names',
  delegationChanged: 'it needs One Click to be turned on or off',
};

/** Rows of a list, paged or not; an answer that is no list is the one row. */
export const rowsIn = (data: unknown): readonly Tree[] => {
  const list = isTree(data) && Array.isArray(data['rows']) ? data['rows'] : data;
  return (Array.isArray(list) ? list : [list]).filter(isTree);
};
const under = (rows: readonly Tree[], field: string | undefined): readonly Tree[] =>
  rows.map((row) => row[field ?? '']).filter(isTree);

const ORDERS = [endpoints.orders.path];
const CASH = [endpoints.cashDeposits.path, endpoints.cashWithdrawals.path];
const STOCK = [endpoints.stockDeposits.path, endpoints.stockWithdrawals.path];
const CONFIG = [endpoints.config.path];

/** `details`: answers that show one order and one move of stock. */
export function samplesOf(
  reads: readonly EndpointReply[],
  { fields }: Assumptions,
  details: Readonly<{ order: unknown; stock: unknown }>,
): Samples {
  const rows = (paths: readonly Endpoint['path'][]) => paths.flatMap((path) => rowsIn(dataOf(reads, path)));
  const moves = [...rows(STOCK), ...rowsIn(details.stock)];
  const cash = rows(CASH);
  const config = rows(CONFIG);
  return {
    orderDetail: rowsIn(details.order),
    link: [...rows(ORDERS), ...rowsIn(details.order), ...cash, ...moves].flatMap((row) =>
      linkIn(row, fields),
    ),
    withdrawalOperation: under(cash, 'withdrawalOperation'),
    stockDetail: rowsIn(details.stock),
    stockOperation: under(moves, fields.stockDetail['stockOperation']),
    debt: rows([endpoints.debts.path]),
    cashierBuffer: under(config, 'cashierBuffer'),
    exchangeFees: under(config, 'exchangeFeeConfig'),
    cashToken: config.flatMap(({ cashierTokenConfig: listed }) => (listed ? rowsIn(listed) : [])),
    corporateAction: rows([endpoints.corporateActions.path]),
  };
}

/** The link of a row: in a field of its own, or the row itself without what stands beside it. */
function linkIn(row: Tree, { orderDetail, stockDetail }: Assumptions['fields']): readonly Tree[] {
  const own = [orderDetail['mapping'], stockDetail['mapping']].map((name) => row[name ?? '']).find(isTree);
  if (own) return [own];
  const beside = new Set([...Object.values(orderDetail), ...Object.values(stockDetail), ...MOVED]);
  const isOther = 'side' in row || 'tokenAddress' in row;
  return isOther ? [] : [Object.fromEntries(Object.entries(row).filter(([key]) => !beside.has(key)))];
}

/** Fields of a list's row that hold the amount moved. */
const MOVED = ['depositOperation', 'withdrawalOperation'];

/** Compares the names of every object that answers show, and says of the others why they cannot be checked. */
export function checkFields(assumptions: Assumptions, samples: Samples): AssumptionResult[] {
  const shown = (Object.keys(SHOWN_BY) as ObjectName[]).map((name) => compared(name, assumptions, samples));
  const written = Object.entries(NEEDS_WRITE).map(([name, why]) => unchecked(`fields.${name}`, why));
  return [...shown, ...written];
}

/** Fields that repeat the scope of the key, and are not read. */
const NOT_READ: ReadonlySet<string> = new Set(['chainId', 'productType']);

function compared(name: ObjectName, { fields }: Assumptions, samples: Samples): AssumptionResult {
  const entry = `fields.${name}`;
  const objects = samples[name] ?? [];
  if (objects.length === 0) return unchecked(entry, SHOWN_BY[name] ?? '');
  const names = fields[name];
  const seen = new Set(objects.flatMap((object) => Object.keys(object)));
  const missing = Object.entries(names).filter(([, theirs]) => !seen.has(theirs));
  if (missing.length === 0) return asAssumed(entry, `as assumed: ${Object.values(names).join(', ')}`);
  const known = new Set(Object.values(names));
  const odd = [...seen].filter((key) => !known.has(key) && !NOT_READ.has(key));
  const where = `${OBJECTS[name].where} has no ${missing.map(([, theirs]) => theirs).join(', ')}`;
  if (odd.length === 0) return differs(entry, `${where}, and no other name that it could be`, null);
  const found = matched(
    missing.map(([ours]) => ours),
    odd,
  );
  return differs(entry, `${where}; it has ${odd.join(', ')}`, editOf(['fields', name], found));
}

/** Each missing name with the likeliest of those that came instead; one by one where nothing is alike. */
export function matched(missing: readonly string[], odd: readonly string[]): Record<string, string> {
  const left = [...odd];
  const take = (name: string | undefined) =>
    name === undefined ? undefined : left.splice(left.indexOf(name), 1)[0];
  const alike = missing.map((name) => [name, take(suggest(name, left) ?? sharing(name, left))] as const);
  return Object.fromEntries(
    alike.flatMap(([name, like]) => {
      const theirs = like ?? take(left[0]);
      return theirs === undefined ? [] : [[name, theirs]];
    }),
  );
}

const partsOf = (name: string): readonly string[] =>
  name.split(/(?=[A-Z])|_/).map((part) => part.toLowerCase());

/** The name that shares the most words with another. */
function sharing(name: string, names: readonly string[]): string | undefined {
  const own = new Set(partsOf(name));
  const count = (other: string) => partsOf(other).filter((part) => own.has(part)).length;
  return [...names].filter((other) => count(other) > 0).sort((a, b) => count(b) - count(a))[0];
}

const WEEK_MS = 7 * 86_400_000;
/** Minutes after the open that are read. */
const MINUTES = 5;

type When = Readonly<{ calendar: TradingCalendar; now: EpochMs }>;

/** Checks by the first minute of the last session that is over that the time of a bar is its start. */
export async function checkBars(
  client: VenueClient,
  symbol: string,
  { calendar, now }: When,
): Promise<AssumptionResult> {
  const entry = 'bars';
  const days = calendar.sessions(newYorkDate(epochMs(now - WEEK_MS)), newYorkDate(now));
  const open = days.filter(({ close }) => close < now).at(-1)?.open;
  if (open === undefined) return unchecked(entry, 'no session has ended in the last seven days');
  const startTime = toSeconds(open);
  const query = { startTime, endTime: startTime + MINUTES * 60, interval: '1m', limit: MINUTES + 1 } as const;
  try {
    const rows = await client.history({ path: { symbol }, query });
    const times = rows.flatMap((row) => (isUnreadable(row) || !('timestamp' in row) ? [] : [row.timestamp]));
    const first = Math.min(...times);
    if (times.length === 0)
      return unchecked(entry, `the venue shows no minute of ${symbol} after the last open`);
    if (first === startTime) return asAssumed(entry, 'as assumed: the time of a bar is its start');
    return differs(
      entry,
      `the first minute of ${symbol} is told ${first - startTime} s after the open`,
      null,
    );
  } catch (error) {
    if (!isVenueFault(error)) throw error;
    return unchecked(entry, messageOf(error));
  }
}
