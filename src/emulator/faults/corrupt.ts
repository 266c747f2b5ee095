import type { MessageRule } from '../state/faultRules.ts';
import { CODES, type VenueReply } from '../state/constants.ts';
import { hashHex } from '../../core/random.ts';
import { chanceOf } from '../../core/seededRandom.ts';
import { gatewayReply, refused, unauthorized, uuidOf, type VenueRequest } from '../state/messages.ts';
import type { Hex, State, Mapping } from '../state/state.ts';
import { orElse } from '../../core/errors.ts';

type Edit = Pick<Extract<MessageRule, { kind: 'edit' }>, 'path' | 'value' | 'remove'>;

/**
 * The body with the value at a path replaced, as in `data.rows.*.status`: names and indexes between dots, `*` for each.
 * A missing last name is added. A body that is not JSON stays as it is.
 */
function edited(body: string, { path, value, remove }: Edit): string {
  return orElse(() => {
    const json: unknown = JSON.parse(body);
    change(json, path.split('.'), remove ? undefined : (value ?? null));
    return JSON.stringify(json);
  }, body);
}

/** Replaces the value at a path; undefined removes it. */
function change(node: unknown, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  const container = node as Record<string, unknown>;
  for (const key of name === '*' ? Object.keys(container) : [name]) {
    if (rest.length > 0) change(container[key], rest, value);
    else if (value !== undefined) container[key] = value;
    else if (Array.isArray(container)) container.splice(Number(key), 1);
    else Reflect.deleteProperty(container, key);
  }
}

type Listing = Extract<MessageRule, { kind: 'false-listing' }>;
type NestedRule = Extract<MessageRule, { kind: 'nested' }>;

const isRow = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The response with one stock listed falsely. A body without rows of stocks stays as it is. */
function falselyListed(
  body: string,
  { symbol, as, decimals, onChainDecimals, priceFactor }: Listing,
): string {
  const envelope: unknown = JSON.parse(body);
  const rows = isRow(envelope) && Array.isArray(envelope['data']) ? envelope['data'].filter(isRow) : [];
  const other = rows.find((row) => row['symbol'] === as)?.['contractAddress'];
  for (const row of rows) {
    if (row['symbol'] !== symbol || row['contractAddress'] === undefined) continue;
    if (other !== undefined) row['contractAddress'] = other;
    if (decimals !== undefined) row['decimals'] = decimals;
    if (onChainDecimals !== undefined) row['onChainDecimals'] = onChainDecimals;
    if (priceFactor !== undefined) row['price'] = Number((Number(row['price']) * priceFactor).toFixed(4));
  }
  return JSON.stringify(envelope);
}

/** Placeholder for the arrays. Their text is inserted last, because no parser or serialiser handles so many of them. */
const PLACE = 'the nested arrays';

function nested(body: string, { path, depth }: NestedRule): string {
  const marked = edited(body, { path, value: PLACE });
  return marked.replace(`"${PLACE}"`, () => '['.repeat(depth) + ']'.repeat(depth));
}

type Form = Extract<MessageRule, { kind: 'form' }>;
/** Returns the value in another form, unchanged if it has none, or undefined to remove it. */
type Reword = (name: string, value: unknown, chance: () => number) => unknown;

const OF_ORDERS = [
  'placeNotional',
  'placeQuantity',
  'placePrice',
  'pay',
  'settlePrice',
  'settlePay',
  'settleReceive',
  'mintFee',
  'protocolFee',
];
const AMOUNTS: ReadonlySet<string> = new Set([
  ...OF_ORDERS,
  'mUsdBalance',
  'walletBalance',
  'exchangeBalance',
  'walletAllowance',
]);
const OPTIONAL: ReadonlySet<string> = new Set([
  ...OF_ORDERS,
  'createTime',
  'settleTxHash',
  'operationId',
  'walletAllowance',
]);
/** Decimal places of a padded amount. */
const PLACES = 18;

/** The text of an amount with trailing zeros. */
function padded(text: string): string {
  const [whole = '', fraction = ''] = text.split('.');
  return `${whole}.${fraction.padEnd(PLACES, '0')}`;
}

const isHex = (value: unknown): value is string => typeof value === 'string' && /^0x[0-9a-f]+$/.test(value);

const rewords: Record<Form['how'], Reword> = {
  'upper-case': (_, value) => (isHex(value) ? `0x${value.slice(2).toUpperCase()}` : value),
  bare: (name, value) => (name === 'orderId' && isHex(value) ? value.slice(2) : value),
  milliseconds: (name, value) => (name === 'createTime' ? Number(value) * 1_000 : value),
  untold: (name, value, chance) => (OPTIONAL.has(name) ? (chance() < 0.5 ? null : undefined) : value),
  'link-only': (name, value) => (name === 'openOrder' || name === 'historyOrder' ? null : value),
  numeric: (name, value) => (AMOUNTS.has(name) && typeof value === 'string' ? Number(value) : value),
  padded: (name, value) => (AMOUNTS.has(name) && typeof value === 'string' ? padded(value) : value),
  garbled: (name, value) => (AMOUNTS.has(name) ? 'some' : value),
};

/** The response with `share` of its values in another form. A body that is not JSON stays unchanged. */
function reworded(body: string, { how, share }: Form, seed: string): string {
  let count = 0;
  const chance = () => chanceOf(`${seed} form ${count++}`);
  return orElse(
    () =>
      JSON.stringify(
        JSON.parse(body, (name, value: unknown) =>
          chance() < share ? rewords[how](name, value, chance) : value,
        ),
      ),
    body,
  );
}

/** True when the venue processes the request before its response is corrupted. */
export function isProcessed(rule: MessageRule): boolean {
  switch (rule.kind) {
    case 'unauthorized':
    case 'redirect':
    case 'lost-request':
    case 'late-request':
      return false;
    case '429':
      return rule.processed ?? false;
    case 'status':
    case 'html':
    case 'body':
    case 'echo':
    case 'busy-node':
      return rule.processed;
    default:
      return true;
  }
}

/** Input of a corruption besides the response. `hashBefore`: the transaction of the previous send. */
export type Corruption = Readonly<{
  request: Pick<VenueRequest, 'headers'>;
  now: State['now'];
  hashBefore: Hex | null;
  /** Seed of every random choice in the response. */
  seed: string;
}>;

const TX_HASH = /"txHash":"0x[0-9a-f]+"/;
const OTHERS_HASH: Hex = `0x${'ab'.repeat(32)}`;

/** Applies a rule to a response. `reply` is ignored when the request was not processed. */
export function corrupt(
  rule: MessageRule,
  reply: VenueReply,
  { request, now, hashBefore, seed }: Corruption,
): VenueReply {
  switch (rule.kind) {
    case 'unauthorized':
      return unauthorized(now);
    case '429':
      return gatewayReply(429, rule.retryAfter === undefined ? {} : { 'retry-after': rule.retryAfter });
    case 'redirect':
      return gatewayReply(rule.status, { location: rule.location });
    case 'status':
      return gatewayReply(rule.status);
    case 'html':
      return gatewayReply(200);
    case 'body':
      return { status: rule.status, headers: { 'content-type': rule.contentType }, body: rule.text };
    case 'echo':
      return refused(
        { code: CODES.failed, message: `cannot serve ${JSON.stringify(request.headers)}` },
        null,
        now,
      );
    case 'truncate':
      return { ...reply, body: reply.body.slice(0, rule.bytes) };
    case 'edit':
      return { ...reply, body: edited(reply.body, rule) };
    case 'false-refusal':
      return refused({ code: rule.code, message: rule.text }, uuidOf(seed), now);
    case 'false-listing':
      return { ...reply, body: falselyListed(reply.body, rule) };
    case 'nested':
      return { ...reply, body: nested(reply.body, rule) };
    case 'form':
      return { ...reply, body: reworded(reply.body, rule, seed) };
    case 'no-hash':
      return { ...reply, body: reply.body.replace(TX_HASH, '"txHash":null') };
    case 'other-hash':
      return { ...reply, body: reply.body.replace(TX_HASH, `"txHash":"${hashBefore ?? OTHERS_HASH}"`) };
    case 'slow-body':
      return { ...reply, slowMs: rule.ms };
    case 'interim':
      return { ...reply, interim: true };
    default:
      return reply;
  }
}

/** Fault in the pages of a list. */
export type Disorder = Extract<MessageRule, { kind: 'list' }>;

/** Number of rows by which later pages start too early (rows repeat) or, if negative, too late (rows are missing). */
export const shiftOf = ({ how, rows }: Disorder): number => (how === 'shift' ? rows : 0);

/** The list, oldest first, from which pages are cut. */
export function disordered(
  all: readonly Mapping[],
  { how, rows, txHash }: Disorder,
  chance: string,
): readonly Mapping[] {
  const newest = Math.max(all.length - Math.abs(rows), 0);
  const isMeant = (each: Mapping, index: number) =>
    txHash === undefined ? index >= newest : each.txHash === txHash.toLowerCase();
  switch (how) {
    case 'shuffle':
      return all
        .map((each) => ({ each, place: chanceOf(`${chance} ${each.txHash}`) }))
        .sort((a, b) => a.place - b.place)
        .map(({ each }) => each);
    case 'shift':
    case 'endless':
      return all;
    case 'repeat':
      return all.flatMap((each, index) => (isMeant(each, index) ? [each, each] : [each]));
    case 'vanish':
      return all.filter((each, index) => !isMeant(each, index));
  }
}

/** Total reported for an endless list. */
export const ENDLESS_TOTAL = 1_000_000_000;

const HASH = /0x[0-9a-f]{64}/g;

/** Rows to fill a page, each a copy of the real row `like` with its own hashes. */
export const inventedRows = (
  like: string,
  { page, count }: Readonly<{ page: number; count: number }>,
): string[] =>
  Array.from({ length: count }, (_, index) =>
    like.replace(HASH, (known) => hashHex(`invented ${page} ${index} ${known}`)),
  );
