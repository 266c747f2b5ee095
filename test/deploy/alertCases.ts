/** A series of Prometheus in the notation of `promtool test rules`, one value a minute. */
export type Series = Readonly<Record<string, string>>;

const LABELS = 'job="drover",instance="a:9464",account="0xabab…",version="0.9.0"';
const of = (name: string, more = ''): string => `drover_${name}{${LABELS}${more === '' ? '' : `,${more}`}}`;

const MINUTES = 1500;
const at = (value: number | string): string => `${value}x${MINUTES}`;
const grows = (by: number): string => `0+${by}x${MINUTES}`;

/** Metrics of a healthy run. */
export const HEALTHY: Series = {
  'up{job="drover",instance="a:9464"}': at(1),
  [of('build_info', 'mode="live"')]: at(1),
  [of('last_step_age_seconds')]: at(1),
  [of('ready')]: at(1),
  [of('can_send')]: at(1),
  [of('can_protect')]: at(1),
  [of('trading_state', 'state="active"')]: at(1),
  [of('trading_state', 'state="reducing"')]: at(0),
  [of('trading_state', 'state="halted"')]: at(0),
  [of('unknown')]: at(0),
  [of('unknown_oldest_age_seconds')]: at(0),
  [of('held_trigger_unsent_age_seconds')]: at(0),
  [of('held_orders_suspended')]: at(0),
  [of('session_open')]: at(1),
  [of('differences')]: at(0),
  [of('frozen_symbols')]: at(0),
  [of('strategies_stopped')]: at(0),
  [of('quotes_age_seconds')]: at(3),
  [of('orders_age_seconds')]: at(3),
  [of('account_age_seconds')]: at(3),
  [of('commit_duration_seconds_bucket', 'le="0.1"')]: grows(60),
  [of('commit_duration_seconds_bucket', 'le="1"')]: grows(60),
  [of('commit_duration_seconds_bucket', 'le="+Inf"')]: grows(60),
  [of('event_loop_delay_seconds', 'quantile="0.99"')]: at(0.01),
  [of('alarms_unacknowledged')]: at(0),
  [of('notify_down', 'channel="phone"')]: at(0),
  [of('notify_oldest_age_seconds', 'channel="phone"')]: at(0),
  [of('heartbeats_total', 'outcome="ok"')]: grows(1),
  [of('heartbeats_total', 'outcome="failed"')]: at(0),
  [of('disk_free_bytes')]: at(5e9),
  [of('disk_size_bytes')]: at(1e10),
  [of('requests_last_minute')]: at(30),
  [of('requests_per_minute_max')]: at(600),
};

/** By rule: the series that differ when it must fire. Null: the series is missing. */
export const TROUBLES: Readonly<Record<string, readonly Readonly<Record<string, string | null>>[]>> = {
  DroverDown: [{ 'up{job="drover",instance="a:9464"}': at(0) }, { [of('build_info', 'mode="live"')]: null }],
  DroverHangs: [{ [of('last_step_age_seconds')]: at(400) }],
  DroverNotReady: [{ [of('ready')]: at(0) }],
  DroverCannotProtect: [{ [of('can_protect')]: at(0) }],
  DroverCannotSend: [{ [of('can_send')]: at(0) }],
  DroverUnknownOrder: [{ [of('unknown')]: at(1), [of('unknown_oldest_age_seconds')]: at(700) }],
  DroverTriggerNotSent: [{ [of('held_trigger_unsent_age_seconds')]: at(40) }],
  DroverHeldSuspended: [{ [of('held_orders_suspended')]: at(1) }],
  DroverDifference: [{ [of('differences')]: at(1) }],
  DroverHalted: [{ [of('trading_state', 'state="halted"')]: at(1) }],
  DroverFrozen: [{ [of('frozen_symbols')]: at(2) }],
  DroverStrategyStopped: [{ [of('strategies_stopped')]: at(1) }],
  DroverStaleQuotes: [{ [of('quotes_age_seconds')]: at(150) }],
  DroverStaleAccount: [{ [of('orders_age_seconds')]: at(400) }, { [of('account_age_seconds')]: at(400) }],
  DroverSlowCommits: [{ [of('commit_duration_seconds_bucket', 'le="0.1"')]: at(0) }],
  DroverEventLoop: [{ [of('event_loop_delay_seconds', 'quantile="0.99"')]: at(0.5) }],
  DroverCriticalAlarm: [{ [of('alarms', 'code="ONE_CLICK_OFF",severity="critical"')]: at(1) }],
  DroverAlarm: [{ [of('alarms_unacknowledged')]: at(1) }],
  DroverChannelDown: [
    { [of('notify_down', 'channel="phone"')]: at(1) },
    { [of('notify_oldest_age_seconds', 'channel="phone"')]: at(90_000) },
  ],
  DroverHeartbeat: [{ [of('heartbeats_total', 'outcome="failed"')]: grows(1) }],
  DroverDisk: [{ [of('disk_free_bytes')]: at(1e8) }, { [of('disk_free_bytes')]: at(2e8) }],
  DroverRequestBudget: [{ [of('requests_last_minute')]: at(590) }],
};

/** Rules that stay silent although their gauge shows trouble, with the series that makes it harmless. */
export const HARMLESS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  DroverCannotSend: { [of('can_send')]: at(0), [of('trading_state', 'state="halted"')]: at(1) },
  DroverHeldSuspended: { [of('held_orders_suspended')]: at(1), [of('session_open')]: at(0) },
  DroverStaleQuotes: { [of('quotes_age_seconds')]: at(150), [of('session_open')]: at(0) },
  DroverUnknownOrder: { [of('unknown')]: at(1), [of('unknown_oldest_age_seconds')]: at(30) },
};
