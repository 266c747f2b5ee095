import { z } from 'zod';
import { ConfigError, messageOf } from '../core/errors.ts';
import type { DataNeeds, StrategyDefinition } from './contract.ts';
import { interval, sessionTime, ticker } from './params.ts';

/** Most bars that the venue gives at once: none that a run could be warmed up with. */
const WARM_UP_MAX = 5_000;

const barNeed = z.strictObject({
  symbol: ticker(),
  interval: interval(),
  warmUp: z.int().min(0).max(WARM_UP_MAX).optional(),
});
type BarNeeds = readonly z.output<typeof barNeed>[];

/** The first that is there already, or nothing. */
const twiceIn = (bars: BarNeeds): string | undefined =>
  bars
    .map(({ symbol, interval }) => `${symbol} ${interval}`)
    .find((name, index, names) => names.indexOf(name) < index);

const dataNeeds = z.strictObject({
  bars: z
    .array(barNeed)
    .superRefine((bars, context) => {
      const twice = twiceIn(bars);
      if (twice !== undefined) context.addIssue({ code: 'custom', message: `asks for ${twice} twice` });
    })
    .optional(),
  quotes: z.array(ticker()).optional(),
  timers: z.array(z.strictObject({ name: z.string().min(1), at: sessionTime() })).optional(),
});

type Asked = Readonly<{
  id: string;
  definition: Pick<StrategyDefinition, 'data'>;
  /** Already checked. */
  params: unknown;
  explain?: ((thrown: unknown) => string) | undefined;
}>;

/** What a strategy wants to be shown. @throws {ConfigError} naming the strategy and what of it there cannot be */
export function needsOf({ id, definition, params, explain = messageOf }: Asked): DataNeeds {
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

/** The rule that an answer of `data` breaks, and what stands there. */
function wordsOf(issue: z.core.$ZodIssue): string {
  const given = JSON.stringify(issue.input);
  if (issue.code !== 'invalid_value') return issue.message;
  const words = issue.values.map(String);
  return `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}, not ${given}`;
}
