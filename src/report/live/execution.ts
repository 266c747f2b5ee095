import type { RunRecord } from '../runRecord.ts';

type Fill = RunRecord['fills'][number];
type Decision = NonNullable<RunRecord['decisions']>[number];

/** Items of two runs that are of one strategy, symbol and side, and nearly of one time. */
type Matching<Item> = Readonly<{
  pairs: readonly (readonly [Item, Item])[];
  onlyA: readonly Item[];
  onlyB: readonly Item[];
}>;

type Matched = Readonly<{ strategy: string; symbol: string; side: string | null }>;

/** Farthest that two matched decisions are apart, in ms. A live run is shown a bar some seconds after its end. */
const APART_MAX = 300_000;

/** Matches each item of A with the earliest of B that is near enough and still without one: more cannot match. */
function matchRuns<Item extends Matched>(
  a: readonly Item[],
  b: readonly Item[],
  timeOf: (item: Item) => number,
): Matching<Item> {
  const inTime = (items: readonly Item[]) => [...items].sort((one, other) => timeOf(one) - timeOf(other));
  const free = new Map<string, Item[]>();
  for (const item of inTime(b)) {
    const known = free.get(keyOf(item));
    if (known) known.push(item);
    else free.set(keyOf(item), [item]);
  }
  const pairs: (readonly [Item, Item])[] = [];
  const onlyA: Item[] = [];
  for (const item of inTime(a)) {
    const candidates = free.get(keyOf(item)) ?? [];
    const place = candidates.findIndex((other) => Math.abs(timeOf(other) - timeOf(item)) <= APART_MAX);
    const [other] = place < 0 ? [] : candidates.splice(place, 1);
    if (other) pairs.push([item, other]);
    else onlyA.push(item);
  }
  return { pairs, onlyA, onlyB: [...free.values()].flat() };
}

const keyOf = ({ strategy, symbol, side }: Matched): string => JSON.stringify([strategy, symbol, side]);

/** Counts of two runs, and how many of them match. */
type Counts = Readonly<{ a: number; b: number; matched: number }>;

/**
 * Decisions and fills of two runs side by side. Money in mUSD. `priceDifference`: how much worse the matched fills of A were than those of B,
 * over the shares that both have; in basis points of the value of B's. `decisions` is null where a run does not keep them.
 */
export type Execution = Readonly<{
  decisions: Counts | null;
  fills: Counts;
  priceDifference: number | null;
  priceDifferenceBps: number | null;
  /** Fees of the value traded, in basis points; null where nothing was. */
  feesBps: Readonly<{ a: number | null; b: number | null }>;
  /** Fills of one run alone, oldest first. */
  onlyA: readonly Fill[];
  onlyB: readonly Fill[];
}>;

const BPS = 10_000;

/** Puts the decisions and fills of two runs side by side. */
export function executionOf(a: RunRecord, b: RunRecord): Execution {
  const fills = matchRuns(a.fills, b.fills, ({ at, decidedAt = at }) => decidedAt);
  const decisions =
    a.decisions && b.decisions ? matchRuns<Decision>(a.decisions, b.decisions, ({ at }) => at) : null;
  const { lost, value } = lostIn(fills.pairs);
  return {
    decisions: decisions && countsOf(decisions),
    fills: countsOf(fills),
    priceDifference: value > 0 ? lost : null,
    priceDifferenceBps: value > 0 ? (lost * BPS) / value : null,
    feesBps: { a: feesBps(a.fills), b: feesBps(b.fills) },
    onlyA: fills.onlyA,
    onlyB: fills.onlyB,
  };
}

const countsOf = <Item>({ pairs, onlyA, onlyB }: Matching<Item>): Counts => ({
  a: pairs.length + onlyA.length,
  b: pairs.length + onlyB.length,
  matched: pairs.length,
});

function lostIn(pairs: Matching<Fill>['pairs']): Readonly<{ lost: number; value: number }> {
  let [lost, value] = [0, 0];
  for (const [one, other] of pairs) {
    const shares = Math.min(one.shares, other.shares);
    lost += (one.side === 'buy' ? one.price - other.price : other.price - one.price) * shares;
    value += other.price * shares;
  }
  return { lost, value };
}

function feesBps(fills: readonly Fill[]): number | null {
  let [fees, traded] = [0, 0];
  for (const fill of fills) {
    fees += fill.fees;
    traded += fill.shares * fill.price;
  }
  return traded > 0 ? (fees * BPS) / traded : null;
}
