import { toIso } from '../../../core/brand.ts';
import type { Cancel, Clock } from '../../../core/clock.ts';
import { VERSION } from '../../../core/version.ts';
import type { Journal, JournalEntry } from '../../../domain/journalEvent.ts';
import type { Notice } from '../../../engine/state/notice.ts';
import type { Runner } from '../../../engine/runtime/runner.ts';
import type { Daemon, DaemonEvent } from '../../../ops/daemon.ts';
import type { Status } from '../../../ops/model/status.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { accountOf } from '../../environment/ownership.ts';

type Listener = (event: DaemonEvent) => void;

/** Happenings of a run, for all that listen. A listener that fails is reported, and never keeps the run from its work. */
export class DaemonEvents {
  readonly #listeners = new Set<Listener>();
  readonly #journal: Pick<Journal, 'length'>;
  readonly #onFailure: (error: unknown) => void;

  constructor(journal: Pick<Journal, 'length'>, onFailure: (error: unknown) => void) {
    this.#journal = journal;
    this.#onFailure = onFailure;
  }

  subscribe(listener: Listener): Cancel {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Takes the entries that the journal has just made durable. */
  committed(entries: readonly JournalEntry[]): void {
    if (this.#listeners.size === 0) return;
    this.#publish({ kind: 'committed', first: this.#journal.length() - entries.length + 1, entries });
  }

  noticed(notice: Notice): void {
    if (this.#listeners.size > 0) this.#publish({ kind: 'notice', notice });
  }

  #publish(event: DaemonEvent): void {
    for (const listener of this.#listeners)
      try {
        listener(event);
      } catch (error) {
        this.#onFailure(error);
      }
  }
}

export type DaemonParts = Readonly<{
  runner: Runner;
  loaded: LoadedConfig;
  /** Absolute path. */
  stateDir: string;
  /** Clock of the run. */
  clock: Clock;
  events: DaemonEvents;
  pid: number;
}>;

/** A run as its control API sees it. */
export function daemonOf({ runner, loaded, stateDir, clock, events, pid }: DaemonParts): Daemon {
  const identity = {
    mode: loaded.config.mode,
    account: accountOf(loaded),
    version: VERSION,
    stateDir,
    pid,
    startedAt: toIso(clock.now()),
  };
  return {
    identity,
    context: runner.kernel.context,
    status: () => statusOf(runner, identity, clock),
    command: (request) => runner.command(request),
    progress: (id) => runner.progress(id),
    subscribe: (listener) => events.subscribe(listener),
  };
}

/** The run in short. */
function statusOf(
  { kernel: { context }, phase }: Runner,
  { mode, account, version, startedAt }: Daemon['identity'],
  clock: Clock,
): Status {
  const { trading } = context.accountState;
  const { state, since, by, reason } = trading.ofRun ?? { state: 'active', since: null, by: '', reason: '' };
  const nothing = { today: '0', total: '0', realised: '0', unrealised: '0', fees: '0' };
  return {
    running: true,
    lastEnd: null,
    mode,
    account,
    version,
    startedAt,
    now: toIso(clock.now()),
    state: { trading: state, since: since === null ? startedAt : toIso(since), by, reason },
    restrictions: trading.all.map((restriction) => ({
      state: restriction.state,
      cause: restriction.cause,
      strategy: restriction.scope.strategyId ?? null,
      symbol: restriction.scope.symbol ?? null,
      since: toIso(restriction.since),
      by: restriction.by,
      reason: restriction.reason,
    })),
    session: { phase: 'unknown', date: null, open: null, close: null },
    equity: '0',
    cash: '0',
    pnl: nothing,
    strategies: [],
    unallocated: { equity: '0', cash: '0', pnl: nothing, positions: [] },
    orders: [],
    unknown: 0,
    frozen: [...context.accountState.frozen].map(([symbol, why]) => ({ symbol, why })),
    differences: [],
    todo: [],
    alarms: [],
    limits: [],
    freshness: { quotesMs: null, ordersMs: null, accountMs: null },
    ready: phase === 'running',
  };
}
