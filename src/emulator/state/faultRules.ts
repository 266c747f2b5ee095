import { z } from 'zod';

/** Milliseconds, up to a day. */
export const day = z.int().min(1).max(86_400_000);

/** Conditions under which a rule applies. */
const common = {
  /** Target: the venue, or the node of the chain. */
  on: z.enum(['venue', 'node']).optional(),
  /**
   * Method and path as the venue lists them, `POST /api/v1/orders/send`, or a method of the node, `eth_getLogs`.
   * Default: all.
   */
  endpoint: z.string().optional(),
  /** Probability for each request that meets the conditions. */
  probability: z.number().min(0).max(1).default(1),
  /** Number of requests that meet the conditions and pass before the rule applies. */
  after: z.int().min(1).optional(),
  /** Most requests that may trigger the rule. */
  times: z.int().min(1).optional(),
  /** First instant at which the rule applies, and the first at which it no longer does. */
  from: z.iso.datetime().optional(),
  until: z.iso.datetime().optional(),
};

/** Reasons for which a node refuses to answer any request. */
export const BUSY = ['rateLimited', 'overloaded', 'internal', 'pruned'] as const;

const chainRules = [
  /** The transaction leaves the mempool: no block ever contains it. */
  z.strictObject({ kind: z.literal('unmined'), ...common }),
  /**
   * The transaction waits `ms` longer for its block, and so do those that its wallet sends after it. `pastDeadline`: it is executed
   * even so, as by a venue that does not keep its deadline. `hidden`: until then neither list nor node knows it.
   */
  z.strictObject({
    kind: z.literal('mined-late'),
    ms: day,
    pastDeadline: z.literal(true).optional(),
    hidden: z.literal(true).optional(),
    ...common,
  }),
  /** The transaction is mined but reverts for this cause. `out of gas` uses up all of its gas. */
  z.strictObject({ kind: z.literal('revert'), cause: z.string().min(1).max(200), ...common }),
] as const;

/** A fraction from 0 to 1. */
const share = z.number().min(0).max(1);

const orderRules = [
  /** Settles `ms` later than usual; a cancelled order stays `canceling` that much longer. */
  z.strictObject({ kind: z.literal('settle-late'), ms: day, ...common }),
  /** At most this share of the order ever executes. */
  z.strictObject({ kind: z.literal('settle-partly'), share, ...common }),
  /** A market order executes at a price that is `percent` above that of the market, or below. */
  z.strictObject({ kind: z.literal('fill-off-market'), percent: z.int().min(-90).max(900), ...common }),
  /** Settles in `parts` parts, one every `everyMs`. */
  z.strictObject({
    kind: z.literal('settle-in-parts'),
    parts: z.int().min(2).max(20),
    everyMs: day,
    ...common,
  }),
  /** Is reversed `ms` after it has settled, and settles again `againMs` later, or never. */
  z.strictObject({ kind: z.literal('settle-reversed'), ms: day, againMs: day.optional(), ...common }),
  /** The indexer reports another price and transaction `ms` after the settlement. */
  z.strictObject({ kind: z.literal('settle-restated'), ms: day, ...common }),
  /** Balances move `ms` after the indexer could show the settlement. */
  z.strictObject({ kind: z.literal('balance-late'), ms: day, ...common }),
  /** The indexer shows the settlement `ms` late, long after balances have moved. */
  z.strictObject({ kind: z.literal('status-late'), ms: day, ...common }),
  /** For a cancel: this share of the order's rest executes before the block of the cancel, and nothing else. */
  z.strictObject({ kind: z.literal('cancel-race'), filled: share, ...common }),
] as const;

/** Milliseconds after the send at which a false statement ends; never without it. */
const forMs = day.optional();
const wad = z.string().regex(/^\d{1,60}(\.\d{1,18})?$/, 'must be a decimal number such as 12.5');

/** False statements of the venue about an order; money and stock move as they would. */
const orderLies = [
  /**
   * The order is shown as ended without a fill, starting `afterMs` after its send. `account`: balances are shown as if it had moved
   * and locked nothing.
   */
  z.strictObject({
    kind: z.literal('false-end'),
    word: z.enum(['Failed', 'Rejected', 'Canceled']),
    afterMs: z.int().min(0).max(86_400_000).default(0),
    account: z.literal(true).optional(),
    forMs,
    ...common,
  }),
  /** Its settlement is shown with the given figures. */
  z.strictObject({
    kind: z.literal('false-settlement'),
    price: wad.optional(),
    pay: wad.optional(),
    receive: wad.optional(),
    ...common,
  }),
] as const;

/** False statements of the node about a transaction that was mined and succeeded. */
const chainLies = [
  /**
   * `reverted`: its receipt has status 0x0 and no logs, in a block `depth` blocks before its own. `missing`: the node
   * knows neither receipt nor transaction.
   */
  z.strictObject({
    kind: z.literal('false-receipt'),
    how: z.enum(['reverted', 'missing']),
    depth: z.int().min(0).max(100_000).default(0),
    forMs,
    ...common,
  }),
] as const;

const decimals = z.int().min(0).max(36);

/** Responses with false statements. */
const messageLies = [
  /** The venue carries out the request, but responds that it refused it. */
  z.strictObject({
    kind: z.literal('false-refusal'),
    text: z.string().min(1).max(1_000).default('deadline has expired'),
    code: z.int().default(10_002),
    ...common,
  }),
  /** A stock is listed with the contract of `as`, with other decimals, or with its price times `priceFactor`. */
  z.strictObject({
    kind: z.literal('false-listing'),
    symbol: z.string().min(1).max(20),
    as: z.string().min(1).max(20).optional(),
    decimals: decimals.optional(),
    onChainDecimals: decimals.optional(),
    priceFactor: z.number().positive().max(1_000).optional(),
    ...common,
  }),
  /** A value of the response is replaced by `depth` nested arrays. */
  z.strictObject({
    kind: z.literal('nested'),
    path: z.string().min(1),
    depth: z.int().min(1).max(8_000_000),
    ...common,
  }),
] as const;

export type OrderLie = z.output<(typeof orderLies)[number]>;
export type ChainLie = z.output<(typeof chainLies)[number]>;

/** True when the venue processes the request before the response is corrupted. */
const processed = z.boolean().default(true);

/** Other forms of the same response. */
export const FORMS = [
  'upper-case',
  'bare',
  'milliseconds',
  'numeric',
  'padded',
  'untold',
  'link-only',
  'garbled',
] as const;

/** Faults of a request or its response on the way. */
const messageRules = [
  /** The connection breaks before the venue receives the request. */
  z.strictObject({ kind: z.literal('lost-request'), ...common }),
  /** The connection breaks, but the request reaches the venue `ms` later. */
  z.strictObject({ kind: z.literal('late-request'), ms: day, ...common }),
  /** The connection breaks after the venue has carried out the request. */
  z.strictObject({ kind: z.literal('lost-response'), ...common }),
  /** Network or gateway deliver the request twice, `ms` apart; the caller receives one of the two responses. */
  z.strictObject({
    kind: z.literal('duplicate'),
    ms: day.default(50),
    heard: z.enum(['first', 'second']).default('first'),
    ...common,
  }),
  /** The response arrives `ms` late. */
  z.strictObject({ kind: z.literal('delay'), ms: day, ...common }),
  /** The response begins at once, but its second half takes `ms`. */
  z.strictObject({ kind: z.literal('slow-body'), ms: day, ...common }),
  /** 1xx responses come before the real one. */
  z.strictObject({ kind: z.literal('interim'), ...common }),
  /** A gateway responds instead of the venue. */
  z.strictObject({ kind: z.literal('status'), status: z.int().min(400).max(599), processed, ...common }),
  /** HTTP 200 with a web page. */
  z.strictObject({ kind: z.literal('html'), processed, ...common }),
  /** A redirect, before the venue receives the request. */
  z.strictObject({
    kind: z.literal('redirect'),
    status: z.literal([301, 302, 303, 307, 308]).default(307),
    location: z.url(),
    ...common,
  }),
  /** Any text as the body of the response. */
  z.strictObject({
    kind: z.literal('body'),
    text: z.string().max(1_000_000),
    status: z.int().min(200).max(599).default(200),
    contentType: z.string().default('application/json; charset=utf-8'),
    processed,
    ...common,
  }),
  /** Only the first bytes of the response's body. */
  z.strictObject({ kind: z.literal('truncate'), bytes: z.int().min(0), ...common }),
  /** Sets or removes the value at a path of the response's body. */
  z.strictObject({
    kind: z.literal('edit'),
    path: z.string().min(1),
    value: z.json().optional(),
    remove: z.literal(true).optional(),
    ...common,
  }),
  /**
   * Shows orders, links and balances in another form, or incompletely: hex in upper case, order ids without 0x, times
   * in ms, amounts as numbers or with all their places, optional fields left out, the order itself left out, amounts
   * that are not numbers. `share` of all possible places.
   */
  z.strictObject({
    kind: z.literal('form'),
    how: z.enum(FORMS),
    share: z.number().min(0).max(1).default(1),
    ...common,
  }),
  /** Refuses too many requests; with `processed` the venue still carries out the request. */
  z.strictObject({
    kind: z.literal('429'),
    retryAfter: z.string().optional(),
    processed: z.boolean().optional(),
    ...common,
  }),
  z.strictObject({ kind: z.literal('unauthorized'), ...common }),
  /** An error whose text repeats the headers of the request. */
  z.strictObject({ kind: z.literal('echo'), processed, ...common }),
  /**
   * The node refuses to answer, in its client's words: too many requests, overload, an internal error, state it no
   * longer keeps. `processed`: it has carried out the request before.
   */
  z.strictObject({
    kind: z.literal('busy-node'),
    why: z.enum(BUSY),
    processed: z.boolean().default(false),
    ...common,
  }),
  /** A send succeeds, but its response has no transaction hash. */
  z.strictObject({ kind: z.literal('no-hash'), ...common }),
  /** A send succeeds, but its response names the transaction of the previous send. */
  z.strictObject({ kind: z.literal('other-hash'), ...common }),
  /**
   * The pages of a list do not match: the `rows` newest rows, or the one of `txHash`. `endless`: every page is followed
   * by another, full of orders that nobody sent.
   */
  z.strictObject({
    kind: z.literal('list'),
    how: z.enum(['shuffle', 'shift', 'repeat', 'vanish', 'endless']),
    rows: z.int().min(-100).max(100).default(1),
    txHash: z.string().optional(),
    ...common,
  }),
  ...messageLies,
] as const;

export type MessageRule = z.output<(typeof messageRules)[number]>;
/** Fault of the transaction that a request has sent. */
export type ChainRule = z.output<(typeof chainRules)[number]> | ChainLie;
/** Fault of the order that a request has placed or cancels. */
export type OrderRule = z.output<(typeof orderRules)[number]> | OrderLie;

export const faultRule = z.discriminatedUnion('kind', [
  ...messageRules,
  ...chainRules,
  ...chainLies,
  ...orderRules,
  ...orderLies,
]);
export type FaultRule = z.output<typeof faultRule>;

/** Layers of faults; in each, the first rule that is triggered applies. */
export type Layer = 'message' | 'chain' | 'order';

const CHAIN: readonly string[] = [...chainRules, ...chainLies].map(({ shape }) => shape.kind.value);
const ORDER: readonly string[] = [...orderRules, ...orderLies].map(({ shape }) => shape.kind.value);

export const layerOf = ({ kind }: FaultRule): Layer =>
  CHAIN.includes(kind) ? 'chain' : ORDER.includes(kind) ? 'order' : 'message';
