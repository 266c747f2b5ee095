import { epochMs, toIso } from '../../core/brand.ts';
import { shortAmounts } from '../../domain/shortAmounts.ts';
import type { DecisionMatches, Execution, ExecutionPart } from '../../report/live/execution.ts';
import { table } from '../output.ts';
import { bpsText, moneyText, priceText, sharesText } from './resultText.ts';

/** Rows of one kind that are listed. */
const LISTED_MAX = 10;

type Names = readonly [string, string];

/** Decisions and fills of two runs side by side, for people. */
export function executionText(execution: Execution, names: Names): string {
  const { decisions, fills, feesBps, parts } = execution;
  return [
    ...(decisions ? decisionLines(decisions, names) : []),
    `fills  ${fills.a} and ${fills.b}, of which ${fills.matched} match by strategy, symbol, side and time`,
    `prices  ${priceLine(execution, names)}`,
    `fees  ${bpsText(feesBps.a)} and ${bpsText(feesBps.b)} of what was traded`,
    ...(parts.length > 1 ? [partsText(parts, names)] : []),
    ...onlyLines(execution.onlyA, names[0], fillText),
    ...onlyLines(execution.onlyB, names[1], fillText),
  ].join('\n');
}

function priceLine({ priceDifference, priceDifferenceBps }: Execution, names: Names): string {
  if (priceDifference === null || priceDifferenceBps === null)
    return 'no fill matches: prices cannot be compared';
  if (priceDifference === 0) return 'the same where both filled';
  const how = priceDifference > 0 ? 'worse' : 'better';
  return (
    `${names[0]} filled ${moneyText(Math.abs(priceDifference))} mUSD ${how} than ${names[1]} ` +
    `where both did (${bpsText(Math.abs(priceDifferenceBps))})`
  );
}

type Decision = DecisionMatches['onlyA'][number];
type Fill = Execution['onlyA'][number];

function decisionLines({ a, b, same, differing, onlyA, onlyB }: DecisionMatches, names: Names): string[] {
  return [
    `decisions  ${a} and ${b}: ${same} the same, ${differing.length} differ, ${onlyA.length} and ${onlyB.length} in one run alone`,
    ...listed(differing, 'differs', (each) => differenceText(each, names)),
    ...onlyLines(onlyA, names[0], decisionText),
    ...onlyLines(onlyB, names[1], decisionText),
  ];
}

const whenText = ({ at, strategy }: Readonly<{ at: number; strategy: string }>): string =>
  `${toIso(epochMs(at))} ${strategy}:`;

const endText = ({ end, why }: Decision): string =>
  `${end ?? 'waits'}${why === '' || why === end ? '' : `: ${shortAmounts(why)}`}`;

function differenceText({ a, b }: DecisionMatches['differing'][number], names: Names): string {
  const [one, other] = [shortAmounts(a.terms), shortAmounts(b.terms)];
  if (a.terms === b.terms)
    return `${whenText(a)} ${one}: ${names[0]} ${endText(a)}; ${names[1]} ${endText(b)}`;
  return `${whenText(a)} ${names[0]} ${one}; ${names[1]} ${other}`;
}

const decisionText = (decision: Decision): string =>
  `${whenText(decision)} ${shortAmounts(decision.terms)}${because(decision.reason)} (${endText(decision)})`;

const fillText = (fill: Fill): string => {
  const { side, shares, symbol, price, reason } = fill;
  return `${whenText(fill)} ${side} ${sharesText(shares)} ${symbol} at ${priceText(price)}${because(reason)}`;
};

const because = (reason: string): string => (reason === '' ? '' : ` (${reason})`);

const onlyLines = <Item>(items: readonly Item[], name: string, textOf: (item: Item) => string): string[] =>
  listed(items, `only ${name}`, textOf);

function listed<Item>(items: readonly Item[], head: string, textOf: (item: Item) => string): string[] {
  const lines = items.slice(0, LISTED_MAX).map((item) => `${head}  ${textOf(item)}`);
  const more = items.length - lines.length;
  return more > 0 ? [...lines, `${head}  … ${more} more`] : lines;
}

/** Table of strategies and stocks: fills, prices and fees of each. */
function partsText(parts: readonly ExecutionPart[], names: Names): string {
  const heads = ['strategy', 'symbol', 'fills', 'match', `price: ${names[0]} worse by`, 'bps', 'fees', 'and'];
  const rows = parts.map(({ strategy, symbol, fills, priceDifference, priceDifferenceBps, fees }) => [
    strategy,
    symbol,
    `${fills.a} and ${fills.b}`,
    String(fills.matched),
    priceDifference === null ? '–' : moneyText(priceDifference),
    priceDifferenceBps === null ? '–' : moneyText(priceDifferenceBps),
    moneyText(fees.a),
    moneyText(fees.b),
  ]);
  return table(heads, rows, heads.slice(3));
}
