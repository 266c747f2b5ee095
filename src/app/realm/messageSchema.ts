import { z } from 'zod';
import { HOOK_NAMES } from '../../engine/strategy/hooks.ts';
import { SERIES_MAX } from '../../engine/strategy/plotBuffer.ts';
import type { StrategyHooks } from '../../strategy/contract.ts';
import { ORDER_VERBS, MESSAGE_MAX, NAME_MAX, STACK_MAX } from './messages.ts';

/** Maximum number of characters in a text of an order, and of names in one of its objects. */
const TEXT_MAX = 10_000;
const NAMES_MAX = 5_000;
/** Maximum number of characters of a state. States that are saved must be smaller. */
const STATE_MAX = 2_000_000;
/** Maximum number of issues of parameters, problems of a definition and the like. */
const LIST_MAX = 1_000;

const text = z.string().max(TEXT_MAX);

/** A number may be NaN or infinite: the engine refuses it with an error that names it. */
const number = z.custom<number>((value) => typeof value === 'number');
const primitive = z.union([text, number, z.boolean(), z.bigint(), z.null(), z.undefined()]);

const name = z.string().max(100);
const tooMany = { error: `more than ${NAMES_MAX} names` };
const isSmall = (fields: object) => Object.keys(fields).length <= NAMES_MAX;

/** A flat object: weights, or the orders to cancel. */
const flat = z.record(name, primitive).refine(isSmall, tooMany);

/** Terms of an order, such as a bracket with two take-profits: at most three levels. The engine checks their meaning. */
const part = z.record(name, z.union([primitive, flat]));
const terms = z
  .record(name, z.union([primitive, part, z.array(z.union([primitive, flat])).max(10)]))
  .refine(isSmall, tooMany);

/** `name` is null for a thrown value that is not an error. */
const thrown = z.strictObject({
  name: z.string().max(NAME_MAX).nullable(),
  message: z.string().max(MESSAGE_MAX),
  stack: z.string().max(STACK_MAX),
});

const unfit = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('throws'), thrown }),
  z.strictObject({
    kind: z.literal('shape'),
    problems: z.array(text).max(LIST_MAX),
    hasDefault: z.boolean(),
  }),
  z.strictObject({
    kind: z.literal('params'),
    issues: z.array(z.unknown()).max(LIST_MAX),
    schema: z.unknown(),
  }),
  z.strictObject({ kind: z.literal('data'), thrown }),
]);

/** Messages that a thread may send. None is trusted: the strategy may control its thread. */
const messageSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('done'),
    thrown: thrown.nullable(),
    state: z
      .union([
        z.strictObject({ text: z.string().max(STATE_MAX) }),
        z.strictObject({ problem: z.string().max(MESSAGE_MAX) }),
      ])
      .nullable(),
    plots: z
      .array(z.strictObject({ name, value: number, symbol: name.optional(), panel: name.optional() }))
      .max(SERIES_MAX),
    hooks: z
      .array(z.enum(HOOK_NAMES as readonly [keyof StrategyHooks]))
      .max(HOOK_NAMES.length)
      .nullable(),
    isLate: z.boolean(),
    memory: z.number().nullable(),
  }),
  z.strictObject({
    kind: z.literal('order'),
    verb: z.enum(ORDER_VERBS),
    args: z.tuple([
      z.union([primitive, flat]).optional(),
      z.union([primitive, terms]).optional(),
      z.union([primitive, flat]).optional(),
    ]),
  }),
  z.strictObject({
    kind: z.literal('log'),
    text,
    fields: z.record(text, z.union([text, z.number(), z.boolean(), z.null()])).optional(),
  }),
  z.strictObject({
    kind: z.literal('loaded'),
    name: text,
    description: text,
    params: z.unknown(),
    needs: z.unknown(),
  }),
  z.strictObject({ kind: z.literal('unfit'), why: unfit }),
  z.strictObject({ kind: z.literal('crashed'), strategy: text, thrown }),
]);

/** A message with the number of its task. */
export const envelopeSchema = z.strictObject({ number: z.int(), message: messageSchema });
