import { z } from 'zod';

/** Milliseconds, up to a day. */
export const day = z.int().min(1).max(86_400_000);

/** When and where a rule holds. */
const common = {
  /** Target: the venue, or the node of the chain. */
  on: z.enum(['venue', 'node']).optional(),
  /**
   * Method and path as the venue lists them, `POST /api/v1/orders/send`, or a method of the node, `eth_getLogs`; every
   * one when absent.
   */
  endpoint: z.string().optional(),
  /** Probability for each request that meets the rule. */
  probability: z.number().min(0).max(1).default(1),
  /** Requests that meet the rule and pass before it applies. */
  after: z.int().min(1).optional(),
  /** Times the rule may be triggered. */
  times: z.int().min(1).optional(),
  /** From this instant on, and before that one. */
  from: z.iso.datetime().optional(),
  until: z.iso.datetime().optional(),
};

/** Reasons for which a node refuses to answer that have nothing to do with the question. */
export const BUSY = ['rateLimited', 'overloaded', 'internal', 'pruned'] as const;

const chainRules = [
  /** The transaction leaves the mempool again: no block ever has it. */
  z.strictObject({ kind: z.literal('unmined'), ...common }),
  /** The transaction waits so many ms longer for its block, and with it those that its wallet sends after it. */
  z.strictObject({ kind: z.literal('mined-late'), ms: day, ...common }),
  /** The transaction is mined and changes nothing, for this reason. `out of gas` uses up all of its gas. */
  z.strictObject({ kind: z.literal('revert'), cause: z.string().min(1).max(200), ...common }),
] as const;

/** Above 0, up to all of it. */
const share = z.number().min(0).max(1);

const orderRules = [
  /** Settles so many ms later than usual; of a cancel: the order stays `canceling` so much longer. */
  z.strictObject({ kind: z.literal('settle-late'), ms: day, ...common }),
  /** No more than this share of it ever executes. */
  z.strictObject({ kind: z.literal('settle-partly'), share, ...common }),
  /** Settles in so many parts, one every so many ms. */
  z.strictObject({
    kind: z.literal('settle-in-parts'),
    parts: z.int().min(2).max(20),
    everyMs: day,
    ...common,
  }),
  /** Is taken back so many ms after it has settled, and settles again so many later, or never. */
  z.strictObject({ kind: z.literal('settle-reversed'), ms: day, againMs: day.optional(), ...common }),
  /** Milliseconds after its settlement at which the indexer reports another price and transaction of it. */
  z.strictObject({ kind: z.literal('settle-restated'), ms: day, ...common }),
  /** Balances move this many ms after the indexer could show it. */
  z.strictObject({ kind: z.literal('balance-late'), ms: day, ...common }),
  /** The indexer shows it this many ms later than it could: balances have moved long before. */
  z.strictObject({ kind: z.literal('status-late'), ms: day, ...common }),
  /** Of a cancel: what is left of the order executes to this share before its block, and nothing else does. */
  z.strictObject({ kind: z.literal('cancel-race'), filled: share, ...common }),
] as const;

/** A false statement ends so many ms after the send that it is about; without it, never. */
const forMs = day.optional();
const wad = z.string().regex(/^\d{1,60}(\.\d{1,18})?$/, 'must be a decimal number such as 12.5');

/** False statements of the venue about an order; money and stock move as they would. */
const orderLies = [
  /** The order is shown as ended without a fill, from `afterMs` after its send on. */
  z.strictObject({
    kind: z.literal('false-end'),
    word: z.enum(['Failed', 'Rejected', 'Canceled']),
    afterMs: z.int().min(0).max(86_400_000).default(0),
    forMs,
    ...common,
  }),
  /** Its settlement is shown with other figures: those that are given. */
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
   * `reverted`: its receipt has status 0x0 and no logs, in a block that is `depth` blocks older than its own. `missing`: it has no
   * receipt, and the node does not know it.
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

/** Answers that say what is not so. */
const messageLies = [
  /** The venue does what was asked, and answers that it refused it. */
  z.strictObject({
    kind: z.literal('false-refusal'),
    text: z.string().min(1).max(1_000).default('deadline has expired'),
    code: z.int().default(10_002),
    ...common,
  }),
  /** A stock is listed with the contract of `as`, or with other decimals. */
  z.strictObject({
    kind: z.literal('false-listing'),
    symbol: z.string().min(1).max(20),
    as: z.string().min(1).max(20).optional(),
    decimals: decimals.optional(),
    onChainDecimals: decimals.optional(),
    ...common,
  }),
  /** At a path of the answer stands an array in an array, and so on, `depth` of them. */
  z.strictObject({
    kind: z.literal('nested'),
    path: z.string().min(1),
    depth: z.int().min(1).max(8_000_000),
    ...common,
  }),
] as const;

export type OrderLie = z.output<(typeof orderLies)[number]>;
export type ChainLie = z.output<(typeof chainLies)[number]>;

/** True when the venue processes the request before the answer is corrupted. */
const processed = z.boolean().default(true);

/** Other forms in which an answer can be worded. */
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

/** Faults of a request or its answer on the way. */
const messageRules = [
  /** The connection breaks before the venue has the request. */
  z.strictObject({ kind: z.literal('lost-request'), ...common }),
  /** The connection breaks, and the request comes to the venue so many ms later all the same. */
  z.strictObject({ kind: z.literal('late-request'), ms: day, ...common }),
  /** The connection breaks after the venue has done what was asked. */
  z.strictObject({ kind: z.literal('lost-response'), ...common }),
  /** Network or gateway deliver the request a second time, so many ms later; the caller hears one of the two answers. */
  z.strictObject({
    kind: z.literal('duplicate'),
    ms: day.default(50),
    heard: z.enum(['first', 'second']).default('first'),
    ...common,
  }),
  /** The answer comes so many ms later. */
  z.strictObject({ kind: z.literal('delay'), ms: day, ...common }),
  /** The answer begins at once, and its second half takes so many ms. */
  z.strictObject({ kind: z.literal('slow-body'), ms: day, ...common }),
  /** Answers of the kind 1xx come before the real one. */
  z.strictObject({ kind: z.literal('interim'), ...common }),
  /** A gateway's answer instead of the venue's. */
  z.strictObject({ kind: z.literal('status'), status: z.int().min(400).max(599), processed, ...common }),
  /** HTTP 200 with a web page. */
  z.strictObject({ kind: z.literal('html'), processed, ...common }),
  /** Sent elsewhere, before the venue has it. */
  z.strictObject({
    kind: z.literal('redirect'),
    status: z.literal([301, 302, 303, 307, 308]).default(307),
    location: z.url(),
    ...common,
  }),
  /** Any text instead of the answer's body. */
  z.strictObject({
    kind: z.literal('body'),
    text: z.string().max(1_000_000),
    status: z.int().min(200).max(599).default(200),
    contentType: z.string().default('application/json; charset=utf-8'),
    processed,
    ...common,
  }),
  /** Only the first bytes of the answer's body. */
  z.strictObject({ kind: z.literal('truncate'), bytes: z.int().min(0), ...common }),
  /** Sets what stands at a path of the answer's body, or takes it out. */
  z.strictObject({
    kind: z.literal('edit'),
    path: z.string().min(1),
    value: z.json().optional(),
    remove: z.literal(true).optional(),
    ...common,
  }),
  /**
   * Says the same of orders, their links and balances in another form, or less of it: hex in upper case, order ids without
   * their 0x, times in ms, amounts as numbers or with all their places, fields that are optional left out, the order itself
   * left out, amounts that are none. `share` of what can be.
   */
  z.strictObject({
    kind: z.literal('form'),
    how: z.enum(FORMS),
    share: z.number().min(0).max(1).default(1),
    ...common,
  }),
  /** Refused for the number of requests; with `processed` the venue counts too late and does what was asked. */
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
   * The node refuses to answer, in the words of its client: too many requests, too much to do, an error of its own, state that it
   * has thrown away. `processed`: it has done what was asked before.
   */
  z.strictObject({
    kind: z.literal('busy-node'),
    why: z.enum(BUSY),
    processed: z.boolean().default(false),
    ...common,
  }),
  /** A send succeeds, and its answer does not name the transaction. */
  z.strictObject({ kind: z.literal('no-hash'), ...common }),
  /** A send succeeds, and its answer names the transaction of the previous send. */
  z.strictObject({ kind: z.literal('other-hash'), ...common }),
  /**
   * The pages of a list do not fit together: `rows` of the newest, or the one of `txHash`. `endless`: there is another page
   * after each, full of orders that nobody has sent.
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
/** Fault of the order that a request has placed or is to cancel. */
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
