import { InterruptedError, type PersonStreams } from '../../../process/terminal.ts';
import { TEMPLATE_TERMS } from './project.ts';

/** Choices for a new bot, as typed. */
export type Answers = Readonly<{ folder: string; symbol: string; capital: string }>;

/** Validation of answers: each returns what is wrong with a text, or undefined. */
export type Checks = Readonly<Record<keyof Answers, (text: string) => string | undefined>>;

const QUESTIONS: Readonly<Record<keyof Answers, string>> = {
  folder: 'In which folder? A new or empty one; . is this one',
  symbol: 'Which stock should the example trade?',
  capital: 'With how many mUSD (one mUSD is one dollar)?',
};

/** Answers for a person who chooses nothing. */
export const DEFAULTS: Answers = {
  folder: '.',
  symbol: TEMPLATE_TERMS.symbol,
  capital: String(TEMPLATE_TERMS.capital),
};

/**
 * Prompts for each answer that is not given, with at most three questions. Enter takes the default; an invalid answer is asked
 * for again.
 * @throws {InterruptedError} when the person leaves
 */
export async function askFor(
  given: Readonly<Record<keyof Answers, string | undefined>>,
  checks: Checks,
  streams: PersonStreams,
): Promise<Answers> {
  const { text, isCancel } = await import('@clack/prompts');
  const answer = async (key: keyof Answers, usual: string): Promise<string> => {
    const known = given[key];
    if (known !== undefined) return known;
    const typed = await text({
      message: QUESTIONS[key],
      placeholder: usual,
      defaultValue: usual,
      validate: (value) => checks[key](value?.trim() || usual),
      ...streams,
    });
    if (isCancel(typed)) throw new InterruptedError('stopped at a question; nothing was written');
    return typed.trim() || usual;
  };
  const folder = await answer('folder', checks.folder('.') === undefined ? '.' : TEMPLATE_TERMS.name);
  const symbol = await answer('symbol', DEFAULTS.symbol);
  return { folder, symbol, capital: await answer('capital', DEFAULTS.capital) };
}
