import { InvalidValueError } from '../core/errors.ts';
import type { StrategyHooks } from '../strategy/contract.ts';

const NAMES: Readonly<Record<keyof StrategyHooks, true>> = {
  onStart: true,
  onBar: true,
  onQuote: true,
  onFill: true,
  onOrder: true,
  onSession: true,
  onTimer: true,
  onStop: true,
};

export const HOOK_NAMES = Object.keys(NAMES) as readonly (keyof StrategyHooks)[];

/**
 * What a strategy's `create` has given back, once it is sure that it will be called.
 * @throws {InvalidValueError} when it is nothing, or has a name like that of a hook which is none: it would stay silent
 */
export function requireHooks(hooks: StrategyHooks): StrategyHooks {
  refusePromise(hooks);
  if (typeof hooks !== 'object' || (hooks as unknown) === null)
    throw new InvalidValueError('create gives back no hooks: an object with onBar, onTimer or the like');
  const wrong = Object.keys(hooks).find((name) => /^on[A-Z]/.test(name) && !Object.hasOwn(NAMES, name));
  if (wrong === undefined) return hooks;
  throw new InvalidValueError(`${wrong} is no hook: there are ${Object.keys(NAMES).join(', ')}`);
}

/** An asynchronous hook would act later than it was asked, on a world that is no more. */
export function refusePromise(answer: unknown): void {
  if (!(answer instanceof Promise)) return;
  answer.catch(() => undefined);
  throw new InvalidValueError('a hook is synchronous: it cannot be async or give back a promise');
}
