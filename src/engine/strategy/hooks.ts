import { InvalidValueError } from '../../core/errors.ts';
import type { StrategyHooks } from '../../strategy/contract.ts';

const NAMES: Readonly<Record<keyof StrategyHooks, true>> = {
  onStart: true,
  onBar: true,
  onBars: true,
  onQuote: true,
  onFill: true,
  onOrder: true,
  onSession: true,
  onTimer: true,
  onSplit: true,
  onDividend: true,
  onStop: true,
};

export const HOOK_NAMES = Object.keys(NAMES) as readonly (keyof StrategyHooks)[];

/**
 * Checks the result of a strategy's `create`.
 * @throws {InvalidValueError} if there is none, or for a misspelt hook, which would never be called
 */
export function requireHooks(hooks: StrategyHooks): StrategyHooks {
  refusePromise(hooks, 'create');
  if (typeof hooks !== 'object' || (hooks as unknown) === null)
    throw new InvalidValueError('create returned no hooks: return an object with onBar, onTimer or the like');
  const wrong = Object.keys(hooks).find((name) => !Object.hasOwn(NAMES, name) && isLikeHook(name));
  if (wrong === undefined) return hooks;
  const suggestion = inAnyCase(wrong);
  const remedy = suggestion ? `did you mean ${suggestion}?` : `there are ${HOOK_NAMES.join(', ')}`;
  throw new InvalidValueError(`${wrong} is no hook: ${remedy}`);
}

const inAnyCase = (name: string): string | undefined =>
  HOOK_NAMES.find((known) => known.toLowerCase() === name.toLowerCase());

const isLikeHook = (name: string): boolean => /^on[A-Z]/.test(name) || inAnyCase(name) !== undefined;

/**
 * Refuses a promise: its hook would act later, on a view that is out of date.
 * @param name hook, or `create`
 * @throws {InvalidValueError}
 */
export function refusePromise(answer: unknown, name: keyof StrategyHooks | 'create'): void {
  if (!(answer instanceof Promise)) return;
  answer.catch(() => undefined);
  throw new InvalidValueError(
    `${name} is synchronous: it cannot be async or return a promise. Remove async and await`,
  );
}
