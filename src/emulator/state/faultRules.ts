import { z } from 'zod';

/** Milliseconds, at most a day. */
export const day = z.int().min(1).max(86_400_000);

/** Conditions under which a rule applies. */
const common = {
  /** Target: the venue, or the node of the chain. */
  on: z.enum(['venue', 'node']).optional(),
  /** Method and path as the venue lists them, `POST /api/v1/orders/send`, or a method of the node, `eth_getLogs`. Default: all. */
  endpoint: z.string().optional(),
  /** Probability for each request that meets the conditions. */
  probability: z.number().min(0).max(1).default(1),
  /** Number of matching requests to let through before the rule applies. */
  after: z.int().min(1).optional(),
  /** Maximum number of requests that may trigger the rule. */
  times: z.int().min(1).optional(),
  /** First instant at which the rule applies, and the first at which it no longer does. */
  from: z.iso.datetime().optional(),
  until: z.iso.datetime().optional(),
};

/** Schema of a rule: its kind, parameters and conditions. */
const rule = <const Kind extends string, Shape extends z.core.$ZodLooseShape>(kind: Kind, shape: Shape) =>
  z.strictObject({ kind: z.literal(kind), ...shape, ...common });

/** Reasons why a node refuses every request. */
export const BUSY = ['rateLimited', 'overloaded', 'internal', 'pruned'] as const;

const chainRules = [
  /** The transaction leaves the mempool: no block ever contains it. */
  rule('unmined', {}),
  /**
   * The transaction waits `ms` longer for its block, and so do later ones of its wallet. `pastDeadline`: it is executed even after
   * its deadline, as by a venue that ignores deadlines. `hidden`: until then neither list nor node knows it.
   */
  rule('mined-late', {
    ms: day,
    pastDeadline: z.literal(true).optional(),
    hidden: z.literal(true).optional(),
  }),
  /** The transaction is mined but reverts for this cause. `out of gas` uses up all of its gas. */
  rule('revert', { cause: z.string().min(1).max(200) }),
] as const;

/** A fraction from 0 to 1. */
const share = z.number().min(0).max(1);

const orderRules = [
  /** Settles `ms` later than usual; a cancelled order stays `canceling` that much longer. */
  rule('settle-late', { ms: day }),
  /** At most this share of the order ever executes. */
  rule('settle-partly', { share }),
  /** A market order executes at a price `percent` above the market price, or below if negative. */
  rule('fill-off-market', { percent: z.int().min(-90).max(900) }),
  /** Settles in `parts` parts, one every `everyMs`. */
  rule('settle-in-parts', { parts: z.int().min(2).max(20), everyMs: day }),
  /** Is reversed `ms` after it has settled, and settles again `againMs` later, or never. */
  rule('settle-reversed', { ms: day, againMs: day.optional() }),
  /** The indexer reports a different price and transaction `ms` after the settlement. */
  rule('settle-restated', { ms: day }),
  /** Balances move `ms` after the indexer could show the settlement. */
  rule('balance-late', { ms: day }),
  /** The indexer shows the settlement `ms` late, long after balances have moved. */
  rule('status-late', { ms: day }),
  /** For a cancel: this share of the order's remainder executes before the block of the cancel, and nothing after. */
  rule('cancel-race', { filled: share }),
] as const;

/** Milliseconds after the send at which a false statement ends; by default it never does. */
const forMs = day.optional();
const wad = z.string().regex(/^\d{1,60}(\.\d{1,18})?$/, 'must be a decimal number such as 12.5');

/** False statements of the venue about an order; money and stock still move correctly. */
const orderLies = [
  /**
   * The order is shown as ended without a fill, starting `afterMs` after its send. `account`: balances are shown as if the order
   * had moved and locked nothing.
   */
  rule('false-end', {
    word: z.enum(['Failed', 'Rejected', 'Canceled']),
    afterMs: z.int().min(0).max(86_400_000).default(0),
    account: z.literal(true).optional(),
    forMs,
  }),
  /** Its settlement is shown with the given figures. */
  rule('false-settlement', { price: wad.optional(), pay: wad.optional(), receive: wad.optional() }),
] as const;

/** False statements of the node about a transaction that was mined and succeeded. */
const chainLies = [
  /**
   * `reverted`: its receipt has status 0x0 and no logs, in a block `depth` blocks before its own. `missing`: the node
   * knows neither receipt nor transaction.
   */
  rule('false-receipt', {
    how: z.enum(['reverted', 'missing']),
    depth: z.int().min(0).max(100_000).default(0),
    forMs,
  }),
] as const;

const decimals = z.int().min(0).max(36);

export type OrderLie = z.output<(typeof orderLies)[number]>;
export type ChainLie = z.output<(typeof chainLies)[number]>;

/** True when the venue processes the request before the response is corrupted. */
const processed = z.boolean().default(true);

/** Alternative forms of the same response. */
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

/** Rules that need a signed request, an envelope or a list, which the node does not have. */
const venueRules = [
  /** The connection breaks, but the request reaches the venue `ms` later. */
  rule('late-request', { ms: day }),
  /** The response starts immediately, but its second half takes `ms`. */
  rule('slow-body', { ms: day }),
  /** 1xx responses precede the real one. */
  rule('interim', {}),
  rule('unauthorized', {}),
  /** An error whose text repeats the headers of the request. */
  rule('echo', { processed }),
  /** A send succeeds, but its response has no transaction hash. */
  rule('no-hash', {}),
  /** A send succeeds, but its response names the transaction of the previous send. */
  rule('other-hash', {}),
  /**
   * The pages of a list are inconsistent: for the `rows` newest rows, or the one of `txHash`. `endless`: every page is
   * followed by another, full of orders that nobody sent.
   */
  rule('list', {
    how: z.enum(['shuffle', 'shift', 'repeat', 'vanish', 'endless']),
    rows: z.int().min(-100).max(100).default(1),
    txHash: z.string().optional(),
  }),
  /**
   * Shows orders, links and balances in another form, or incompletely: hex in upper case, order ids without 0x, times
   * in ms, amounts as numbers or with all decimals, optional fields omitted, the order itself omitted, amounts that are
   * not numbers. `share` of all possible places.
   */
  rule('form', { how: z.enum(FORMS), share: z.number().min(0).max(1).default(1) }),
  /** The venue carries out the request, but responds with a refusal. */
  rule('false-refusal', {
    text: z.string().min(1).max(1_000).default('deadline has expired'),
    code: z.int().default(10_002),
  }),
  /** A stock is listed with the contract of `as`, other decimals, or its price multiplied by `priceFactor`. */
  rule('false-listing', {
    symbol: z.string().min(1).max(20),
    as: z.string().min(1).max(20).optional(),
    decimals: decimals.optional(),
    onChainDecimals: decimals.optional(),
    priceFactor: z.number().positive().max(1_000).optional(),
  }),
] as const;

/** Faults of a request or its response in transit. */
const messageRules = [
  /** The connection breaks before the venue receives the request. */
  rule('lost-request', {}),
  /** The connection breaks after the venue has carried out the request. */
  rule('lost-response', {}),
  /** The request is delivered twice, `ms` apart; the caller receives one of the two responses. */
  rule('duplicate', { ms: day.default(50), heard: z.enum(['first', 'second']).default('first') }),
  /** The response arrives `ms` late. */
  rule('delay', { ms: day }),
  /** A gateway responds instead of the venue. */
  rule('status', { status: z.int().min(400).max(599), processed }),
  /** HTTP 200 with a web page. */
  rule('html', { processed }),
  /** A redirect, before the venue receives the request. */
  rule('redirect', { status: z.literal([301, 302, 303, 307, 308]).default(307), location: z.url() }),
  /** Any text as the body of the response. */
  rule('body', {
    text: z.string().max(1_000_000),
    status: z.int().min(200).max(599).default(200),
    contentType: z.string().default('application/json; charset=utf-8'),
    processed,
  }),
  /** Only the first bytes of the response's body. */
  rule('truncate', { bytes: z.int().min(0) }),
  /** Sets or removes the value at a path of the response's body. */
  rule('edit', { path: z.string().min(1), value: z.json().optional(), remove: z.literal(true).optional() }),
  /** Refuses too many requests; with `processed` the venue still carries out the request. */
  rule('429', { retryAfter: z.string().optional(), processed: z.boolean().optional() }),
  /**
   * The node refuses to answer, in its client's words: too many requests, overload, an internal error, or pruned state.
   * `processed`: it has carried out the request first.
   */
  rule('busy-node', { why: z.enum(BUSY), processed: z.boolean().default(false) }),
  /** A value of the response is replaced by `depth` nested arrays. */
  rule('nested', { path: z.string().min(1), depth: z.int().min(1).max(8_000_000) }),
  ...venueRules,
] as const;

export type MessageRule = z.output<(typeof messageRules)[number]>;
/** Fault of the transaction that a request sent. */
export type ChainRule = z.output<(typeof chainRules)[number]> | ChainLie;
/** Fault of the order that a request places or cancels. */
export type OrderRule = z.output<(typeof orderRules)[number]> | OrderLie;

export const faultRule = z.discriminatedUnion('kind', [
  ...messageRules,
  ...chainRules,
  ...chainLies,
  ...orderRules,
  ...orderLies,
]);
export type FaultRule = z.output<typeof faultRule>;

/** Layers of faults; in each, the first triggered rule applies. */
export type Layer = 'message' | 'chain' | 'order';

/** Kinds of rules for the venue alone. */
export const VENUE_ALONE: readonly string[] = venueRules.map(({ shape }) => shape.kind.value);

const CHAIN: readonly string[] = [...chainRules, ...chainLies].map(({ shape }) => shape.kind.value);
const ORDER: readonly string[] = [...orderRules, ...orderLies].map(({ shape }) => shape.kind.value);

export const layerOf = ({ kind }: FaultRule): Layer =>
  CHAIN.includes(kind) ? 'chain' : ORDER.includes(kind) ? 'order' : 'message';
