import { fitting, type Message } from './message.ts';

/** Pace of a channel: after `over` messages within `seconds`, the next ones come together as one. */
export type Pace = Readonly<{ over: number; seconds: number }>;

/** Next step of a channel: nothing, a wait of at most `ms`, or these messages as one parcel. */
export type Choice = Readonly<
  { kind: 'none' } | { kind: 'wait'; ms: number } | { kind: 'send'; messages: readonly Message[] }
>;

export type PaceState = Readonly<{
  /** Messages that wait, oldest first, without those that quiet hours keep back. */
  waiting: readonly Message[];
  /** Monotonic times in ms of the latest deliveries. */
  recent: readonly number[];
  now: number;
  pace: Pace;
  /** Longest text of the channel, in characters. */
  limit: number;
  /** True at the end of a run: the pace holds nothing back, because the next start may be far away. */
  isFarewell?: boolean;
}>;

/** Alarms may come at this multiple of the pace before they wait. */
const ALARM_SHARE = 2;
const SECOND_MS = 1_000;

/** Chooses what to send: alarms first, one by one while there are few, else as many together as fit into one text. */
export function choose({ waiting, recent, now, pace, limit, isFarewell = false }: PaceState): Choice {
  if (waiting.length === 0) return { kind: 'none' };
  const alarms = waiting.filter(({ kind }) => kind === 'alarm');
  const most = alarms.length > 0 ? ALARM_SHARE * pace.over : pace.over;
  const since = now - pace.seconds * SECOND_MS;
  const sent = recent.filter((at) => at > since);
  const room = most - sent.length;
  const first = alarms.length > 0 ? alarms : waiting;
  if (isFarewell) return { kind: 'send', messages: first.slice(0, fitting(first, limit)) };
  if (room <= 0) return { kind: 'wait', ms: Math.max((sent[sent.length - most] ?? now) - since, 1) };
  return { kind: 'send', messages: first.slice(0, first.length <= room ? 1 : fitting(first, limit)) };
}
