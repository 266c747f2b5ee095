import type { MessagePort } from 'node:worker_threads';
import type { Bar } from '../../domain/bar.ts';
import type { HookCall } from '../../engine/strategy/strategyRuntime.ts';
import type { ViewData } from '../../engine/strategy/viewData.ts';
import type { StrategyHooks, StrategyDefinition } from '../../strategy/contract.ts';
import type { PlotPlace } from '../../domain/plots.ts';
import type { LogFields } from '../../strategy/shown.ts';
import { messageOf } from '../../core/errors.ts';
import { suggest } from '../../core/suggest.ts';

/** Data with which a thread of strategies is started. */
export type ThreadData = Readonly<{
  port: MessagePort;
  /** Closed with the thread: the other end notices at once. */
  life: MessagePort;
  /** Receives each text that a strategy prints, immediately. */
  output: MessagePort;
  /** Words that both sides read and write, and wait on: see `SIGNAL`. */
  signals: SharedArrayBuffer;
  /** Maximum memory that its strategies may need together, in bytes. */
  maxBytes: number;
  /** Code of `drover/strategy` and zod for each compartment. */
  platform: string;
}>;

/** Code of a strategy. */
export type StrategyCode = Readonly<{
  /** The strategy and all else that it imports. */
  code: string;
  /** File name in stack traces. */
  name: string;
}>;

/** Index of a word in the signals. */
export const SIGNAL = {
  /** 1 when the thread has sent a message. */
  message: 0,
  /** 1 once an order call has its response. */
  answered: 1,
  /** Memory that the thread holds, in KiB, by its latest report. */
  heldKb: 2,
  /** Reports so far. */
  reports: 3,
  /** Size of the printed texts that nobody has taken yet: see `sizeOf`. */
  printed: 4,
  /** Number of the latest task that has begun. */
  begun: 5,
} as const;

/** A task for the thread. One at a time; each ends with `done`, `loaded` or `unfit`. */
export type Task = Readonly<
  | ({ kind: 'load'; params: unknown } & StrategyCode)
  | { kind: 'build'; state: string }
  | { kind: 'call'; call: HookCall; view: ViewData }
  | { kind: 'warm'; bar: Bar; view: ViewData }
  /** Done once everything that was left to run in the thread has run. */
  | { kind: 'settle' }
>;

/** A task of one strategy of the thread, with its number. Numbers grow. */
export type Assignment = Readonly<{ strategy: string; number: number; task: Task }>;

/** A text that a strategy of the thread prints. */
export type PrintedText = Readonly<{ strategy: string; text: string }>;

export const ORDER_VERBS = [
  'buy',
  'sell',
  'limit',
  'target',
  'rebalance',
  'stop',
  'trail',
  'bracket',
  'oco',
  'work',
  'replace',
  'adjust',
  'cancel',
] as const;
export type OrderVerb = (typeof ORDER_VERBS)[number];

/** An error thrown by a strategy, as data. `name` is null for a value that is not an error. */
type ErrorData = Readonly<{ name: string | null; message: string; stack: string }>;

/** Result of an order call, for which the hook waits, and the view after it. */
export type Answer = Readonly<
  { view: ViewData } & (
    | { id: string }
    /** `isInvalid`: its terms are invalid; otherwise something failed in the engine. */
    | { refused: string; isInvalid: boolean }
  )
>;

/** Value of a series, with its place. */
type PlottedValue = PlotPlace & Readonly<{ name: string; value: number }>;

/** State after a hook: nothing if it is unchanged. */
export type StateUpdate = Readonly<{ text: string } | { problem: string }> | null;

/** A message from the thread. */
export type ThreadMessage = Readonly<
  /** An order call inside a hook, which waits for the response. */
  | { kind: 'order'; verb: OrderVerb; args: readonly unknown[] }
  /** A line for the log, written inside a hook, which waits for the response. */
  | { kind: 'log'; text: string; fields?: LogFields | undefined }
  | {
      kind: 'done';
      thrown: ErrorData | null;
      state: StateUpdate;
      /** Values that it has plotted, the last of each series. */
      plots: readonly PlottedValue[];
      /** The names of its hooks, once it is built. */
      hooks: readonly (keyof StrategyHooks)[] | null;
      /** True after a call of `order` outside a hook. */
      isLate: boolean;
      /** Memory of the thread in bytes, on its heap and outside; null if it was not measured. */
      memory: number | null;
    }
  | { kind: 'loaded'; name: string; description: string; params: unknown; needs: unknown }
  | { kind: 'unfit'; why: Unfit }
  /** A rejection that nobody handled, of the strategy that ran last. */
  | { kind: 'crashed'; strategy: string; thrown: ErrorData }
>;

/** Reason why a strategy cannot be used. */
export type Unfit = Readonly<
  | { kind: 'throws'; thrown: ErrorData }
  | { kind: 'shape'; problems: readonly string[]; hasDefault: boolean }
  | { kind: 'params'; issues: readonly unknown[]; schema: unknown }
  | { kind: 'data'; thrown: ErrorData }
>;

/** Node's text for the rejection of a promise that nobody waits for, by a value that is not an Error. */
const REASON = /The promise rejected with the reason (.*)\.$/s;

/** Text of an uncaught error; in plain words where a promise was rejected with something that is no Error. */
export function uncaughtText(thrown: unknown): string {
  const text = messageOf(thrown);
  if (!isRejection(thrown)) return text;
  const [, reason = text] = REASON.exec(text) ?? [];
  return `a promise that nobody waits for was rejected with ${reason}, which has no line: reject with an Error`;
}

/** True for Node's own error about such a rejection. */
export const isRejection = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_UNHANDLED_REJECTION';

/** Maximum number of characters of an error's name, message and stack that leave the thread. */
export const NAME_MAX = 100;
export const MESSAGE_MAX = 10_000;
export const STACK_MAX = 20_000;
/** Maximum number of characters of a printed text that leave the thread: more than are shown of all texts in a minute. */
export const PRINT_MAX = 100_000;
/** Largest size of printed texts that nobody has taken: with more, the thread waits. */
export const UNREAD_MAX = 1_000_000;
/** A text's share of it; also an empty one has one. */
export const sizeOf = (text: string): number => text.length + 1;

/** Whatever the types say, the fields of an error may be anything. */
const textOf = (value: unknown, longest: number): string =>
  typeof value === 'string' ? value.slice(0, longest) : '';

/** Turns any thrown value into data. Never throws itself. */
export function errorData(thrown: unknown): ErrorData {
  try {
    const isError = thrown instanceof Error;
    return {
      name: isError ? textOf(thrown.name, NAME_MAX) : null,
      message: textOf(uncaughtText(thrown), MESSAGE_MAX),
      stack: isError ? textOf(thrown.stack, STACK_MAX) : '',
    };
  } catch {
    return { name: null, message: messageOf(thrown), stack: '' };
  }
}

/** Restores the error, with a stack that has its place in the source. A value that was no error becomes its text. */
export function errorFrom({ name, message, stack }: ErrorData): unknown {
  if (name === null) return message;
  const error = new Error(message);
  error.name = name;
  error.stack = stack;
  return error;
}

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isFunction = (value: unknown) =>
  typeof value === 'function' && value.constructor.name !== 'AsyncFunction';
const isSchema = (value: unknown) => typeof value === 'object' && value !== null && '_zod' in value;

const PARTS: readonly Readonly<{
  name: keyof StrategyDefinition;
  is: (value: unknown) => boolean;
  what: string;
}>[] = [
  { name: 'name', is: isText, what: 'a text' },
  { name: 'description', is: isText, what: 'a text' },
  { name: 'params', is: isSchema, what: 'a schema of zod 4' },
  { name: 'data', is: isFunction, what: 'a function that is not async' },
  { name: 'create', is: isFunction, what: 'a function that is not async' },
];

/** Reasons why the default export of a file is not a strategy; empty when it is one. */
export function shapeProblems(exported: unknown): string[] {
  if (typeof exported !== 'object' || exported === null)
    return [`it is ${exported === null ? 'null' : `a ${typeof exported}`}`];
  const parts = exported as Readonly<Record<string, unknown>>;
  const wrong = PARTS.filter(({ name, is }) => !is(parts[name]));
  return [
    ...wrong.map(({ name, what }) => `${name} must be ${what}`),
    ...Object.keys(parts).flatMap(misspelt),
  ];
}

/** Parts that a strategy may have; `signals` is of `defineSignals`. */
const KNOWN: readonly string[] = [...PARTS.map(({ name }) => name), 'signals'];

/** A name that is close to one of these; what else a strategy carries, such as a version, is its own. */
function misspelt(key: string): string[] {
  const near = KNOWN.includes(key) ? undefined : suggest(key, KNOWN);
  return near === undefined
    ? []
    : [`it has ${JSON.stringify(key)}, which nothing reads: did you mean ${near}?`];
}
