import { QUOTE_PHASES, type QuotePhase } from '../../src/domain/instrument.ts';
import { MULTIPLIER_LIES } from './multipliers.ts';

const OUTSIDE = QUOTE_PHASES.filter((phase) => phase !== 'regular');

/** Events that a campaign must have met in which all phases are traded, and dividends come in tokens. */
export const NIGHT_COUNTERS = [
  ...OUTSIDE.map((phase) => `sent in ${phase}` as const),
  ...OUTSIDE.map((phase) => `filled in ${phase}` as const),
  ...QUOTE_PHASES.map((phase) => `crash in ${phase}` as const),
  'exitSentOutside',
  'exitFollowed',
  'exitArmedAgain',
  'fractionKept',
  'phaseEndCancelled',
  'nightLimitReached',
  'grownByWorth',
  'grownByMultiplier',
  'grownUnannounced',
  'multiplierRefused',
  ...MULTIPLIER_LIES.map((lie) => `multiplier ${lie}` as const),
] as const;
export type NightCounter = (typeof NIGHT_COUNTERS)[number];

/** Counter of what happens in a phase; null where the venue is closed. */
export const inPhase = (
  what: 'sent' | 'filled' | 'crash',
  phase: QuotePhase | 'closed',
): NightCounter | null => NIGHT_COUNTERS.find((counter) => counter === `${what} in ${phase}`) ?? null;
