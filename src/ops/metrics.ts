import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { BudgetUse } from '../api/budget.ts';
import type { Exchange } from '../api/requester.ts';
import { SECOND_MS, type EpochMs } from '../core/brand.ts';
import type { AccountState } from '../domain/account/accountState.ts';
import { orderCountsOf } from '../engine/runtime/summary.ts';
import type { EngineContext } from '../engine/state/engineContext.ts';
import type { LoopDelay } from './eventLoop.ts';
import type { Health } from './health.ts';
import {
  helpOf,
  isCounter,
  METRIC_GROUPS,
  scrapedName,
  type MetricEntry,
  type MetricName,
} from './metricTable.ts';
import type { NotifierCounts } from './notify/notifier.ts';
import type { Status } from './model/status.ts';
import { unknownOrders, unknownTransfers } from './model/todo.ts';
import { TRADING_STATES } from '../domain/operator/restriction.ts';

/** Machine use of a run; null where the system does not report it. */
export type MachineUse = Readonly<{
  cpuSeconds: number;
  residentBytes: number;
  heapBytes: number;
  openFiles: number | null;
  diskFreeBytes: number | null;
  diskSizeBytes: number | null;
  journalBytes: number | null;
}>;

/** State of a run from which its metrics are computed at each scrape. */
export type MetricsSource = Readonly<{
  status: () => Status;
  health: () => Health;
  context: EngineContext;
  now: () => EpochMs;
  budget: () => BudgetUse;
  loopDelay: () => LoopDelay | null;
  /** Number of event stream readers. */
  readers: () => number;
  /** Notification counts; null without notifications. */
  notifier: () => NotifierCounts | null;
  /** Number of dropped lines by output. */
  dropped: ReadonlyMap<string, () => number>;
  machine: () => MachineUse;
}>;

/**
 * Metrics of one run in the Prometheus text format. All but two are computed at the scrape; the histograms of requests
 * and commits are updated during the run. No label contains an id, an address or text from the venue.
 */
export class RunMetrics {
  readonly #source: MetricsSource;
  readonly #registry = new Registry();
  readonly #gauges = new Map<string, Gauge>();
  readonly #counters = new Map<string, Counter>();
  /** Largest value of each counter so far, by name and labels. */
  readonly #counted = new Map<string, number>();
  readonly #histograms = new Map<string, Histogram>();
  readonly #endpoints: ReadonlySet<string>;

  /** @param endpoints method and path template of each venue endpoint; all others count as `other` */
  constructor(source: MetricsSource, endpoints: ReadonlySet<string>) {
    this.#source = source;
    this.#endpoints = endpoints;
    for (const group of Object.values(METRIC_GROUPS))
      for (const [name, entry] of Object.entries<MetricEntry>(group)) this.#register(name, entry);
  }

  #register(name: string, entry: MetricEntry): void {
    const { labels = [], buckets } = entry;
    const help = helpOf(entry);
    const setup = {
      name: scrapedName(name),
      help,
      labelNames: [...labels],
      registers: [this.#registry],
    };
    if (isCounter(name)) this.#counters.set(name, new Counter(setup));
    else if (buckets) this.#histograms.set(name, new Histogram({ ...setup, buckets: [...buckets] }));
    else this.#gauges.set(name, new Gauge(setup));
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  readonly observeRequest = ({ endpoint, outcome, ms }: Exchange): void => {
    const known = this.#endpoints.has(endpoint) ? endpoint : 'other';
    this.#observe('request_duration_seconds', ms, { endpoint: known, outcome });
  };

  readonly observeCommit = (ms: number): void => {
    this.#observe('commit_duration_seconds', ms);
  };

  #observe(name: MetricName, ms: number, labels: Record<string, string> = {}): void {
    this.#histograms.get(name)?.observe(labels, ms / SECOND_MS);
  }

  /** Response to a scrape. */
  text(): Promise<string> {
    for (const gauge of this.#gauges.values()) gauge.reset();
    const status = this.#source.status();
    this.#registry.setDefaultLabels({
      account: shortened(status.account),
      version: status.version,
    });
    this.#setRun(status);
    this.#setMoney(status);
    this.#setOrders(status);
    this.#setHeld(status);
    this.#setTrouble(status);
    this.#setMachine();
    this.#setNotify();
    return this.#registry.metrics();
  }

  #set(name: MetricName, value: number | null, labels: Record<string, string> = {}): void {
    if (value === null || !Number.isFinite(value)) {
      if (Object.keys(labels).length === 0) this.#gauges.get(name)?.remove();
      return;
    }
    this.#gauges.get(name)?.set(labels, value);
  }

  /** Raises a counter to a value. After a downward correction it stays: Prometheus takes a smaller value for a restart. */
  #count(name: MetricName, value: number, labels: Record<string, string> = {}): void {
    const key = `${name} ${JSON.stringify(labels)}`;
    const before = this.#counted.get(key) ?? 0;
    const reached = Math.max(before, value);
    this.#counted.set(key, reached);
    this.#counters.get(name)?.inc(labels, reached - before);
  }

  #setRun({ version, mode, startedAt, session, freshness }: Status): void {
    const { health, context, now } = this.#source;
    const { ready, checks, canSend, canProtect } = health();
    this.#set('build_info', 1, { version, mode });
    this.#set('started_timestamp_seconds', Date.parse(startedAt) / SECOND_MS);
    this.#set('ready', Number(ready));
    this.#set('can_send', Number(canSend.ok));
    this.#set('can_protect', Number(canProtect.ok));
    for (const { name, ok } of checks) this.#set('health_check', Number(ok), { check: name });
    this.#set('last_step_age_seconds', Math.max(0, now() - context.now) / SECOND_MS);
    this.#set('session_open', Number(session.phase === 'regular'));
    this.#set('quotes_age_seconds', seconds(freshness.quotesMs));
    this.#set('orders_age_seconds', seconds(freshness.ordersMs));
    this.#set('account_age_seconds', seconds(freshness.accountMs));
  }

  #setMoney({ equity, cash, unallocated, strategies, limits }: Status): void {
    this.#set('account_equity_musd', Number(equity));
    this.#set('account_cash_musd', Number(cash));
    this.#set('unallocated_equity_musd', Number(unallocated.equity));
    for (const { id: strategy, pnl, positions, ...own } of strategies) {
      this.#set('equity_musd', Number(own.equity), { strategy });
      this.#set('cash_musd', Number(own.cash), { strategy });
      this.#set('fees_musd', Number(pnl.fees), { strategy });
      this.#count('fees_musd_total', Number(pnl.fees), { strategy });
      for (const kind of ['today', 'realised', 'unrealised', 'total'] as const)
        this.#set('pnl_musd', Number(pnl[kind]), { strategy, kind });
      for (const { symbol, value } of positions)
        this.#set('position_value_musd', value === null ? null : Number(value), { strategy, symbol });
    }
    for (const { name, scope, used, limit } of limits)
      if (used !== null)
        this.#set('limit_used_ratio', Number(used) / Number(limit), {
          limit: name,
          scope,
        });
  }

  #setOrders({ orders, waiting, unknown }: Status): void {
    const { context, now } = this.#source;
    const { planned: _planned, sent: _sent, ...standing } = orderCountsOf(context.accountState);
    for (const [end, count] of Object.entries(standing)) {
      this.#set('orders', count, { end });
      if (end !== 'working' && end !== 'unknown') this.#count('orders_ended_total', count, { end });
    }
    this.#set('open_orders', orders.length);
    this.#set('waiting_intents', waiting.length);
    this.#set('unknown', unknown);
    this.#set('unknown_oldest_age_seconds', oldestUnknownMs(context, now()) / SECOND_MS);
  }

  #setHeld({ heldOrders, now }: Status): void {
    const counts = new Map<string, number>();
    for (const { strategy, kind } of heldOrders) {
      const labels = `${kind} ${strategy}`;
      counts.set(labels, (counts.get(labels) ?? 0) + 1);
      this.#set('held_orders', counts.get(labels) ?? 0, { strategy, kind });
    }
    const triggered = heldOrders.filter((one) => one.triggered !== null);
    const unsent = triggered.filter(({ state }) => state !== 'working');
    const since = unsent.map((one) => Date.parse(one.triggered?.at ?? now));
    const ageMs = since.length === 0 ? 0 : Math.max(0, Date.parse(now) - Math.min(...since));
    this.#set('held_orders_triggered', triggered.length);
    this.#set('held_orders_suspended', heldOrders.filter(({ suspended }) => suspended !== null).length);
    this.#set('held_trigger_unsent_age_seconds', ageMs / SECOND_MS);
  }

  #setTrouble({ differences, frozen, state, restrictions, alarms }: Status): void {
    const { stopped } = this.#accountState;
    this.#set('differences', differences.length);
    this.#set('frozen_symbols', frozen.length);
    for (const each of TRADING_STATES)
      this.#set('trading_state', Number(each === state.trading), {
        state: each,
      });
    this.#set('restrictions', restrictions.length);
    this.#set('strategies_stopped', stopped.size);
    const open = alarms.filter(({ acknowledged }) => !acknowledged);
    for (const { code, severity } of open) {
      const count = open.filter((one) => one.code === code && one.severity === severity).length;
      this.#set('alarms', count, { code, severity });
    }
    this.#set('alarms_unacknowledged', open.length);
  }

  #setMachine(): void {
    const { budget, loopDelay, readers, dropped } = this.#source;
    const { used, perMinute } = budget();
    this.#set('requests_last_minute', used);
    this.#set('requests_per_minute_max', perMinute);
    this.#set('event_readers', readers());
    for (const [output, count] of dropped) {
      this.#set('dropped_lines', count(), { output });
      this.#count('dropped_lines_total', count(), { output });
    }
    this.#setUse();
    const delay = loopDelay();
    if (delay === null) return;
    this.#set('event_loop_delay_seconds', delay.median, { quantile: '0.5' });
    this.#set('event_loop_delay_seconds', delay.p99, { quantile: '0.99' });
    this.#set('event_loop_delay_seconds', delay.max, { quantile: '1' });
  }

  #setUse(): void {
    const use = this.#source.machine();
    this.#count('process_cpu_seconds_total', use.cpuSeconds);
    this.#set('process_resident_memory_bytes', use.residentBytes);
    this.#set('process_heap_bytes', use.heapBytes);
    this.#set('process_open_files', use.openFiles);
    this.#set('disk_free_bytes', use.diskFreeBytes);
    this.#set('disk_size_bytes', use.diskSizeBytes);
    this.#set('journal_bytes', use.journalBytes);
  }

  #setNotify(): void {
    const counts = this.#source.notifier();
    if (counts === null) return;
    for (const { id: channel, ...each } of counts.channels) {
      const age = each.oldestAt === null ? 0 : Math.max(0, this.#source.now() - each.oldestAt);
      this.#set('notify_waiting', each.waiting, { channel });
      this.#set('notify_oldest_age_seconds', age / SECOND_MS, { channel });
      this.#count('notify_delivered_total', each.delivered, { channel });
      this.#count('notify_failures_total', each.failures, { channel });
      this.#count('notify_dropped_total', each.dropped, { channel });
      this.#set('notify_down', Number(each.isDown), { channel });
    }
    this.#count('notify_strangers_total', counts.strangers);
    this.#count('heartbeats_total', counts.heartbeats.sent, { outcome: 'ok' });
    this.#count('heartbeats_total', counts.heartbeats.failures, {
      outcome: 'failed',
    });
  }

  get #accountState(): AccountState {
    return this.#source.context.accountState;
  }
}

/** The account with the middle of its address left out, enough to distinguish accounts. */
const shortened = (account: string): string => account.replace(/(0x[0-9a-f]{4})[0-9a-f]{36}/i, '$1…');

const seconds = (ms: number | null): number | null => (ms === null ? null : ms / SECOND_MS);

/** Age in ms of the oldest order or transfer without a response; 0 if none. */
function oldestUnknownMs(context: EngineContext, now: EpochMs): number {
  const of = { context, isRunning: true };
  const begun = [...unknownOrders(of), ...unknownTransfers(of)].map(({ plannedAt }) => plannedAt);
  return begun.length === 0 ? 0 : Math.max(0, now - Math.min(...begun));
}
