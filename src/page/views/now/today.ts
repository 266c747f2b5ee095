import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { DayEquity } from '../../../ops/model/past.ts';
import type { Status } from '../../../ops/model/status.ts';
import type { LiveStatus } from './shown.ts';

/** Profit in mUSD since the open, of each strategy with money, at one instant in epoch ms. */
export type Moment = Readonly<{ at: number; profits: ReadonlyMap<string, number> }>;

/** Profit of all strategies together. */
export const togetherAt = ({ profits }: Moment): number => {
  let sum = 0;
  for (const profit of profits.values()) sum += profit;
  return sum;
};

/** Minimum interval in ms between two moments, as in `GET /v1/day`. */
const STEP_MS = 30_000;

/** Moments of a session from its open on, as in `GET /v1/day?each=true`. */
export function momentsOf({ at, strategies = [] }: DayEquity): Moment[] {
  const lines = strategies.map(({ id, equity, capital }) => {
    const earned = equity.map((worth, index) => (worth === null ? null : worth - (capital[index] ?? 0)));
    return { id, earned, start: earned.find((value) => value !== null) ?? 0 };
  });
  const profitsAt = (index: number) =>
    lines.flatMap(({ id, earned, start }) => {
      const profit = earned[index] ?? null;
      return profit === null ? [] : [[id, profit - start] as const];
    });
  return at.map((instant, index) => ({ at: instant, profits: new Map(profitsAt(index)) }));
}

/** Moments extended by that of a status, if it is later and within the session. The last one of each step is kept. */
export function extended(
  moments: readonly Moment[],
  { now, session, strategies }: Status,
): readonly Moment[] {
  const at = Date.parse(now);
  const last = moments.at(-1)?.at ?? -Infinity;
  if (session.phase !== 'regular' || at <= last) return moments;
  const profits = new Map(strategies.map(({ id, pnl }) => [id, Number(pnl.today)]));
  const isNewStep = at - (moments.at(-2)?.at ?? -Infinity) >= STEP_MS;
  return [...(isNewStep ? moments : moments.slice(0, -1)), { at, profits }];
}

/** Phases before a session opens, when there is nothing to read for today. */
const BEFORE_OPEN: readonly string[] = ['pre', 'closed'];

/** Moments of today: read when the view is shown, at each open and after an interruption; every status extends them. */
export function useToday({ daemon, status }: LiveStatus): readonly Moment[] {
  const read = useSignal<readonly Moment[]>([]);
  const known = useRef({ read: read.value, moments: read.value });
  const link = daemon.link.value.kind;
  const hasOpened = !BEFORE_OPEN.includes(status.session.phase);
  useEffect(() => {
    if (link !== 'connected') return undefined;
    const look = () =>
      daemon.get<DayEquity>('v1/day?each=true').then(
        (day) => (read.value = momentsOf(day)),
        // A run started after the close has no session yet.
        () => undefined,
      );
    if (hasOpened) void look();
    else read.value = [];
    return daemon.onEntry(({ kind }) => {
      if (kind === 'session') void look();
    });
  }, [daemon, link, read, hasOpened]);
  if (known.current.read !== read.value) {
    const end = read.value.at(-1)?.at ?? Infinity;
    const since = known.current.moments.filter(({ at }) => at > end);
    known.current = { read: read.value, moments: [...read.value, ...since] };
  }
  known.current.moments = extended(known.current.moments, status);
  return known.current.moments;
}
