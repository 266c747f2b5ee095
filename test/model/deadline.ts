/** The rule of every deadline (Unix seconds): whole, at most 4294967295, not expired. */
import { broken, silent, TRADING_RULE, VALIDATION, type Fault } from './verdict.ts';

export const MAX_DEADLINE = 4_294_967_295;

export const deadlineFaults = (deadline: number | undefined, now: number): readonly Fault[] => {
  if (deadline === undefined) return [broken('deadline missing', [VALIDATION])];
  if (!Number.isInteger(deadline)) return [broken('deadline is no whole second', [VALIDATION])];
  if (deadline > MAX_DEADLINE) return [broken('deadline over its maximum', [VALIDATION])];
  if (deadline * 1000 + 1000 <= now) return [broken('deadline expired', [VALIDATION, TRADING_RULE])];
  return deadline * 1000 <= now ? [silent('deadline within the current second')] : [];
};
