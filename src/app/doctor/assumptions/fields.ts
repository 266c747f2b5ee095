import * as endpoints from '../../../api/endpoints/index.ts';
import type { Assumptions } from '../../../api/assumptions/assumptions.ts';
import { OBJECTS, type ObjectName } from '../../../api/assumptions/names.ts';
import { isTree, type Tree, isUnreadable } from '../../../core/nesting.ts';
import type { Endpoint } from '../../../api/endpoint.ts';
import { suggest } from '../../../core/suggest.ts';
import { dataOf, type EndpointReply, answerTo } from '../answers.ts';
import { asAssumed, differs, editOf, unchecked, type AssumptionResult, settingOf } from '../finding.ts';
import type { VenueClient } from '../../../api/client.ts';
import { newYorkDate, type TradingCalendar } from '../../../calendar/index.ts';
import { DAY_MS, epochMs, toSeconds, type EpochMs } from '../../../core/brand.ts';
import { atVenueFault, messageOf } from '../../../core/errors.ts';

/** Objects of responses, as the venue sent them. */
export type Samples = Readonly<Partial<Record<ObjectName, readonly Tree[]>>>;

/** Objects that responses to reads may show, and the reason when none does. */
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

/** Objects that only a write would show, with the reason. */
const NEEDS_WRITE: Readonly<Partial<Record<ObjectName, string>>> = {
  sent: 'it needs an order',
  recordTx: "it needs a transaction of the wallet's own, which linking would record",
  cashWithdrawal: 'it needs a withdrawal; calldata of one is requested with documented names',
  delegationChanged: 'it needs One Click to be turned on or off',
};

/** Rows of a list, paged or not; a response that is not a list is its only row. */
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

/** Collects the objects that the responses show. `details`: responses with one order and one stock transfer. */
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

/** The link in a row: in its own field, or the row itself without the fields beside it. */
function linkIn(row: Tree, { orderDetail, stockDetail }: Assumptions['fields']): readonly Tree[] {
  const own = [orderDetail['mapping'], stockDetail['mapping']].map((name) => row[name ?? '']).find(isTree);
  if (own) return [own];
  const beside = new Set([...Object.values(orderDetail), ...Object.values(stockDetail), ...MOVED]);
  const isOther = 'side' in row || 'tokenAddress' in row;
  return isOther ? [] : [Object.fromEntries(Object.entries(row).filter(([key]) => !beside.has(key)))];
}

/** Fields of a list row that hold the amount moved. */
const MOVED = ['depositOperation', 'withdrawalOperation'];

/** Compares the names of every object in the responses, and explains why others cannot be checked. */
export function checkFields(assumptions: Assumptions, samples: Samples): AssumptionResult[] {
  const shown = (Object.keys(SHOWN_BY) as ObjectName[]).map((name) => compared(name, assumptions, samples));
  const written = Object.entries(NEEDS_WRITE).map(([name, why]) => unchecked(`fields.${name}`, why));
  return [...shown, ...written];
}

/** Fields that repeat the scope of the key and are ignored. */
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
  if (odd.length === 0) return differs(entry, `${where}, and no other plausible name`, null);
  const found = matched(
    missing.map(([ours]) => ours),
    odd,
  );
  return differs(entry, `${where}; it has ${odd.join(', ')}`, editOf(['fields', name], found));
}

/** Pairs each missing name with the likeliest of the unknown ones; in their order if none is similar. */
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

/** The name that shares the most words with the given one. */
function sharing(name: string, names: readonly string[]): string | undefined {
  const own = new Set(partsOf(name));
  const count = (other: string) => partsOf(other).filter((part) => own.has(part)).length;
  return [...names].filter((other) => count(other) > 0).sort((a, b) => count(b) - count(a))[0];
}

const WEEK_MS = 7 * DAY_MS;
/** Number of minutes after the open to read. */
const MINUTES = 5;

/** Uses the first minute of the last finished session to check that a bar's time is its start. */
export async function checkBars(
  client: VenueClient,
  symbol: string,
  { calendar, now }: Readonly<{ calendar: TradingCalendar; now: EpochMs }>,
): Promise<AssumptionResult> {
  const entry = 'bars';
  const days = calendar.sessions(newYorkDate(epochMs(now - WEEK_MS)), newYorkDate(now));
  const open = days.filter(({ close }) => close < now).at(-1)?.open;
  if (open === undefined) return unchecked(entry, 'no session has ended in the last seven days');
  const startTime = toSeconds(open);
  const query = { startTime, endTime: startTime + MINUTES * 60, interval: '1m', limit: MINUTES + 1 } as const;
  const rows = await client.history({ path: { symbol }, query }).catch(atVenueFault(messageOf));
  if (typeof rows === 'string') return unchecked(entry, rows);
  const times = rows.flatMap((row) => (isUnreadable(row) || !('timestamp' in row) ? [] : [row.timestamp]));
  const first = Math.min(...times);
  if (times.length === 0)
    return unchecked(entry, `the venue shows no minute of ${symbol} after the last open`);
  if (first === startTime) return asAssumed(entry, 'as assumed: the time of a bar is its start');
  return differs(entry, `the first minute of ${symbol} is dated ${first - startTime} s after the open`, null);
}

const isNear = (time: number, now: EpochMs): boolean => Math.abs(time - now) < DAY_MS;

/** Compares the envelope's `t` with this clock to check its unit. */
export function checkEnvelopeTime(
  reads: readonly EndpointReply[],
  { client, now }: Readonly<{ client: VenueClient; now: EpochMs }>,
): AssumptionResult {
  const entry = 'units.t';
  const { t: unit } = client.assumptions.units;
  const last = reads.flatMap(({ envelope }) => envelope?.t ?? []).at(-1);
  if (last === undefined)
    return unit === 'none'
      ? asAssumed(entry, 'as assumed: no time is stated')
      : unchecked(entry, 'no answer carries a t; the Date header is used instead');
  const found = isNear(last, now) ? 'ms' : isNear(last * 1000, now) ? 's' : 'none';
  if (found === unit) return asAssumed(entry, `as assumed: ${found}`);
  return differs(entry, `t is ${last}, which is ${MEANING[found]}`, settingOf(['units', 't'], found));
}

const MEANING = { ms: 'a time in ms', s: 'a time in seconds', none: 'not the current time in ms or seconds' };

/** Checks the unit of a link's `createTime`: seconds and milliseconds are distinguished automatically, a text is not. */
export function checkLinkTime(links: readonly Tree[], client: VenueClient): AssumptionResult {
  const entry = 'units.createTime';
  const name = client.assumptions.fields.link['createTime'] ?? '';
  const { createTime: unit } = client.assumptions.units;
  const time = links.map((link) => link[name]).find((value) => value !== null && value !== undefined);
  if (time === undefined) return unchecked(entry, 'the key has no order and no transfer with a time yet');
  const found = unitOf(time);
  if (found === null)
    return differs(
      entry,
      `createTime is ${JSON.stringify(time)}, which is not a time in s, ms or ISO 8601`,
      null,
    );
  if (found === unit || (found === 'ms' && unit === 's')) return asAssumed(entry, `as assumed: ${found}`);
  return differs(entry, `createTime is ${JSON.stringify(time)}`, settingOf(['units', 'createTime'], found));
}

const SECONDS_MAX = 4_294_967_295;
const YEAR_2000 = 946_684_800;

function unitOf(time: unknown): 's' | 'ms' | 'iso' | null {
  if (typeof time === 'string') return Number.isNaN(Date.parse(time)) ? null : 'iso';
  if (typeof time !== 'number' || time < YEAR_2000) return null;
  return time > SECONDS_MAX ? 'ms' : 's';
}

/** Checks the form of order ids: asks for one order with and without 0x. */
export async function checkOrderId(orderId: string | null, client: VenueClient): Promise<AssumptionResult> {
  const entry = 'orderIdForm';
  if (orderId === null) return unchecked(entry, 'no order of the key has an id yet');
  const digits = orderId.replace(/^0x/i, '');
  const knows = async (id: string) => (await answerTo(client, `/api/v1/orders/${id}`)).trouble === null;
  const [prefixed, bare] = [await knows(`0x${digits}`), await knows(digits)];
  const { orderIdForm: form } = client.assumptions;
  if (!prefixed && !bare) return unchecked(entry, `${orderId} of the order list is not found by any form`);
  const listed = orderId.length === digits.length ? bare : prefixed;
  const works = form === 'as-listed' ? listed : form === 'with-0x' ? prefixed : bare;
  const both = prefixed && bare ? 'with and without 0x' : prefixed ? 'with 0x alone' : 'without 0x alone';
  if (works) return asAssumed(entry, `as assumed: an order is found ${both}`);
  return differs(
    entry,
    `an order is found ${both}`,
    settingOf(['orderIdForm'], prefixed ? 'with-0x' : 'without-0x'),
  );
}

/** Hash of a transaction that was never sent. */
const NOBODYS = `0x${'0'.repeat(63)}1`;

/** Checks the error code for an order that does not exist. */
export async function checkNotFound(client: VenueClient): Promise<AssumptionResult> {
  const entry = 'notFoundCode';
  const { notFoundCode } = client.assumptions;
  const { envelope, trouble } = await answerTo(client, `/api/v1/orders/tx/${NOBODYS}`);
  if (!envelope) return unchecked(entry, trouble ?? 'no answer');
  const { code, data } = envelope;
  if (code === notFoundCode) return asAssumed(entry, `as assumed: ${code}`);
  if (code === 200 && !isTree(data))
    return asAssumed(entry, 'code 200 without an order, which means the same');
  if (code === 200)
    return differs(entry, 'the venue shows an order for a transaction that nobody has sent', null);
  if (code === 401 || code === 500) return unchecked(entry, trouble ?? '');
  return differs(entry, trouble ?? '', settingOf(['notFoundCode'], String(code)));
}

/** Range of days in the distant past, with no announced action. */
const LONG_PAST = { start: '2001-01-01', end: '2001-01-31' };

/** Checks the names of a date range: if they are not understood, a month long past shows the actions of today. */
export async function checkActionQuery(
  announced: readonly Tree[],
  client: VenueClient,
): Promise<AssumptionResult> {
  const entry = 'fields.actionQuery';
  const names = client.assumptions.fields.actionQuery;
  if (announced.length === 0)
    return unchecked(entry, 'no corporate action is announced: every range is empty');
  const query = Object.fromEntries(
    Object.entries(LONG_PAST).map(([ours, day]) => [names[ours] ?? ours, day]),
  );
  const { envelope, trouble } = await answerTo(client, '/api/v1/corporate-action', query);
  const edit = settingOf(['fields', 'actionQuery'], '{ start: NAME_OF_THE_VENUE, end: NAME_OF_THE_VENUE }');
  if (trouble !== null) return differs(entry, trouble, edit);
  const { data } = envelope ?? {};
  if (Array.isArray(data) && data.length === 0)
    return asAssumed(entry, 'as assumed: start and end are respected');
  return differs(entry, 'actions of today are shown for a month of 2001: start and end are ignored', edit);
}

/** Largest page size requested. */
const PAGE_MAX = 100;

/** Checks that pages of up to 100 rows are not cut. */
export function checkPageRows(reads: readonly EndpointReply[]): AssumptionResult {
  const entry = 'pages';
  const lists = [endpoints.orders, endpoints.cashDeposits, endpoints.cashWithdrawals];
  const pages = reads.filter(({ endpoint }) => lists.some(({ path }) => path === endpoint.path));
  const cut = pages.flatMap(({ envelope }) => {
    const data = envelope?.data;
    if (!isTree(data) || !Array.isArray(data['rows']) || typeof data['total'] !== 'number') return [];
    const expected = Math.min(data['total'], PAGE_MAX);
    return data['rows'].length < expected ? [`${data['rows'].length} of ${data['total']}`] : [];
  });
  const [first] = cut;
  if (first !== undefined) return differs(entry, `a page of ${PAGE_MAX} has ${first} rows`, null);
  return asAssumed(entry, `as assumed: no page of up to ${PAGE_MAX} rows was cut`);
}
