import { counted } from '../../core/counted.ts';

/**
 * Decisions of a strategy. `decisions`: its calls of `order`, without their consequences; `planned`: resulting orders;
 * `notReached`: targets that ended without the cash for an order; `dropped`: intents that became no order, by reason,
 * including those of slices and brackets.
 */
export type DecisionCounts = Readonly<{
  id: string;
  decisions: number;
  planned: number;
  notReached: number;
  dropped: Readonly<Record<string, number>>;
}>;

const NOT_HELD = / to sell, .* free/;

/** Likely reasons, for its author, why a strategy traded less than intended; none if nothing is odd. */
export function hintsOf({ id, decisions, planned, notReached, dropped }: DecisionCounts): string[] {
  if (decisions === 0)
    return [
      `${id} decided nothing: it never called order. If that is not meant, a condition in it is never true: a misspelt field, as ` +
        'bar.clsoe, is undefined, and every comparison with it is false; so it is with an indicator that has had too few bars',
    ];
  const notHeld = Object.entries(dropped).reduce(
    (sum, [why, count]) => sum + (NOT_HELD.test(why) ? count : 0),
    0,
  );
  const all = Object.values(dropped).reduce((sum, count) => sum + count, 0);
  return [
    ...(notReached > 0
      ? [
          `${counted(notReached, 'target')} of ${id} not reached: no cash was left for more. Stocks that no target names keep their ` +
            "part (order.rebalance with rest: 'sell' frees it), and weights of 1 together leave nothing for fees",
        ]
      : []),
    ...(notHeld > 0
      ? [
          `${counted(notHeld, 'sell')} of ${id} dropped: it held fewer shares than it sold. view.position(symbol) says how many it holds, ` +
            'and { all: true } sells them; nothing can be sold short',
        ]
      : []),
    ...(planned === 0 && all >= decisions && notHeld < all
      ? [`every order that ${id} gave in this run was dropped: the reasons are listed`]
      : []),
  ];
}
