import { z } from 'zod';
import { ConfigError, messageOf } from '../core/errors.ts';
import { INTERVAL_MS } from '../domain/bar.ts';
import { QUOTE_PHASES, type QuotePhase } from '../domain/instrument.ts';
import type { DataNeeds, StrategyDefinition } from './contract.ts';
import { interval, ticker } from './params.ts';
import { isWallTime, readSessionTime, SESSION_TIME_FORMS } from './sessionTime.ts';

/** Maximum number of bars per venue response, and therefore of a warm-up. */
export const WARM_UP_MAX = 5_000;

/** Name of a dated series or of an address to fetch, in `data`, in a config and on the command line. */
export const seriesName = () =>
  z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,39}$/, 'must be letters, digits, - and _, at most 40, a letter first');

const PHASE_FORMS = `expected a phase in which prices move: ${QUOTE_PHASES.join(', ')}`;

const quotedPhases = z
  .array(z.enum(QUOTE_PHASES, { error: PHASE_FORMS }), {
    error: `expected a list of phases, such as ["regular"]`,
  })
  .min(1, { error: `expected at least one phase of ${QUOTE_PHASES.join(', ')}` })
  .optional();

/** Longest bar interval that divides all phases evenly. */
const PHASED_MAX_MS = INTERVAL_MS['15m'];

const barNeed = z
  .strictObject({
    symbol: ticker(),
    interval: interval(),
    warmUp: z.int().min(0).max(WARM_UP_MAX).optional(),
    phases: quotedPhases,
  })
  .refine(({ interval, phases }) => !phases || INTERVAL_MS[interval] <= PHASED_MAX_MS, {
    error: 'with phases an interval is at most 15m: longer bars would reach from one phase into the next',
  });

/** Checks that nothing is named twice. */
const onceBy =
  <Need>(nameOf: (need: Need) => string) =>
  (needs: readonly Need[], context: z.RefinementCtx<Need[]>): void => {
    const twice = needs.map(nameOf).find((name, index, names) => names.indexOf(name) < index);
    if (twice !== undefined) context.addIssue({ code: 'custom', message: `asks for ${twice} twice` });
  };

const quoteForm = z.strictObject(
  {
    symbol: ticker(),
    phases: quotedPhases,
  },
  {
    error: ({ code }) =>
      code === 'invalid_type'
        ? `expected a symbol, or { symbol: 'MSFT', phases: ['regular', 'post'] }`
        : undefined,
  },
);

/** Symbol, or symbol with phases; errors refer to the form that was given. */
const quoteNeed = z.unknown().superRefine((given, context) => {
  const read = (typeof given === 'string' ? ticker() : quoteForm).safeParse(given);
  for (const { path, message } of read.error?.issues ?? [])
    context.addIssue({ code: 'custom', path: [...path], message });
});

const TIMER_FORMS = `expected a time such as ${SESSION_TIME_FORMS}, or "08:00" of the day`;

const timerNeed = z
  .strictObject({
    name: z.string().min(1),
    at: z
      .string()
      .refine((time) => readSessionTime(time) !== null || isWallTime(time), { error: TIMER_FORMS })
      .optional(),
    every: z.strictObject({ minutes: z.int().min(1).max(390) }).optional(),
    on: z.enum(['monday', 'friday', 'month-start', 'month-end']).optional(),
    missed: z.enum(['run', 'skip']).optional(),
  })
  .refine(({ at, every }) => (at === undefined) !== (every === undefined), {
    error: 'expected at, a time, or every: { minutes }, and not both',
  });

const columnNames = z.array(z.string().min(1)).optional();

const seriesNeed = z
  .strictObject({ name: seriesName(), numbers: columnNames, texts: columnNames })
  .refine(({ numbers = [], texts = [] }) => numbers.length + texts.length > 0, {
    error: `expected columns to read, such as numbers: ['eps']`,
  });

const dataNeeds = z.strictObject({
  bars: z
    .array(barNeed)
    .superRefine(onceBy(({ symbol, interval }) => `${symbol} ${interval}`))
    .optional(),
  quotes: z.array(quoteNeed).optional(),
  timers: z.array(timerNeed).optional(),
  series: z
    .array(seriesNeed)
    .superRefine(onceBy(({ name }) => name))
    .optional(),
  fetch: z
    .array(seriesName())
    .superRefine(onceBy((name) => name))
    .optional(),
});

type NeedsInput = Readonly<{
  id: string;
  definition: Pick<StrategyDefinition, 'data'>;
  /** Already checked. */
  params: unknown;
  explain?: ((thrown: unknown) => string) | undefined;
}>;

/** Data that a strategy requests. @throws {ConfigError} naming the strategy and the wrong entry */
export function needsOf({ id, definition, params, explain = messageOf }: NeedsInput): DataNeeds {
  let asked: unknown;
  try {
    asked = definition.data(params);
  } catch (cause) {
    throw new ConfigError(
      `${id} cannot say what data it needs: ${explain(cause)}`,
      { strategy: id },
      { cause },
    );
  }
  const read = dataNeeds.safeParse(asked, { reportInput: true });
  if (read.success) return asked as DataNeeds;
  const [issue] = read.error.issues;
  const where = ['data', ...(issue?.path ?? [])].map(String).join('.');
  throw new ConfigError(`${id}, ${where}: ${issue ? wordsOf(issue) : 'cannot be'}`, { strategy: id });
}

/** Rule that a result of `data` breaks, with the value found. */
function wordsOf(issue: z.core.$ZodIssue): string {
  const given = JSON.stringify(issue.input);
  if (issue.code !== 'invalid_value') return issue.message;
  const words = issue.values.map(String);
  return `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}, not ${given}`;
}

const REGULAR: readonly QuotePhase[] = ['regular'];

/** Phases in which the quotes of each symbol are delivered. */
export type QuotePhases = ReadonlyMap<string, ReadonlySet<QuotePhase>>;

/** Phases by symbol that a strategy requests; if it names a symbol twice, their union. */
export function quotePhases({ quotes = [] }: DataNeeds): QuotePhases {
  const bySymbol = new Map<string, Set<QuotePhase>>();
  for (const need of quotes) {
    const { symbol, phases = REGULAR } = typeof need === 'string' ? { symbol: need } : need;
    bySymbol.set(symbol, new Set([...(bySymbol.get(symbol) ?? []), ...phases]));
  }
  return bySymbol;
}

/** Symbols that a strategy requests. */
export const symbolsOf = (needs: DataNeeds): ReadonlySet<string> =>
  new Set([...quotePhases(needs).keys(), ...(needs.bars ?? []).map(({ symbol }) => symbol)]);
