import { InvalidValueError, orElse } from '../../core/errors.ts';
import { DataView } from '../../engine/strategy/viewData.ts';
import { PlotBuffer } from '../../engine/strategy/plotBuffer.ts';
import { symbolsOf } from '../../strategy/dataNeeds.ts';
import { logLine } from '../../engine/strategy/strategyLog.ts';
import type { DataNeeds, Orders, StrategyDefinition } from '../../strategy/contract.ts';
import type { Log } from '../../strategy/shown.ts';
import {
  ORDER_VERBS,
  type OrderVerb,
  type StrategyCode,
  type ThreadMessage,
  type StateUpdate,
  type Task,
  type ThreadData,
  type Unfit,
  errorData,
  shapeProblems,
} from '../realm/messages.ts';
import { type ThreadPort, heldBytes } from './threadPort.ts';
import { epochMs } from '../../core/brand.ts';
import type { Bar } from '../../domain/bar.ts';
import { HOOK_NAMES } from '../../engine/strategy/hooks.ts';
import { LocalRuntime, type HookCall } from '../../engine/strategy/strategyRuntime.ts';
import { confinedCode } from '../strategies/confinedHooks.ts';
import { evaluate } from '../realm/compartment.ts';

/** Id returned for a call outside a hook, which places no order. */
const IGNORED = 'ignored';
/** Calls that return nothing. */
const WITHOUT_ID: ReadonlySet<OrderVerb> = new Set(['target', 'rebalance', 'cancel']);

/**
 * Order calls of a strategy in a thread: each goes to the main thread and waits for its result, so that it returns the
 * same id, throws the same error and changes the view as it would without a thread.
 */
class ThreadOrders {
  readonly #port: ThreadPort;
  readonly #view: DataView;
  /** True while a hook runs: the main thread then waits for it, and responds. */
  isOpen = false;
  /** True after a call while no hook was running. */
  isLate = false;

  constructor(port: ThreadPort, view: DataView) {
    this.#port = port;
    this.#view = view;
  }

  /** The order calls. */
  readonly calls = Object.fromEntries(
    ORDER_VERBS.map((verb) => [
      verb,
      (...args: readonly unknown[]) => {
        const id = this.#send(verb, args);
        return WITHOUT_ID.has(verb) ? undefined : id;
      },
    ]),
  ) as unknown as Orders;

  /** Writes a log line. It is validated here, so that errors are thrown here. */
  readonly log: Log = (text, fields) => {
    const line = logLine(text, fields);
    if (this.isOpen) this.#view.take(this.#port.ask({ kind: 'log', ...line }).view);
  };

  #send(verb: OrderVerb, args: readonly unknown[]): string {
    if (!this.isOpen) {
      this.isLate = true;
      return IGNORED;
    }
    const answer = this.#port.ask({ kind: 'order', verb, args });
    this.#view.take(answer.view);
    if ('refused' in answer) throw errorOf(answer);
    return answer.id;
  }
}

const errorOf = ({ refused, isInvalid }: Readonly<{ refused: string; isInvalid: boolean }>): Error =>
  isInvalid ? new InvalidValueError(refused) : new Error(refused);

type ThreadStrategyParts = Readonly<{
  data: Pick<ThreadData, 'platform' | 'maxBytes'>;
  port: ThreadPort;
  /** Id of the strategy. */
  strategy: string;
  code: StrategyCode;
}>;

/** Number of tasks between two measurements of the thread's memory. */
const MEASURE_EVERY = 16;

type DoneMessage = Extract<ThreadMessage, { kind: 'done' }>;

/** One strategy of a thread: performs the tasks from the main thread, and reports each result. */
export class ThreadStrategy {
  readonly #parts: ThreadStrategyParts;
  readonly #view = new DataView();
  readonly #order: ThreadOrders;
  #definition: StrategyDefinition | null = null;
  #params: unknown;
  #needs: DataNeeds = {};
  #runtime: LocalRuntime | null = null;
  #plots: PlotBuffer | null = null;
  /** The state as last reported. */
  #state = '{}';
  #tasks = 0;

  constructor(parts: ThreadStrategyParts) {
    this.#parts = parts;
    this.#order = new ThreadOrders(parts.port, this.#view);
  }

  do(task: Task): void {
    const { port } = this.#parts;
    if (task.kind === 'load') this.#load(task.params);
    else port.send(this.#run(task));
  }

  #load(params: unknown): void {
    const { port } = this.#parts;
    const why = this.#fit(params);
    if (why) return port.send({ kind: 'unfit', why });
    const { name, description } = this.#loaded();
    try {
      this.#needs = this.#loaded().data(this.#params);
      port.send({ kind: 'loaded', name, description, needs: this.#needs, params: cloned(this.#params) });
    } catch (thrown) {
      port.send({ kind: 'unfit', why: { kind: 'data', thrown: errorData(thrown) } });
    }
  }

  #loaded(): StrategyDefinition {
    if (this.#definition) return this.#definition;
    throw new TypeError('the strategy is not loaded');
  }

  /** Reason why the strategy cannot be used with these parameters; null when it can. */
  #fit(params: unknown): Unfit | null {
    const { data, port, strategy, code } = this.#parts;
    try {
      const { exported, jsonSchemaOf } = evaluate(
        { platform: data.platform, code: code.code, name: code.name },
        (text) => port.print({ strategy, text }),
      );
      const problems = shapeProblems(exported);
      if (problems.length > 0) return { kind: 'shape', problems, hasDefault: exported !== undefined };
      const definition = exported as StrategyDefinition;
      const { name, description, params: schema } = definition;
      this.#definition = { name, description, params: schema, ...confinedCode(definition) };
      const parsed = this.#definition.params.safeParse(params);
      if (!parsed.success) return misfit(parsed.error.issues, jsonSchemaOf(this.#definition.params));
      this.#params = parsed.data;
      return null;
    } catch (thrown) {
      return { kind: 'throws', thrown: errorData(thrown) };
    }
  }

  #run(task: Exclude<Task, { kind: 'load' }>): DoneMessage {
    let thrown: unknown;
    let hasThrown = false;
    try {
      this.#perform(task);
    } catch (error) {
      [thrown, hasThrown] = [error, true];
    }
    this.#order.isOpen = false;
    const { isLate } = this.#order;
    this.#order.isLate = false;
    return {
      kind: 'done',
      isLate,
      thrown: hasThrown ? errorData(thrown) : null,
      plots: this.#plotted(),
      hooks: task.kind === 'build' ? this.#hooks() : null,
      state: this.#changedState(),
      memory: this.#measured(),
    };
  }

  #perform(task: Exclude<Task, { kind: 'load' }>): void {
    if (task.kind === 'settle') return;
    if (task.kind === 'build') return this.#build(task.state);
    this.#view.take(task.view);
    this.#order.isOpen = true;
    if (task.kind === 'warm') this.#runtime?.warm(frozen(task.bar), this.#state);
    else if (task.call.hook === 'onBar') this.#runtime?.bar(frozen(task.call.bar));
    else {
      freezeCall(task.call);
      this.#runtime?.call(task.call);
    }
  }

  #build(state: string): void {
    this.#plots ??= new PlotBuffer({
      known: symbolsOf(this.#needs),
      now: () => epochMs(this.#view.now),
      isOpen: () => this.#order.isOpen,
      log: this.#order.log,
    });
    this.#runtime ??= new LocalRuntime(this.#loaded(), this.#params, {
      view: this.#view,
      order: this.#order.calls,
      log: this.#order.log,
      plot: this.#plots.plot,
    });
    this.#state = state;
    this.#view.restart();
    this.#runtime.build(state);
  }

  #hooks(): DoneMessage['hooks'] {
    return HOOK_NAMES.filter((name) => this.#runtime?.has(name));
  }

  /** The state, if it has changed since the last report. */
  #changedState(): StateUpdate {
    try {
      const text = this.#runtime?.state() ?? '{}';
      if (text === this.#state) return null;
      this.#state = text;
      return { text };
    } catch (problem) {
      return { problem: errorData(problem).message };
    }
  }

  #plotted(): DoneMessage['plots'] {
    const taken = this.#plots?.take(epochMs(this.#view.now), true) ?? [];
    return taken.map(({ at: _at, values, ...series }) => ({ ...series, value: values.at(-1) ?? NaN }));
  }

  #measured(): number | null {
    if (this.#tasks++ % MEASURE_EVERY > 0) return null;
    return heldBytes(this.#parts.data.maxBytes);
  }
}

/** As JSON, because an issue may contain values that cannot be sent. */
const misfit = (issues: unknown, schema: unknown): Unfit => ({
  kind: 'params',
  issues: JSON.parse(JSON.stringify(issues)) as unknown[],
  schema,
});

/** A copy for the main thread; null for a value that cannot be sent, such as an instance of a class. */
const cloned = (params: unknown): unknown => orElse((): unknown => structuredClone(params), null);

/** Freezes the arguments of a hook, as happens without a thread. */
function freezeCall(call: HookCall): void {
  if (call.hook === 'onSession') Object.freeze(call.session);
  if (call.hook === 'onSplit') Object.freeze(call.split);
  if (call.hook === 'onDividend') Object.freeze(call.dividend);
  if (call.hook === 'onBars') Object.freeze(call.bars).forEach(frozen);
}

/** Freezes a bar, which other strategies see too. */
const frozen = (bar: Bar): Bar => Object.freeze(bar);
