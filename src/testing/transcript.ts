import type { Bar } from '../domain/bar.ts';
import type { CreateRuntime, HookCall, StrategyRuntime } from '../engine/strategy/strategyRuntime.ts';
import type { Fill, Orders } from '../strategy/contract.ts';
import type { PlotPlace } from '../domain/plots.ts';
import type { Log, LogFields, Plot } from '../strategy/shown.ts';

/** An order intent as the strategy uttered it: the verb of `order`, then its arguments without the reason. */
export type Intent = readonly [verb: keyof Orders, ...terms: unknown[]];

/** Line that the strategy has logged. */
export type LogEntry = Readonly<{ text: string; fields?: LogFields }>;

/** Value that the strategy has plotted. */
export type PlotEntry = Readonly<{ name: string; value: number }> & PlotPlace;

/** Positions of the reason among the arguments of each verb; of those not named here it is the third. */
const REASON_AT: Readonly<Partial<Record<keyof Orders, number>>> = { cancel: 1 };

/** Everything that a strategy hears and says, over all its restarts. The warm-up is left out. */
export class Transcript {
  readonly heard: HookCall[] = [];
  readonly intents: Intent[] = [];
  readonly fills: Fill[] = [];
  readonly logged: LogEntry[] = [];
  readonly plotted: PlotEntry[] = [];
  /** Error that a hook threw, until somebody has taken it. */
  thrown: unknown = null;
  #isWarming = false;

  /** Runtime that notes each call of a hook and each order intent on its way. */
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
      // Each is called, also where the strategy has none: it is noted here.
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

  /** `order` with an ear on each of its verbs. A call that it refuses is not noted. */
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
