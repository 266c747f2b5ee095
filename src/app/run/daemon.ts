import { killFilesOf } from '../environment/killSwitch.ts';
import { toIso, type EpochMs } from '../../core/brand.ts';
import type { VenueClient } from '../../api/client.ts';
import type { Cancel, Clock, Host } from '../../core/clock.ts';
import { VERSION } from '../../core/version.ts';
import type { Journal, JournalEntry } from '../../domain/journalEvent.ts';
import type { OperatorAnswer, OperatorRequest } from '../../domain/operator/command.ts';
import type { Notice } from '../../engine/state/notice.ts';
import type { RunnerOptions } from '../../engine/runtime/runOptions.ts';
import type { Runner } from '../../engine/runtime/runner.ts';
import { commandOf as helpOf, severityOf } from '../../engine/state/alarmCodes.ts';
import type { Alarm } from '../../engine/state/alarms.ts';
import type { Daemon, DaemonEvent, DaemonIdentity } from '../../ops/daemon.ts';
import { standstillOf } from '../../ops/health.ts';
import { NoticeRing } from '../../ops/model/notices.ts';
import type { AlarmView, NoticeView, Status } from '../../ops/model/status.ts';
import { differencesOf, statusOf, type StatusSource } from '../../ops/model/statusOf.ts';
import { Readiness } from '../../ops/readiness.ts';
import type { LoadedConfig } from '../config/load.ts';
import { accountOf, journalFile } from '../environment/ownership.ts';
import { shellWord } from '../../process/quotedCommand.ts';
import { machineUse } from './machineUse.ts';
import type { NotifierCounts } from '../../ops/notify/notifier.ts';
import type { RunMonitor } from './monitor.ts';
import type { ConfigReload } from './reload.ts';

type Listener = (event: DaemonEvent) => void;

/** Events of a run, for all listeners. A failing listener is reported, and never stops the run. */
export class DaemonEvents {
  readonly #listeners = new Set<Listener>();
  readonly #notices = new NoticeRing();
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

  /** Receives entries that the journal has just made durable. */
  committed(entries: readonly JournalEntry[]): void {
    if (this.#listeners.size === 0) return;
    this.#publish({ kind: 'committed', first: this.#journal.length() - entries.length + 1, entries });
  }

  /** Number of the journal's last entry. */
  get journalLength(): number {
    return this.#journal.length();
  }

  /** Latest notices, oldest first. */
  latest(count: number): readonly NoticeView[] {
    return this.#notices.latest(count);
  }

  noticed(notice: Notice): void {
    this.#notices.add(notice);
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
  reload: ConfigReload;
  /** Absolute path. */
  stateDir: string;
  strategies: RunnerOptions['strategies'];
  /** Clock of the run. */
  clock: Clock;
  events: DaemonEvents;
  client: VenueClient;
  monitor: RunMonitor;
  reports: Readonly<{ counts: () => NotifierCounts | null }>;
  pid: number;
}>;

/** A run as its control API presents it. */
export function daemonOf(parts: DaemonParts): Daemon {
  const { runner, reload, clock, events, client, monitor, reports } = parts;
  const { kernel } = runner;
  const { context } = kernel;
  const identity = identityOf(parts);
  const now = () => clock.now();
  const run = () => ({ obstacles: runner.obstacles, phase: runner.phase });
  const readiness = new Readiness({ context, run, budget: () => client.budget });
  const health = () => readiness.look(now());
  const status = () => {
    const at = now();
    return runStatus(parts, { identity, now: at, health: readiness.look(at) });
  };
  return {
    identity,
    context,
    alarms: runner.alarms,
    status,
    health,
    standstill: () => standstillOf(context, now()),
    metrics: (readers) =>
      monitor.scrape({
        status,
        health,
        context,
        now,
        readers,
        client,
        notifier: reports.counts,
        machine: () => machineUse(parts.stateDir, journalFile(parts.stateDir)),
      }),
    command: (request) => commandOf(request, { runner, reload }),
    refusal: (command) => kernel.operator.against(command),
    progress: (id) => runner.progress(id),
    journalLength: () => events.journalLength,
    notices: (count) => events.latest(count),
    subscribe: (listener) => events.subscribe(listener),
  };
}

/** Interval in ms between two checks of a run's health. */
const LOOK_MS = 1_000;

/** Checks the health of a run periodically, because only lasting problems count, whether or not a client asks. */
export function watchHealth(daemon: Pick<Daemon, 'health'>, host: Pick<Host, 'after'>): Cancel {
  let cancel: Cancel = () => undefined;
  const look = () => {
    daemon.health();
    cancel = host.after(LOOK_MS, look);
  };
  look();
  return () => cancel();
}

const identityOf = ({ loaded, stateDir, clock, pid }: DaemonParts): DaemonIdentity => ({
  mode: loaded.config.mode,
  account: accountOf(loaded),
  version: VERSION,
  stateDir,
  pid,
  startedAt: toIso(clock.now()),
  killFiles: killFilesOf(loaded, stateDir),
});

const runStatus = (
  { runner, strategies, client, stateDir }: DaemonParts,
  run: Pick<StatusSource, 'identity' | 'now' | 'health'>,
): Status =>
  statusOf({
    ...run,
    isRunning: true,
    context: runner.kernel.context,
    strategies,
    differences: differencesOf(runner.kernel.reconciliation),
    dust: runner.kernel.reconciliation.dust.all,
    alarms: runner.alarms.all.map((alarm) =>
      alarmView(alarm, { account: run.identity.account, now: run.now }),
    ),
    budget: client.budget,
    flags: ` --state ${shellWord(stateDir)}`,
  });

/** Submits a command. A reload of the config is supplemented with the changes in the file. */
async function commandOf(
  request: OperatorRequest,
  { runner, reload: config }: Pick<DaemonParts, 'runner' | 'reload'>,
): Promise<OperatorAnswer> {
  const { command } = request;
  if (command.kind !== 'reload') return runner.command(request);
  const isFirst = runner.kernel.context.accountState.commands.of(request.id) === undefined;
  const { reload, apply } = config.prepare(command);
  // A reload before the response is compared with this one: the run applies both, in this order.
  if (isFirst) apply();
  return runner.command({ ...request, command: { kind: 'reload', ...reload } });
}

/** An alarm as the status shows it. */
export function alarmView(
  alarm: Alarm,
  { account, now }: Readonly<{ account: string; now: EpochMs }>,
): AlarmView {
  const { id, at, text, count, acknowledged, code, strategyId, symbol } = alarm;
  return {
    id,
    at: toIso(at),
    text,
    count,
    acknowledged,
    code,
    severity: severityOf(code, acknowledged ? 0 : now - at),
    subject: { account, strategy: strategyId, symbol },
    command: helpOf(code, symbol, strategyId),
    ends: null,
  };
}
