import { formatDecimal } from '../core/amount.ts';
import { toIso } from '../core/brand.ts';
import type { Wish } from '../domain/wish.ts';

/** An order that still waited when the run ended, for an open or for a price. */
export type PendingOrder = Readonly<{
  strategy: string;
  symbol: string;
  /** Its kind and terms: `sell X, quantity all`. */
  order: string;
  decidedAt: string;
  reason: string;
}>;

export const pendingOf = (wishes: Iterable<Wish>): PendingOrder[] =>
  [...wishes].map((wish) => ({
    strategy: wish.owner,
    symbol: wish.symbol,
    order: exactTerms(wish),
    decidedAt: toIso(wish.at),
    reason: wish.reason,
  }));

/** Kind, symbol and every term, to the last digit: `buyShares X, quantity 10`; `target X, band 0, weight 1`. */
export function exactTerms({ symbol, want: { kind, ...terms } }: Wish): string {
  const { to = {}, ...rest } = terms as Readonly<Record<string, unknown> & { to?: object }>;
  const parts = Object.entries({ ...rest, ...to }).map(
    ([name, value]) => `${name} ${typeof value === 'bigint' ? formatDecimal(value) : String(value)}`,
  );
  return [`${kind} ${symbol}`, ...parts].join(', ');
}
