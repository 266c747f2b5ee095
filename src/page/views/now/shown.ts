import type { Status } from '../../../ops/model/status.ts';
import type { Connection, PriceView } from '../../connection/connection.ts';

/** A daemon with its status as shown. */
export type LiveStatus = Readonly<{ daemon: Connection; status: Status }>;

/** Current value in ms of an age in a status. */
export const grown = (ageMs: number | null, status: Status, nowMs: number): number | null =>
  ageMs === null ? null : ageMs + Math.max(nowMs - Date.parse(status.now), 0);

/** Latest price of a stock: that of the status, unless a later one has arrived; one may predate an interruption. */
export function latestPrice(
  ofStatus: string | null,
  { now }: Pick<Status, 'now'>,
  event: Pick<PriceView, 'price' | 'at'> | undefined,
): string | null {
  return event !== undefined && Date.parse(event.at) > Date.parse(now) ? event.price : ofStatus;
}
