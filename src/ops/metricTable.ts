/** Metric of a run: help text, labels, and upper bounds if it is a histogram. */
export type MetricEntry = Readonly<{
  help: string;
  labels?: readonly string[];
  buckets?: readonly number[];
  /** Name, without `drover_`, of the metric that replaces this one. It goes with the second minor version after its mark. */
  replacedBy?: string;
}>;

/** Version without the replaced metrics. */
const REPLACED_UNTIL = '0.11';

/** Help text of a metric in a scrape. */
export const helpOf = ({ help, replacedBy }: MetricEntry): string =>
  replacedBy === undefined
    ? help
    : `Deprecated, gone with ${REPLACED_UNTIL}: ${scrapedName(replacedBy)}. ${help}`;

/** True for a metric that only grows, as its name says. */
export const isCounter = (name: string): boolean => name.endsWith('_total');

/** Metrics about the state of the run. */
const run = {
  build_info: { help: 'Always 1; version and mode of the run', labels: ['version', 'mode'] },
  started_timestamp_seconds: { help: 'Start of the run, on its own clock' },
  ready: { help: '1 while every health check passes' },
  can_send: { help: '1 while an order could be sent' },
  can_protect: { help: '1 while each stop and exit that the bot holds could be sold when it is touched' },
  health_check: { help: '1 while the check passes', labels: ['check'] },
  last_step_age_seconds: { help: 'Age of the last step of the kernel' },
  session_open: { help: '1 during the regular session' },
  trading_state: { help: '1 for the current trading state of the run', labels: ['state'] },
  restrictions: { help: 'Trading restrictions in force, in any scope' },
  strategies_stopped: { help: 'Strategies stopped by their own error' },
  alarms: {
    help: 'Unacknowledged alarms, by code and severity: info, warning, critical',
    labels: ['code', 'severity'],
  },
  alarms_unacknowledged: { help: 'Unacknowledged alarms' },
} as const satisfies Record<string, MetricEntry>;

const money = {
  account_equity_musd: { help: 'Equity of the account' },
  account_cash_musd: { help: 'Cash in the account, free and reserved' },
  unallocated_equity_musd: { help: 'Unallocated part of the account' },
  equity_musd: { help: 'Equity of a strategy', labels: ['strategy'] },
  cash_musd: { help: 'Cash of a strategy', labels: ['strategy'] },
  fees_musd_total: { help: 'Fees that a strategy has paid', labels: ['strategy'] },
  fees_musd: {
    help: 'Fees that a strategy has paid',
    labels: ['strategy'],
    replacedBy: 'fees_musd_total',
  },
  position_value_musd: { help: 'Value of a position at the last price', labels: ['strategy', 'symbol'] },
  pnl_musd: {
    help: 'Profit of a strategy: today, realised, unrealised, total',
    labels: ['strategy', 'kind'],
  },
  limit_used_ratio: { help: 'Used share of a limit, 0 to 1', labels: ['limit', 'scope'] },
} as const satisfies Record<string, MetricEntry>;

const orders = {
  orders_ended_total: { help: 'Orders since the ledger was opened that have ended, by end', labels: ['end'] },
  orders: {
    help: 'Orders since the ledger was opened, by current state or end',
    labels: ['end'],
    replacedBy: 'orders_ended_total',
  },
  open_orders: { help: 'Orders that have not ended' },
  waiting_intents: { help: 'Intents without an order yet' },
  held_orders: {
    help: 'Stops, brackets and other orders that the bot holds, not the venue',
    labels: ['strategy', 'kind'],
  },
  held_orders_triggered: { help: 'Held orders whose stop was touched or whose time is over' },
  held_orders_suspended: { help: 'Held orders for which nothing can be sent now' },
  held_trigger_unsent_age_seconds: {
    help: 'Age of the oldest trigger without an order under way; 0 if none',
  },
  unknown: { help: 'Orders and transfers that the venue may or may not have' },
  unknown_oldest_age_seconds: { help: 'Age of the oldest of these; 0 if none' },
  differences: { help: 'Assets in which ledger and venue differ' },
  frozen_symbols: { help: 'Symbols that are frozen' },
} as const satisfies Record<string, MetricEntry>;

/** Metrics about the connection to the venue, and about this machine. */
const machine = {
  quotes_age_seconds: { help: 'Age of the oldest relevant quote; absent before the first' },
  orders_age_seconds: { help: 'Age of the latest complete order list; absent before the first' },
  account_age_seconds: { help: 'Age of the latest read of the account; absent before the first' },
  request_duration_seconds: {
    help: 'Time from a request to the venue to its complete response, by endpoint and outcome (success, declined, unauthorized, limited, unusable, unreachable, unknown)',
    labels: ['endpoint', 'outcome'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
  },
  requests_last_minute: { help: 'Requests to the venue in the last minute' },
  requests_per_minute_max: {
    help: 'Requests to the venue allowed per minute; absent without a limit',
  },
  commit_duration_seconds: {
    help: 'Time of a commit of the journal until it is durable',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
  },
  event_loop_delay_seconds: {
    help: 'Delay of the event loop since the previous scrape',
    labels: ['quantile'],
  },
  event_readers: { help: 'Readers of the event stream' },
  dropped_lines_total: {
    help: 'Lines of output that were not read in time, since the start: terminal, log',
    labels: ['output'],
  },
  dropped_lines: {
    help: 'Lines of output that were not read in time, since the start: terminal, log',
    labels: ['output'],
    replacedBy: 'dropped_lines_total',
  },
  process_cpu_seconds_total: { help: 'Processor time of the process' },
  process_resident_memory_bytes: { help: 'Memory of the process' },
  process_heap_bytes: { help: 'Part of it that JavaScript uses in the main thread' },
  process_open_files: { help: 'Open files and connections; absent if the system does not say' },
  disk_free_bytes: { help: 'Free space for this user on the disk of the state folder' },
  disk_size_bytes: { help: 'Size of the disk of the state folder' },
  journal_bytes: { help: 'Size of the journal, without its archives' },
} as const satisfies Record<string, MetricEntry>;

/** Metrics about notifications, since the start. */
const notifications = {
  notify_waiting: { help: 'Messages that wait for a channel', labels: ['channel'] },
  notify_oldest_age_seconds: {
    help: 'Age of the oldest message that waits; 0 if none',
    labels: ['channel'],
  },
  notify_delivered_total: { help: 'Messages delivered by a channel', labels: ['channel'] },
  notify_failures_total: { help: 'Failed delivery attempts of a channel', labels: ['channel'] },
  notify_dropped_total: {
    help: 'Messages a channel never delivers: its queue was full, or it refused them',
    labels: ['channel'],
  },
  notify_down: {
    help: '1 while a channel has been failing for notify.downMinutes',
    labels: ['channel'],
  },
  notify_strangers_total: { help: 'Messages from chats that the config does not name' },
  heartbeats_total: { help: 'Heartbeats, by outcome: ok, failed', labels: ['outcome'] },
} as const satisfies Record<string, MetricEntry>;

/** Metrics of a run by group, in the order of `/metrics`, under their names without `drover_`. */
export const METRIC_GROUPS = { run, money, orders, machine, notifications };

export type MetricName = {
  [G in keyof typeof METRIC_GROUPS]: keyof (typeof METRIC_GROUPS)[G];
}[keyof typeof METRIC_GROUPS];

/** Name of a metric in a scrape. */
export const scrapedName = (name: string): string => `drover_${name}`;
