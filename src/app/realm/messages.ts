import type { MessagePort } from 'node:worker_threads';
import type { Bar } from '../../domain/bar.ts';
import type { HookCall } from '../../engine/strategy/strategyRuntime.ts';
import type { ViewData } from '../../engine/strategy/viewData.ts';
import type { StrategyHooks, StrategyDefinition } from '../../strategy/contract.ts';
import type { PlotPlace } from '../../domain/plots.ts';
import type { LogFields } from '../../strategy/shown.ts';
import { messageOf } from '../../core/errors.ts';
import { suggest } from '../../core/suggest.ts';

/** Start data of a strategy thread. */
export type ThreadData = Readonly<{
  port: MessagePort;
  /** Closed together with the thread: the other end notices immediately. */
  life: MessagePort;
  /** Receives each text that a strategy prints, immediately. */
  output: MessagePort;
  /** Shared words that both sides read, write and wait on: see `SIGNAL`. */
  signals: SharedArrayBuffer;
  /** Maximum memory of all its strategies together, in bytes. */
  maxBytes: number;
  /** Code of `drover/strategy` and zod for each compartment. */
  platform: string;
}>;

/** Code of a strategy. */
export type StrategyCode = Readonly<{
  /** The strategy with all its other imports. */
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
  /** Memory held by the thread, in KiB, at its latest report. */
  heldKb: 2,
  /** Number of reports so far. */
  reports: 3,
  /** Total size of printed texts that have not been read yet: see `sizeOf`. */
  printed: 4,
  /** Number of the latest task that has begun. */
  begun: 5,
} as const;

/** A task for the thread. Only one runs at a time; each ends with `done`, `loaded` or `unfit`. */
export type Task = Readonly<
  | ({ kind: 'load'; params: unknown } & StrategyCode)
  | { kind: 'build'; state: string }
  | { kind: 'call'; call: HookCall; view: ViewData }
  | { kind: 'warm'; bar: Bar; view: ViewData }
  /** Done once all leftover work in the thread has run. */
  | { kind: 'settle' }
>;

/** A numbered task for one strategy of the thread. Numbers increase. */
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

/** Result of an order call, which the hook waits for, and the view after it. */
export type Answer = Readonly<
  { view: ViewData } & (
    | { id: string }
    /** `isInvalid`: the terms are invalid; otherwise something failed in the engine. */
    | { refused: string; isInvalid: boolean }
  )
>;

/** A value of a series, with its place in the plot. */
type PlottedValue = PlotPlace & Readonly<{ name: string; value: number }>;

/** State after a hook; null if unchanged. */
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
      /** Values plotted, the last one of each series. */
      plots: readonly PlottedValue[];
      /** Names of the strategy's hooks, once created. */
      hooks: readonly (keyof StrategyHooks)[] | null;
      /** True after a call of `order` outside a hook. */
      isLate: boolean;
      /** Memory of the thread in bytes, on its heap and outside; null if it was not measured. */
      memory: number | null;
    }
  | { kind: 'loaded'; name: string; description: string; params: unknown; needs: unknown }
  | { kind: 'unfit'; why: Unfit }
  /** An unhandled rejection, attributed to the strategy that ran last. */
  | { kind: 'crashed'; strategy: string; thrown: ErrorData }
>;

/** Reason why a strategy cannot be used. */
export type Unfit = Readonly<
  | { kind: 'throws'; thrown: ErrorData }
  | { kind: 'shape'; problems: readonly string[]; hasDefault: boolean }
  | { kind: 'params'; issues: readonly unknown[]; schema: unknown }
  | { kind: 'data'; thrown: ErrorData }
>;

/** Node's message for an unhandled promise rejection with a value that is not an Error. */
const REASON = /The promise rejected with the reason (.*)\.$/s;

/** Text of an uncaught error; in plain words for a promise rejected with a value that is not an Error. */
export function uncaughtText(thrown: unknown): string {
  const text = messageOf(thrown);
  if (!isRejection(thrown)) return text;
  const [, reason = text] = REASON.exec(text) ?? [];
  return `a promise that nobody waits for was rejected with ${reason}, which has no line: reject with an Error`;
}

/** True for Node's own error about such a rejection. */
export const isRejection = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_UNHANDLED_REJECTION';

/** Maximum number of characters of an error's name, message and stack sent by the thread. */
export const NAME_MAX = 100;
export const MESSAGE_MAX = 10_000;
export const STACK_MAX = 20_000;
/** Maximum number of characters of a printed text sent by the thread: more than is shown of all texts in a minute. */
export const PRINT_MAX = 100_000;
/** Maximum total size of unread printed texts: beyond it, the thread waits. */
export const UNREAD_MAX = 1_000_000;
/** Share of one text in that total; an empty text counts too. */
export const sizeOf = (text: string): number => text.length + 1;

/** Fields of an error may be anything, whatever their types say. */
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

/** Restores the error, with a stack that shows the place in the source. A value that was no error becomes its text. */
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

/** Reasons why a file's default export is not a strategy; empty if it is one. */
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

/** Parts that a strategy may have; `signals` belongs to `defineSignals`. */
const KNOWN: readonly string[] = [...PARTS.map(({ name }) => name), 'signals'];

/** A name close to one of these, if any; other properties of a strategy, such as a version, are allowed. */
function misspelt(key: string): string[] {
  const near = KNOWN.includes(key) ? undefined : suggest(key, KNOWN);
  return near === undefined
    ? []
    : [`it has ${JSON.stringify(key)}, which nothing reads: did you mean ${near}?`];
}
