import type { Bar } from '../../domain/bar.ts';
import { barEnd, nextBarEnd } from '../../market/series.ts';
import type { DataNeeds } from '../../strategy/contract.ts';
import { DECISION_AGE_MAX_MS } from '../risk/gate.ts';
import type { EngineContext } from '../state/engineContext.ts';

type BarNeed = NonNullable<DataNeeds['bars']>[number];

/** Need of a strategy for the bars of a symbol and interval; undefined where it asks for none. */
export const barNeed = (
  { needs }: Readonly<{ needs: DataNeeds }>,
  { symbol, interval }: Pick<Bar, 'symbol' | 'interval'>,
): BarNeed | undefined => needs.bars?.find((need) => need.symbol === symbol && need.interval === interval);

/** True for a bar that later bars have followed long since: a decision on it would come too late. */
export const isOldBar = ({ now, calendar }: EngineContext, bar: Bar): boolean =>
  now - barEnd(bar, calendar) > DECISION_AGE_MAX_MS && nextBarEnd(bar, calendar) <= now;
