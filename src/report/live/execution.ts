import { countWhile } from '../../core/countWhile.ts';
import { grouped } from '../../figures/series.ts';
import type { RunRecord } from '../runRecord.ts';

type Fill = RunRecord['fills'][number];
type Decision = NonNullable<RunRecord['decisions']>[number];

/** Items of two runs with the same key and nearly the same time. */
type MatchResult<Item> = Readonly<{
  pairs: readonly (readonly [Item, Item])[];
  onlyA: readonly Item[];
  onlyB: readonly Item[];
}>;

/** Largest time between two matched decisions, in ms. A live run receives a bar some seconds after its end. */
const APART_MAX = 300_000;

/**
 * Matches items with the same key that are close enough in time, closest first, so that an item missing in one run does
 * not shift the matches after it.
 */
function matchRuns<Item>(
  a: readonly Item[],
  b: readonly Item[],
  { timeOf, keyOf }: Readonly<{ timeOf: (item: Item) => number; keyOf: (item: Item) => string }>,
): MatchResult<Item> {
  const inTime = (items: readonly Item[]) => [...items].sort((one, other) => timeOf(one) - timeOf(other));
  const [freeA, freeB] = [new Set(inTime(a)), new Set(inTime(b))];
  const byKey = grouped([...freeB], keyOf);
  const near = [...freeA].flatMap((one) => {
    const others = byKey.get(keyOf(one)) ?? [];
    const apart = (other: Item) => timeOf(other) - timeOf(one);
    return others
      .slice(
        countWhile(others, (other) => apart(other) < -APART_MAX),
        countWhile(others, (other) => apart(other) <= APART_MAX),
      )
      .map((other) => ({ pair: [one, other] as const, apart: Math.abs(apart(other)) }));
  });
  const pairs: (readonly [Item, Item])[] = [];
  for (const { pair } of near.sort((one, other) => one.apart - other.apart)) {
    const [one, other] = pair;
    if (!freeA.has(one) || !freeB.has(other)) continue;
    freeA.delete(one);
    freeB.delete(other);
    pairs.push(pair);
  }
  pairs.sort(([one], [other]) => timeOf(one) - timeOf(other));
  return { pairs, onlyA: [...freeA], onlyB: [...freeB] };
}

const fillKey = ({ strategy, symbol, side }: Fill): string => JSON.stringify([strategy, symbol, side]);
const decidedAtOf = ({ at, decidedAt = at }: Fill): number => decidedAt;
const atOf = ({ at }: Decision): number => at;

/**
 * Matches decisions with the same terms first, then the others by strategy and symbol. `same`: same terms for the same
 * stock, and same end. `differing`: different terms or end. Oldest first.
 */
function matchDecisions(a: readonly Decision[], b: readonly Decision[]) {
  const alike = matchRuns(a, b, {
    timeOf: atOf,
    keyOf: ({ strategy, symbol, terms }) => JSON.stringify([strategy, symbol, terms]),
  });
  const rest = matchRuns(alike.onlyA, alike.onlyB, {
    timeOf: atOf,
    keyOf: ({ strategy, symbol }) => JSON.stringify([strategy, symbol]),
  });
  const ended = alike.pairs.filter(([one, other]) => one.end !== other.end);
  const { onlyA, onlyB } = rest;
  return {
    a: a.length,
    b: b.length,
    same: alike.pairs.length - ended.length,
    differing: [...ended, ...rest.pairs].map(([one, other]) => ({ a: one, b: other })),
    onlyA,
    onlyB,
  };
}

export type DecisionMatches = Readonly<ReturnType<typeof matchDecisions>>;

/** Counts in two runs, and the number that match. */
type Counts = Readonly<{ a: number; b: number; matched: number }>;

/** Matched fills of one strategy in one stock. `priceDifference` as in `Execution`; `fees` of all its fills in mUSD. */
export type ExecutionPart = Readonly<{
  strategy: string;
  symbol: string;
  fills: Counts;
  priceDifference: number | null;
  priceDifferenceBps: number | null;
  fees: Readonly<{ a: number; b: number }>;
}>;

/**
 * Decisions and fills of two runs compared. Money in mUSD. `priceDifference`: how much worse the matched fills of A
 * were than those of B over the shares in both, in basis points of B's value. `decisions`: null if a run records none.
 */
export type Execution = Readonly<{
  decisions: DecisionMatches | null;
  fills: Counts;
  priceDifference: number | null;
  priceDifferenceBps: number | null;
  /** Fees relative to the value traded, in basis points; null without trades. */
  feesBps: Readonly<{ a: number | null; b: number | null }>;
  /** Fills in one run only, oldest first. */
  onlyA: readonly Fill[];
  onlyB: readonly Fill[];
  /** Results by strategy and stock. */
  parts: readonly ExecutionPart[];
}>;

const BPS = 10_000;

/** Compares the decisions and fills of two runs. */
export function executionOf(a: RunRecord, b: RunRecord): Execution {
  const fills = matchRuns(a.fills, b.fills, { timeOf: decidedAtOf, keyOf: fillKey });
  return {
    decisions: a.decisions && b.decisions ? matchDecisions(a.decisions, b.decisions) : null,
    fills: countsOf(fills),
    ...priceDifferenceOf(fills.pairs),
    feesBps: { a: feesBps(a.fills), b: feesBps(b.fills) },
    onlyA: byTime(fills.onlyA),
    onlyB: byTime(fills.onlyB),
    parts: partsOf(fills, a.fills, b.fills),
  };
}

function partsOf(fills: MatchResult<Fill>, a: readonly Fill[], b: readonly Fill[]): ExecutionPart[] {
  const nameOf = ({ strategy, symbol }: Fill) => JSON.stringify([strategy, symbol]);
  const firsts = new Map([...a, ...b].map((fill) => [nameOf(fill), fill]));
  return [...firsts].map(([name, { strategy, symbol }]) => {
    const isIn = (fill: Fill) => nameOf(fill) === name;
    const pairs = fills.pairs.filter(([one]) => isIn(one));
    const [own, other] = [a.filter(isIn), b.filter(isIn)];
    return {
      strategy,
      symbol,
      fills: { a: own.length, b: other.length, matched: pairs.length },
      ...priceDifferenceOf(pairs),
      fees: { a: feesOf(own), b: feesOf(other) },
    };
  });
}

function priceDifferenceOf(
  pairs: MatchResult<Fill>['pairs'],
): Pick<Execution, 'priceDifference' | 'priceDifferenceBps'> {
  const { lost, value } = lostIn(pairs);
  return value > 0
    ? { priceDifference: lost, priceDifferenceBps: (lost * BPS) / value }
    : { priceDifference: null, priceDifferenceBps: null };
}

const feesOf = (fills: readonly Fill[]): number => fills.reduce((sum, { fees }) => sum + fees, 0);

const byTime = (fills: readonly Fill[]): Fill[] => [...fills].sort((one, other) => one.at - other.at);

const countsOf = <Item>({ pairs, onlyA, onlyB }: MatchResult<Item>): Counts => ({
  a: pairs.length + onlyA.length,
  b: pairs.length + onlyB.length,
  matched: pairs.length,
});

function lostIn(pairs: MatchResult<Fill>['pairs']): Readonly<{ lost: number; value: number }> {
  let [lost, value] = [0, 0];
  for (const [one, other] of pairs) {
    const shares = Math.min(one.shares, other.shares);
    lost += (one.side === 'buy' ? one.price - other.price : other.price - one.price) * shares;
    value += other.price * shares;
  }
  return { lost, value };
}

function feesBps(fills: readonly Fill[]): number | null {
  const traded = fills.reduce((sum, { shares, price }) => sum + shares * price, 0);
  return traded > 0 ? (feesOf(fills) * BPS) / traded : null;
}
