import { z } from 'zod';
import { BUSY } from '../chain/clientWords.ts';
import { chainRules, orderRules } from './chainRules.ts';
import { common, day } from './common.ts';
import { chainLies, messageLies, orderLies, type ChainLie, type OrderLie } from './lies.ts';

/** Whether the venue takes the request before the answer is spoiled. */
const processed = z.boolean().default(true);

/** Other forms in which an answer can be worded. */
export const FORMS = [
  ...(['upper-case', 'bare', 'milliseconds', 'numeric', 'padded'] as const),
  ...(['untold', 'link-only', 'garbled'] as const),
] as const;

/** What happens to a request or its answer on the way. */
const messageRules = [
  /** The connection breaks before the venue has the request. */
  z.strictObject({ kind: z.literal('lost-request'), ...common }),
  /** The connection breaks, and the request comes to the venue so many ms later all the same. */
  z.strictObject({ kind: z.literal('late-request'), ms: day, ...common }),
  /** The connection breaks after the venue has done what was asked. */
  z.strictObject({ kind: z.literal('lost-response'), ...common }),
  /** Network or gateway deliver the request a second time, so many ms later; the caller hears one of the two answers. */
  z.strictObject({
    ...{ kind: z.literal('duplicate'), ms: day.default(50) },
    ...{ heard: z.enum(['first', 'second']).default('first'), ...common },
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
    ...{ processed, ...common },
  }),
  /** Only the first bytes of the answer's body. */
  z.strictObject({ kind: z.literal('truncate'), bytes: z.int().min(0), ...common }),
  /** Sets what stands at a path of the answer's body, or takes it out. */
  z.strictObject({
    ...{ kind: z.literal('edit'), path: z.string().min(1), value: z.json().optional() },
    ...{ remove: z.literal(true).optional(), ...common },
  }),
  /**
   * Says the same of orders, their links and balances in another form, or less of it: hex in upper case, order ids without
   * their 0x, times in ms, amounts as numbers or with all their places, fields that are optional left out, the order itself
   * left out, amounts that are none. `share` of what can be.
   */
  z.strictObject({
    kind: z.literal('form'),
    how: z.enum(FORMS),
    ...{ share: z.number().min(0).max(1).default(1), ...common },
  }),
  /** Refused for the number of requests; `processed` tells of a venue that counts too late. */
  z.strictObject({
    ...{ kind: z.literal('429'), retryAfter: z.string().optional() },
    ...{ processed: z.boolean().optional(), ...common },
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
  /** A send succeeds, and its answer does not tell the transaction. */
  z.strictObject({ kind: z.literal('no-hash'), ...common }),
  /** A send succeeds, and its answer tells the transaction of the send before it. */
  z.strictObject({ kind: z.literal('other-hash'), ...common }),
  /**
   * The pages of a list do not fit together: `rows` of the newest, or the one of `txHash`. `endless`: there is another page
   * after each, full of orders that nobody has sent.
   */
  z.strictObject({
    kind: z.literal('list'),
    how: z.enum(['shuffle', 'shift', 'repeat', 'vanish', 'endless']),
    rows: z.int().min(-100).max(100).default(1),
    ...{ txHash: z.string().optional(), ...common },
  }),
  ...messageLies,
] as const;

export type MessageRule = z.output<(typeof messageRules)[number]>;
/** What becomes of the transaction that a request has had sent. */
export type ChainRule = z.output<(typeof chainRules)[number]> | ChainLie;
/** What becomes of the order that a request has placed or is to cancel. */
export type OrderRule = z.output<(typeof orderRules)[number]> | OrderLie;

export const faultRule = z.discriminatedUnion('kind', [
  ...messageRules,
  ...chainRules,
  ...chainLies,
  ...orderRules,
  ...orderLies,
]);
export type FaultRule = z.output<typeof faultRule>;

/** Of each layer the first rule that strikes counts. */
export type Layer = 'message' | 'chain' | 'order';

const CHAIN: readonly string[] = [...chainRules, ...chainLies].map(({ shape }) => shape.kind.value);
const ORDER: readonly string[] = [...orderRules, ...orderLies].map(({ shape }) => shape.kind.value);

export const layerOf = ({ kind }: FaultRule): Layer =>
  CHAIN.includes(kind) ? 'chain' : ORDER.includes(kind) ? 'order' : 'message';
