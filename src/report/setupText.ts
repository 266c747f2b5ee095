/** Settings of a run that affect the meaning of its figures: parameters, bars and fill model. */
export type RunSetup = Readonly<{
  /** Names of its strategies, separated by `, `. */
  strategy: string;
  /** Parameters of one strategy, or a list for several. */
  params: unknown;
  intervals: Readonly<Record<string, readonly string[]>> | undefined;
  /** Values by setting: `fill`, `fees`, `slippage`, … */
  model: Readonly<Record<string, string | number | null>>;
}>;

export type SetupLine = readonly [label: string, text: string];

/** Lines below the title of a run. Unknown settings are left out. */
export const setupLines = ({ strategy, params, intervals = {}, model }: RunSetup): SetupLine[] =>
  [
    ...paramLines(strategy, params).map((text, index): SetupLine => [index === 0 ? 'params' : '', text]),
    ['bars', barsText(intervals)] as const,
    ['fill', fillText(model)] as const,
  ].filter(([, text]) => text !== '');

const paramLines = (strategy: string, params: unknown): string[] =>
  Array.isArray(params)
    ? paramTexts(strategy, params).map(([id, text]) => `${id}: ${text}`)
    : [paramText(params)];

/** Parameters of each of several strategies. @param strategy their names, separated by `, ` */
export function paramTexts(
  strategy: string,
  params: readonly unknown[],
): (readonly [id: string, text: string])[] {
  const names = strategy.split(', ');
  return params.map((own, index) => [names[index] ?? String(index + 1), paramText(own) || 'none']);
}

const paramText = (params: unknown): string =>
  typeof params === 'object' && params !== null
    ? Object.entries(params)
        .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join(', ')
    : '';

/** `1d`, or `X, Y 1d; Z 5m and 1d, orders fill by 5m`. */
function barsText(intervals: Readonly<Record<string, readonly string[]>>): string {
  const symbolsOf = new Map<string, string[]>();
  for (const [symbol, own] of Object.entries(intervals)) {
    const text = `${own.join(' and ')}${own.length > 1 ? `, orders fill by ${own[0] ?? ''}` : ''}`;
    symbolsOf.set(text, [...(symbolsOf.get(text) ?? []), symbol]);
  }
  if (symbolsOf.size === 1) return [...symbolsOf.keys()].join('');
  return [...symbolsOf].map(([text, symbols]) => `${symbols.join(', ')} ${text}`).join('; ');
}

/** Rules shown only if they differ from their usual values, with those values. */
const UNUSUAL: readonly (readonly [name: string, label: string, usual: string])[] = [
  ['slippageOutside', 'slippage outside the session', ''],
  ['trade', 'trade', ''],
  ['limitFill', 'limit fill', 'touch'],
  ['ambiguous', 'ambiguous', 'worst'],
  ['volumeCap', 'volume cap', 'none'],
  ['latencyMs', 'latency ms', '0'],
  ['delisted', 'delisted', 'last'],
  ['dividends', 'dividends', 'cash'],
  ['stockDividends', 'dividends of stocks', 'none'],
  ['withheldPercent', 'withheld %', '0'],
  ['exitDividends', 'stops at dividends', 'keep'],
  ['premiumLimits', 'limits on premiums', ''],
];

function fillText(model: Readonly<Record<string, string | number | null>>): string {
  if (model['fill'] === undefined) return '';
  const shown = UNUSUAL.flatMap(([name, label, usual]) => {
    const value = String(model[name] ?? usual);
    return value === usual ? [] : [`${label} ${value}`];
  });
  const always = ['fees', 'slippage'].map((name) => `${name} ${String(model[name] ?? 'unknown')}`);
  return [String(model['fill']), ...always, ...shown].join(', ');
}
