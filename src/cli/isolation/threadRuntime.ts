import { InvalidValueError, messageOf } from '../../core/errors.ts';
import type { Bar } from '../../domain/bar.ts';
import type { HookCall, RuntimeContext, StrategyRuntime } from '../../engine/strategyRuntime.ts';
import type { Orders, StrategyHooks } from '../../strategy/contract.ts';
import type { Answer, ThreadMessage, StateUpdate, Task } from './messages.ts';
import type { IsolationLimits, Patience, StrategyWorker } from './strategyWorker.ts';
import { errorFrom } from './errorData.ts';

type OrderCall = Extract<ThreadMessage, { kind: 'order' }>;
type Done = Extract<ThreadMessage, { kind: 'done' }>;

/** Runs a strategy in a thread of its own. Hooks are waited for; orders are taken in the middle of them. */
export class ThreadRuntime implements StrategyRuntime {
  readonly #worker: StrategyWorker;
  readonly #limits: IsolationLimits;
  readonly #context: RuntimeContext;
  #hooks: ReadonlySet<keyof StrategyHooks> = new Set();
  #state: Exclude<StateUpdate, null> = { text: '{}' };
  /** The thread has ended, and has been blamed for it: what it kept last is its state. */
  #hasEnded = false;

  constructor(worker: StrategyWorker, limits: IsolationLimits, context: RuntimeContext) {
    this.#worker = worker;
    this.#limits = limits;
    this.#context = context;
  }

  build(state: string): void {
    this.#state = { text: state };
    this.#context.feed.restart();
    const patience = { what: 'create', ms: this.#limits.startMs, setting: 'startSeconds' };
    this.#do({ kind: 'build', state }, patience);
  }

  has(hook: keyof StrategyHooks): boolean {
    return this.#hooks.has(hook);
  }

  call(call: HookCall): void {
    if (!this.has(call.hook)) return;
    this.#do({ kind: 'call', call, view: this.#context.feed.next() }, this.#patienceFor(call.hook));
  }

  bar(bar: Bar): void {
    this.call({ hook: 'onBar', bar });
  }

  warm(bar: Bar): void {
    if (!this.has('onBar')) return;
    this.#do({ kind: 'warm', bar, view: this.#context.feed.next() }, this.#patienceFor('onBar'));
  }

  settle(): void {
    this.#do({ kind: 'settle' }, this.#patienceFor('what its hooks left to run'));
  }

  state(): string {
    if (!this.#hasEnded) this.#guarded(() => this.#worker.check());
    if ('problem' in this.#state) throw new InvalidValueError(this.#state.problem);
    return this.#state.text;
  }

  #patienceFor(what: string): Patience {
    return { what, ms: this.#limits.hookMs, setting: 'hookSeconds' };
  }

  #do(task: Task, patience: Patience): void {
    const done = this.#guarded(() => {
      this.#worker.start(task, patience);
      return this.#serve();
    });
    this.#finish(done);
  }

  /** Takes the orders of a hook until it is done. */
  #serve(): Done {
    for (;;) {
      const message = this.#worker.nextMessage();
      if (message.kind === 'done') return message;
      if (message.kind !== 'order')
        throw this.#worker.fail(`its thread sent "${message.kind}" during a hook`);
      this.#worker.answer(this.#answerTo(message));
    }
  }

  /** A failure here is the thread's. */
  #guarded<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      this.#hasEnded = true;
      throw error;
    }
  }

  #finish({ hooks, state, isLate, memory, thrown }: Done): void {
    if (hooks) this.#hooks = new Set(hooks);
    if (state) this.#state = checked(state);
    if (isLate) this.#context.noteLate();
    if (memory !== null) this.#guarded(() => this.#worker.checkMemory(memory));
    if (thrown) throw errorFrom(thrown);
  }

  #answerTo(ordered: OrderCall): Answer {
    const { order, feed } = this.#context;
    try {
      const id = place(order, ordered);
      return { view: feed.next(), id: id ?? '' };
    } catch (error) {
      const isInvalid = error instanceof InvalidValueError;
      return { view: feed.next(), refused: messageOf(error), isInvalid };
    }
  }
}

/** Repeats the strategy's call here, where its terms are checked like those of any strategy. */
function place(order: Orders, { verb, args }: OrderCall): string | undefined {
  const call = order[verb].bind(order) as (...args: readonly unknown[]) => string | undefined;
  return call(...args);
}

/** A state must be an object, whatever the thread says. */
function checked(state: Exclude<StateUpdate, null>): Exclude<StateUpdate, null> {
  if ('problem' in state) return state;
  try {
    const value: unknown = JSON.parse(state.text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return state;
  } catch {
    // Reported below.
  }
  return { problem: 'the state is not an object of plain JSON' };
}
