import type { Session } from '../../calendar/index.ts';
import { growthOf } from '../../statistics/moments.ts';
import type { HeldIn } from './comparison.ts';
import type { OptimisationResult } from '../optimise.ts';
import type { Objective } from '../search/objective.ts';
import type { ParamSet } from '../search/space.ts';
import type { Span } from '../trials/trial.ts';

/**
 * Window of a walk-forward: parameters chosen in its first part, and their result in the part after it. `from` and
 * `to`: dates of the first and last sessions.
 */
export type WindowRow = Readonly<{
  label: string;
  inSample: Readonly<{ from: string; to: string; objective: number | null }>;
  /**
   * `objective`: also null if it is a function, which only sees whole backtests. `held`: return of holding the stocks.
   * `receivable`: mUSD of dividends still due at its end. `unsold`: value in mUSD, at the close, of shares that its
   * last bar could not absorb.
   */
  outOfSample: Readonly<{
    from: string;
    to: string;
    objective: number | null;
    totalReturn: number;
    held: number | null;
    receivable: number;
    unsold: number;
    trades: number;
  }>;
  /** Null if no set had a defined objective: cash was held. */
  params: ParamSet | null;
  runId: string | null;
}>;

/** Windows of a study; none without a walk-forward. */
export function windowRows(
  { walkForward, sessions }: OptimisationResult,
  { metric }: Objective,
  heldIn: HeldIn,
): readonly WindowRow[] {
  if (!walkForward) return [];
  const { windows, searches, outOfSample } = walkForward;
  return windows.flatMap(({ inSample, label }, index) => {
    const part = outOfSample.parts[index];
    if (!part) return [];
    const best = searches[index]?.best?.outcome;
    const { span, params, runId, start, end, receivable, unsold, trades, metrics } = part;
    const [from, to] = rangeIn(sessions, span);
    const held = heldIn(from, to);
    return {
      label,
      inSample: {
        ...datesOf(sessions, rangeIn(sessions, inSample)),
        objective: best?.state === 'done' ? (best.objectives[0] ?? null) : null,
      },
      outOfSample: {
        ...datesOf(sessions, [from, to]),
        objective: metric && metrics[metric],
        totalReturn: end / start - 1,
        held: held && growthOf(Array.from(held)) - 1,
        receivable,
        unsold,
        trades,
      },
      params,
      runId,
    };
  });
}

/** Index range of the sessions in a span: the first, and the one after the last. */
function rangeIn(sessions: readonly Session[], { from, to }: Span): readonly [from: number, to: number] {
  const first = sessions.findIndex(({ open }) => open >= from);
  const after = sessions.findIndex(({ open }) => open >= to);
  return [first, after < 0 ? sessions.length : after];
}

const datesOf = (sessions: readonly Session[], [from, to]: readonly [number, number]) => ({
  from: sessions[from]?.date ?? '',
  to: sessions[to - 1]?.date ?? '',
});
