import type { VenueClient } from '../../../api/client.ts';
import * as endpoints from '../../../api/endpoints/index.ts';
import { isTree, type Tree } from '../../../api/assumptions/translate.ts';
import type { EpochMs } from '../../../core/brand.ts';
import { answerTo, type EndpointReply } from '../answers.ts';
import { asAssumed, differs, settingOf, unchecked, type AssumptionResult } from './checked.ts';

const DAY_MS = 86_400_000;

const isNear = (told: number, now: EpochMs): boolean => Math.abs(told - now) < DAY_MS;

/** The unit of the envelope's `t`, held against this clock. */
export function checkEnvelopeTime(
  reads: readonly EndpointReply[],
  { client, now }: FormQuery,
): AssumptionResult {
  const entry = 'units.t';
  const { t: unit } = client.assumptions.units;
  const told = reads.flatMap(({ envelope }) => envelope?.t ?? []);
  const [last] = told.slice(-1);
  if (last === undefined)
    return unit === 'none'
      ? asAssumed(entry, 'as assumed: no time is told')
      : unchecked(entry, 'no answer carries a t; the Date header is used instead');
  const found = isNear(last, now) ? 'ms' : isNear(last * 1000, now) ? 's' : 'none';
  if (found === unit) return asAssumed(entry, `as assumed: ${found}`);
  return differs(entry, `t is ${last}, which is ${MEANING[found]}`, settingOf(['units', 't'], found));
}

const MEANING = { ms: 'a time in ms', s: 'a time in seconds', none: 'no time of now in ms or seconds' };

export type FormQuery = Readonly<{ client: VenueClient; now: EpochMs }>;

/** The unit of a link's `createTime`: seconds and milliseconds are distinguished automatically, a text is not. */
export function checkLinkTime(links: readonly Tree[], client: VenueClient): AssumptionResult {
  const entry = 'units.createTime';
  const name = client.assumptions.fields.link['createTime'] ?? '';
  const { createTime: unit } = client.assumptions.units;
  const told = links.map((link) => link[name]).find((value) => value !== null && value !== undefined);
  if (told === undefined) return unchecked(entry, 'the key has no order and no transfer with a time yet');
  const found = unitOf(told);
  if (found === null)
    return differs(
      entry,
      `createTime is ${JSON.stringify(told)}, which is no time in s, ms or ISO 8601`,
      null,
    );
  if (found === unit || (found === 'ms' && unit === 's')) return asAssumed(entry, `as assumed: ${found}`);
  return differs(entry, `createTime is ${JSON.stringify(told)}`, settingOf(['units', 'createTime'], found));
}

const SECONDS_MAX = 4_294_967_295;
const YEAR_2000 = 946_684_800;

function unitOf(told: unknown): 's' | 'ms' | 'iso' | null {
  if (typeof told === 'string') return Number.isNaN(Date.parse(told)) ? null : 'iso';
  if (typeof told !== 'number' || told < YEAR_2000) return null;
  return told > SECONDS_MAX ? 'ms' : 's';
}

/** Asks for one order by its id with and without 0x. */
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

/** A transaction that nobody has sent. */
const NOBODYS = `0x${'0'.repeat(63)}1`;

/** Asks for an order behind a transaction that there is not. */
export async function checkNotFound(client: VenueClient): Promise<AssumptionResult> {
  const entry = 'notFoundCode';
  const { notFoundCode } = client.assumptions;
  const { envelope, trouble } = await answerTo(client, `/api/v1/orders/tx/${NOBODYS}`);
  if (!envelope) return unchecked(entry, trouble ?? 'no answer');
  const { code, data } = envelope;
  if (code === notFoundCode) return asAssumed(entry, `as assumed: ${code}`);
  if (code === 200 && !isTree(data))
    return asAssumed(entry, 'code 200 without an order, which says the same');
  if (code === 200)
    return differs(entry, 'the venue shows an order for a transaction that nobody has sent', null);
  if (code === 401 || code === 500) return unchecked(entry, trouble ?? '');
  return differs(entry, trouble ?? '', settingOf(['notFoundCode'], String(code)));
}

/** Days of which no action that is still announced can be. */
const LONG_PAST = { start: '2001-01-01', end: '2001-01-31' };

/** Asks for the corporate actions of a month long past: where the names are not understood, it shows those of today. */
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
    return asAssumed(entry, 'as assumed: start and end are kept to');
  return differs(
    entry,
    'actions of today are shown for a month of 2001: start and end are not kept to',
    edit,
  );
}

/** Largest page that is asked for. */
const PAGE_MAX = 100;

/** A page of 100 rows: lists are read by pages of up to so many. */
export function checkPageRows(reads: readonly EndpointReply[]): AssumptionResult {
  const entry = 'pages';
  const lists = [endpoints.orders, endpoints.cashDeposits, endpoints.cashWithdrawals];
  const pages = reads.filter(({ endpoint }) => lists.some(({ path }) => path === endpoint.path));
  const cut = pages.flatMap(({ envelope }) => {
    const data = envelope?.data;
    if (!isTree(data) || !Array.isArray(data['rows']) || typeof data['total'] !== 'number') return [];
    const asked = Math.min(data['total'], PAGE_MAX);
    return data['rows'].length < asked ? [`${data['rows'].length} of ${data['total']}`] : [];
  });
  const [first] = cut;
  if (first !== undefined) return differs(entry, `a page of ${PAGE_MAX} has ${first} rows`, null);
  return asAssumed(entry, `as assumed: no page of up to ${PAGE_MAX} rows was cut`);
}
