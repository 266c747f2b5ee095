import type { Bar } from '../domain/bar.ts';
import type { CreateRuntime, HookCall, StrategyRuntime } from '../engine/strategy/strategyRuntime.ts';
import type { Fill, Orders } from '../strategy/contract.ts';
import type { PlotPlace } from '../domain/plots.ts';
import type { Log, LogFields, Plot } from '../strategy/shown.ts';

/** An order intent as given by the strategy: the verb of `order`, then its arguments without the reason. */
export type Intent = readonly [verb: keyof Orders, ...terms: unknown[]];

/** Line logged by the strategy. */
export type LogEntry = Readonly<{ text: string; fields?: LogFields }>;

/** Value plotted by the strategy. */
export type PlotEntry = Readonly<{ name: string; value: number }> & PlotPlace;

/** Index of the reason among a verb's arguments; for verbs not listed it is the third argument. */
const REASON_AT: Readonly<Partial<Record<keyof Orders, number>>> = { cancel: 1 };

/** Everything that a strategy receives and does, over all its restarts, except the warm-up. */
export class Transcript {
  readonly heard: HookCall[] = [];
  readonly intents: Intent[] = [];
  readonly fills: Fill[] = [];
  readonly logged: LogEntry[] = [];
  readonly plotted: PlotEntry[] = [];
  /** Error thrown by a hook, until it is taken. */
  thrown: unknown = null;
  #isWarming = false;

  /** Runtime that records each hook call and each order intent. */
  recording(create: CreateRuntime): CreateRuntime {
    return (context) => {
      const log: Log = (text, fields) => {
        context.log(text, fields);
        if (!this.#isWarming) this.logged.push({ text, ...(fields === undefined ? {} : { fields }) });
      };
      const plot: Plot = (name, value, place) => {
        context.plot(name, value, place);
        if (!this.#isWarming) this.plotted.push({ name, value, ...place });
      };
      return this.#noting(create({ ...context, log, plot, order: this.#listening(context.order) }));
    };
  }

  #noting(inner: StrategyRuntime): StrategyRuntime {
    const bar = (finished: Bar) => {
      this.heard.push({ hook: 'onBar', bar: finished });
      this.#watched(() => inner.bar(finished));
    };
    return {
      build: (state, isAfresh) => this.#watched(() => inner.build(state, isAfresh)),
      isInThread: inner.isInThread,
      get lost() {
        return inner.lost;
      },
      // Every hook is called and recorded, even if the strategy does not have it.
      has: () => true,
      call: (call) => {
        this.heard.push(call);
        if (call.hook === 'onFill') this.fills.push(call.fill);
        this.#watched(() => inner.call(call));
      },
      bar,
      warm: (old, before) => {
        this.#isWarming = true;
        this.#watched(() => inner.warm(old, before));
        this.#isWarming = false;
      },
      settle: () => this.#watched(() => inner.settle()),
      state: () => inner.state(),
    };
  }

  #watched(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.thrown ??= error;
      throw error;
    }
  }

  /** `order` with recording of each verb. A refused call is not recorded. */
  #listening(order: Orders): Orders {
    return new Proxy(order, {
      get: (target, name) => {
        const verb = name as keyof Orders;
        const call: unknown = Reflect.get(target, verb, target);
        if (typeof call !== 'function') return call;
        return (...terms: unknown[]): unknown => {
          const answer: unknown = Reflect.apply(call, target, terms);
          if (!this.#isWarming) this.intents.push([verb, ...terms.slice(0, REASON_AT[verb] ?? 2)]);
          return answer;
        };
      },
    });
  }
}
