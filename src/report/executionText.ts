import { shortAmounts } from '../domain/shortAmounts.ts';
import type { DecisionMatches, Execution, ExecutionPart } from './live/execution.ts';
import { bpsText, moneyText, priceText, sharesText } from './numberText.ts';
import type { ComparisonStyle, TextBlock, TextList, TextTable } from './textBlocks.ts';

/** Maximum number of rows listed of one kind. */
const LISTED_MAX = 10;

type Style = Pick<ComparisonStyle, 'names' | 'timeOf'>;

/** Decisions and fills of two runs, compared for people. */
export function executionBlocks(execution: Execution, style: Style): TextBlock[] {
  const { decisions, fills, feesBps, parts } = execution;
  const { names } = style;
  const fillText = (fill: Fill) => fillLine(fill, style);
  return [
    ...(decisions ? decisionLines(decisions, style) : []),
    {
      label: 'fills',
      text: `${fills.a} and ${fills.b}, of which ${fills.matched} match by strategy, symbol, side and time`,
    },
    { label: 'prices', text: priceLine(execution, names) },
    { label: 'fees', text: `${bpsText(feesBps.a)} and ${bpsText(feesBps.b)} of what was traded` },
    ...(parts.length > 1 ? [partsTable(parts, names)] : []),
    ...onlyLines(execution.onlyA, names[0], fillText),
    ...onlyLines(execution.onlyB, names[1], fillText),
  ];
}

function priceLine({ priceDifference, priceDifferenceBps }: Execution, names: Style['names']): string {
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

function decisionLines(matches: DecisionMatches, style: Style): TextBlock[] {
  const { a, b, same, differing, onlyA, onlyB } = matches;
  const { names } = style;
  const decisionText = (decision: Decision) =>
    `${whenText(decision, style)} ${shortAmounts(decision.terms)}${because(decision.reason)} (${endText(decision)})`;
  return [
    {
      label: 'decisions',
      text: `${a} and ${b}: ${same} the same, ${differing.length} differ, ${onlyA.length} and ${onlyB.length} in one run alone`,
    },
    ...listed(differing, 'differs', (each) => differenceLine(each, style)),
    ...onlyLines(onlyA, names[0], decisionText),
    ...onlyLines(onlyB, names[1], decisionText),
  ];
}

const whenText = ({ at, strategy }: Readonly<{ at: number; strategy: string }>, { timeOf }: Style): string =>
  `${timeOf(at)} ${strategy}:`;

const endText = ({ end, why }: Decision): string =>
  `${end ?? 'waits'}${why === '' || why === end ? '' : `: ${shortAmounts(why)}`}`;

function differenceLine({ a, b }: DecisionMatches['differing'][number], style: Style): string {
  const { names } = style;
  const [one, other] = [shortAmounts(a.terms), shortAmounts(b.terms)];
  if (a.terms === b.terms)
    return `${whenText(a, style)} ${one}: ${names[0]} ${endText(a)}; ${names[1]} ${endText(b)}`;
  return `${whenText(a, style)} ${names[0]} ${one}; ${names[1]} ${other}`;
}

function fillLine(fill: Fill, style: Style): string {
  const { side, shares, symbol, price, reason } = fill;
  return `${whenText(fill, style)} ${side} ${sharesText(shares)} ${symbol} at ${priceText(price)}${because(reason)}`;
}

const because = (reason: string): string => (reason === '' ? '' : ` (${reason})`);

const onlyLines = <Item>(items: readonly Item[], name: string, textOf: (item: Item) => string): TextList[] =>
  listed(items, `only ${name}`, textOf);

function listed<Item>(items: readonly Item[], head: string, textOf: (item: Item) => string): TextList[] {
  if (items.length === 0) return [];
  const first = items.slice(0, LISTED_MAX);
  return [{ head, items: first.map(textOf), left: items.length - first.length }];
}

/** Fills, prices and fees by strategy and stock. */
function partsTable(parts: readonly ExecutionPart[], names: Style['names']): TextTable {
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
  return { heads, rows, numbers: [3, 4, 5, 6, 7] };
}
