import { messageOf, StrategyError } from '../core/errors.ts';
import { isRejection, uncaughtText } from './isolation/messages.ts';

type StrategyOrigin = Readonly<{ id: string; explain?: (thrown: unknown) => string }>;

/**
 * What an error that nobody caught is told as: where it was thrown in the file of a strategy, as when a promise that nobody
 * waits for is rejected, that strategy and the place are named.
 */
export function attributeError(thrown: unknown, strategies: readonly StrategyOrigin[]): unknown {
  const places = strategies.flatMap(({ id, explain }) => {
    const text = explain?.(thrown) ?? messageOf(thrown);
    return text === messageOf(thrown) ? [] : [{ id, text }];
  });
  // Without an Error there is no place: it was one of the strategies, for nothing else is left to itself.
  const blamable =
    places.length === 0 && isRejection(thrown)
      ? strategies.map(({ id }) => ({ id, text: uncaughtText(thrown) }))
      : places;
  const [first] = blamable;
  if (!first) return thrown;
  const who = blamable.map(({ id }) => id).join(' or ');
  const advice = 'A hook must not start what goes on after it: what it throws then, nobody can catch';
  return new StrategyError(
    `strategy ${who} threw outside its hooks: ${first.text}. ${advice}`,
    { strategy: who },
    { cause: thrown },
  );
}
