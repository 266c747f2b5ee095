import type { MessagePort } from 'node:worker_threads';
import type { Bar } from '../../domain/bar.ts';
import type { HookCall } from '../../engine/strategyRuntime.ts';
import type { ViewData } from '../../engine/viewData.ts';
import type { StrategyHooks } from '../../strategy/contract.ts';

/** What the thread of a strategy is started with. */
export type ThreadData = Readonly<{
  port: MessagePort;
  /** Closed with the thread: the other end notices at once. */
  life: MessagePort;
  /** Two words that both sides wait on: see `SIGNAL`. */
  signals: SharedArrayBuffer;
  /** The strategy and all it imports, as one CommonJS module. */
  code: string;
  /** How stack traces name it. */
  name: string;
  /** What its `require` may be asked for: modules that are shared instead of bundled, and built-in ones that are allowed. */
  modules: readonly string[];
  /** Where to import our zod from. */
  zod: string;
  /** Global functions that reach the outside and are left to it. */
  globals: readonly string[];
}>;

/** Index of a word in the signals. */
export const SIGNAL = {
  /** 1 when the thread has said something. */
  said: 0,
  /** 1 when an order of the strategy has been answered. */
  answered: 1,
} as const;

/** What the thread is asked to do. One thing at a time; each ends with `done`, `loaded` or `unfit`. */
export type Task = Readonly<
  | { kind: 'load'; params: unknown }
  | { kind: 'build'; state: string }
  | { kind: 'call'; call: HookCall; view: ViewData }
  | { kind: 'warm'; bar: Bar; view: ViewData }
>;

export const ORDER_VERBS = ['buy', 'sell', 'limit', 'target', 'rebalance', 'cancel'] as const;
export type OrderVerb = (typeof ORDER_VERBS)[number];

/** Something that a strategy threw, as data. `name` is null for what is no error. */
export type Thrown = Readonly<{ name: string | null; message: string; stack: string }>;

/** What an order of a strategy came to, while its hook waits; and what it may know from there on. */
export type Answer = Readonly<
  { view: ViewData } & (
    | { id: string }
    /** `isInvalid`: its words mean nothing; else something failed in the engine. */
    | { refused: string; isInvalid: boolean }
  )
>;

/** The state after a hook: nothing where it is as before. */
export type StateSaid = Readonly<{ text: string } | { problem: string }> | null;

/** What the thread says. */
export type Said = Readonly<
  /** In the middle of a hook, which waits for the answer. */
  | { kind: 'order'; verb: OrderVerb; args: readonly unknown[] }
  | {
      kind: 'done';
      thrown: Thrown | null;
      state: StateSaid;
      /** Its hooks, after it has been built. */
      hooks: readonly (keyof StrategyHooks)[] | null;
      /** `order` was called outside a hook since. */
      isLate: boolean;
      /** Bytes that the thread holds, on its heap and outside; null where it was not measured. */
      memory: number | null;
    }
  | { kind: 'loaded'; name: string; description: string; params: unknown; needs: unknown }
  | { kind: 'unfit'; why: Unfit }
  /** It called `process.exit`. */
  | { kind: 'exited'; code: number }
  /** An error that nobody caught, or a rejection that nobody handled. */
  | { kind: 'crashed'; thrown: Thrown }
>;

/** Why a strategy cannot be used. */
export type Unfit = Readonly<
  | { kind: 'throws'; thrown: Thrown }
  | { kind: 'shape'; problems: readonly string[]; hasDefault: boolean }
  | { kind: 'params'; issues: readonly unknown[]; schema: unknown }
  | { kind: 'data'; thrown: Thrown }
>;
