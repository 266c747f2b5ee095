import { dirname } from 'node:path';
import type { EpochMs } from '../../../core/brand.ts';
import type { DeniedCall } from '../../../api/allowList.ts';
import { machine, systemClock, type Clock } from '../../../core/clock.ts';
import { messageOf } from '../../../core/errors.ts';
import type { Journal, JournalEntry } from '../../../domain/journalEvent.ts';
import { AlarmBook } from '../../../engine/state/alarms.ts';
import type { Notice } from '../../../engine/state/notice.ts';
import type { RunnerOptions } from '../../../engine/runtime/runOptions.ts';
import { Runner, type RunReport } from '../../../engine/runtime/runner.ts';
import { attributeError } from '../../../app/strategies/loadStrategy.ts';
import { fetchInTurn, sourcesOf } from '../../../app/strategies/fetches.ts';
import { watchSeries } from '../../../app/strategies/seriesFiles.ts';
import { configOf, type LoadedConfig } from '../../../app/config/load.ts';
import { policiesOf } from '../../../app/config/sections.ts';
import type { CommandContext } from '../../../process/context.ts';
import { withHeldKey } from '../../../app/environment/connect.ts';
import { runRules, stateDirOf, withEnvironment } from '../../../app/environment/environment.ts';
import { watchJournal, withJournal } from '../../../app/environment/journal.ts';
import {
  killFilesOf,
  killFileThere,
  strayKillFiles,
  watchKillFiles,
} from '../../../app/environment/killSwitch.ts';
import { planStrategies, watchedSeries, withLocation } from '../../../app/environment/plan.ts';
import {
  keepState,
  markTemporaryState,
  removeTemporaryStates,
  trimTemporaryState,
} from '../../../app/environment/temporaryState.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { InterruptedError } from '../../../process/terminal.ts';
import { readFaults } from '../../../process/files.ts';
import { tcpOf, withControl, type TcpOptions } from '../../../app/run/control.ts';
import { daemonOf, DaemonEvents, watchHealth } from '../../../app/run/daemon.ts';
import { openLog } from '../../../app/run/logFile.ts';
import { RunMonitor } from '../../../app/run/monitor.ts';
import { recalledBars } from '../../../app/run/recalledBars.ts';
import { journalFile } from '../../../app/environment/ownership.ts';
import { openNotify, withReports, type OpenNotify, type RunReports } from '../../../app/run/notifying.ts';
import {
  logNotice,
  alarmOfShownSecrets,
  givenState,
  narratorOf,
  nightText,
  showNextSteps,
  showStart,
  showStarted,
  showSummary,
  type Narrate,
  type RunParts,
} from './messages.ts';
import { ConfigReload } from '../../../app/run/reload.ts';
import { sameFlags, withFlags } from '../../../process/quotedCommand.ts';
import {
  aloneBefore,
  isRestart,
  liveAdvice,
  overridesOf,
  requireSafeStart,
  requireStart,
  untilOf,
  type RunFlags,
} from '../../../app/run/startChecks.ts';

/** `drover run`: trades until its end or a signal, then prints the summary. */
export async function runCommand(flags: RunFlags, context: CommandContext): Promise<number> {
  const dropped = context.detachOutput();
  const loaded = configOf(context, overridesOf(flags));
  requireStart(loaded, flags);
  const advice = liveAdvice(loaded, flags);
  if (advice !== null) context.terminal.err(advice);
  const faults = flags.faults === undefined ? undefined : readFaults(flags.faults, context);
  const print = (text: string) => context.terminal.err(text);
  const before = { isRestart: isRestart(loaded), alone: aloneBefore(loaded) };
  const plan = await planStrategies(loaded, { context, print, ...before });
  try {
    return await runStrategies({ flags, loaded, faults, strategies: plan.strategies, dropped }, context);
  } finally {
    await plan.close();
  }
}

type PlannedRun = Readonly<{
  flags: RunFlags;
  loaded: LoadedConfig;
  faults: unknown;
  dropped: () => number;
}> &
  Pick<RunnerOptions, 'strategies'>;

/**
 * Start of a run: checks, state folder, lock and journal, API key, environment; each is released when the parts that
 * depend on it have ended.
 */
async function runStrategies(planned: PlannedRun, context: CommandContext): Promise<number> {
  const { flags, loaded } = planned;
  const { state } = loaded.config;
  const until = untilOf(flags, loaded);
  await requireSafeStart(loaded, flags, context);
  const tcp = tcpOf(loaded, context);
  const notify = await openNotify(loaded, context);
  if (state === undefined) removeTemporaryStates((text) => context.terminal.err(text));
  const stateDir = stateDirOf(loaded);
  const work = withJournal({ loaded, stateDir, context }, (journal) => {
    if (state === undefined) markTemporaryState(stateDir);
    else keepState(stateDir);
    return withRunKey({ loaded, stateDir, context }, () =>
      runInEnvironment({ ...planned, stateDir, journal, until, tcp, notify }, context),
    );
  });
  return state === undefined ? work.finally(() => trimTemporaryState(stateDir)) : work;
}

type RunPlace = Readonly<{ loaded: LoadedConfig; stateDir: string; context: CommandContext }>;

/** Holds the API key only if orders use it: a dry run only reads, and the emulator in this process has its own keys. */
const withRunKey = <T>({ loaded, stateDir, context }: RunPlace, work: () => Promise<T>): Promise<T> =>
  loaded.config.mode === 'live' ? withHeldKey({ loaded, state: stateDir, context }, work) : work();

type StartedRun = PlannedRun &
  Readonly<{ stateDir: string; tcp: TcpOptions; notify: OpenNotify }> &
  Pick<RunnerOptions, 'journal' | 'until'>;

function runInEnvironment(started: StartedRun, context: CommandContext): Promise<number> {
  const { loaded, stateDir, faults, strategies, until } = started;
  const monitor = new RunMonitor();
  monitor.countDropped('terminal', started.dropped);
  const journal = monitor.timed(started.journal);
  const screen = narratorOf(context);
  const alarms = new AlarmBook();
  const narrateAlarm = (raised: Notice) => {
    const notice = alarms.take(raised);
    screen(notice);
    events.noticed(notice);
  };
  const input = {
    loaded,
    context,
    stateDir,
    faults,
    log: (clock: Clock) => openLog({ loaded, stateDir, context, clock, monitor }),
    onNight: (end: EpochMs, clock: Clock) =>
      screen({ at: clock.now(), kind: 'session', strategyId: null, text: nightText(end) }),
    onDenied: (call: DeniedCall, clock: Clock) =>
      keepDenial(call, { journal, clock, narrate: narrateAlarm }, events),
  };
  const failed = (error: unknown) => context.terminal.err(`an event was not shown: ${messageOf(error)}`);
  const events = new DaemonEvents(journal, failed);
  const work = withEnvironment(input, async (environment) => {
    const inside = { ...started, context, environment, narrate: screen, events, alarms, monitor };
    const report = await withReports({ ...inside, journal }, (reports) => {
      const parts = { ...inside, reports };
      showStart(parts, stateDir);
      for (const text of started.notify?.lacking ?? [])
        narrateAlarm({
          at: environment.clock.now(),
          kind: 'alarm',
          strategyId: null,
          text,
          code: 'NOTIFICATIONS_FAIL',
        });
      if (context.shownSecrets?.length)
        alarmOfShownSecrets({ ...parts, narrate: narrateAlarm }, context.shownSecrets);
      return trade(parts, { journal, strategies, until });
    });
    showSummary(report, inside);
    showNextSteps(inside, { stateDir, strategies });
    return isClean(report) ? EXIT.done : EXIT.failed;
  });
  return work.finally(() => monitor.close());
}

/** True when every send has its response, every plan was sent, no strategy stopped with an error, and the run may trade. */
const isClean = ({ stop: { left, unconfirmed }, strategies }: RunReport): boolean =>
  left.unknown === 0 &&
  left.planned === 0 &&
  unconfirmed === undefined &&
  strategies.every(({ state }) => state === 'running');

type TradeOptions = Pick<RunnerOptions, 'journal' | 'strategies' | 'until'>;
type TradeParts = RunParts &
  Readonly<{
    stateDir: string;
    events: DaemonEvents;
    tcp: TcpOptions;
    alarms: AlarmBook;
    monitor: RunMonitor;
    reports: RunReports;
    flags: RunFlags;
  }>;

/** Runs the strategies until the run ends or a signal arrives. Engine errors get their place in the config. */
async function trade(parts: TradeParts, options: TradeOptions): Promise<RunReport> {
  const { loaded, context, stateDir } = parts;
  const killFiles = killFilesOf(loaded, stateDir);
  const killed = () => killFileThere(killFiles) !== undefined;
  const runner = runnerOf(parts, { ...options, killed });
  const signal = context.stopSignal(() => showSummary(runner.endNow('told twice to stop'), parts));
  const forget = context.onCrash((error) => {
    const attributed = attributeError(error, options.strategies);
    const why = context.secrets.redact(messageOf(attributed));
    parts.environment.log.fatal({ stack: error instanceof Error ? error.stack : undefined }, why);
    runner.endNow(why, 'crashed');
    return attributed;
  });
  const stop = () =>
    runner.stop(typeof signal.reason === 'string' ? `asked to stop by ${signal.reason}` : 'asked to stop');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const unwatch = watchJournal(options.journal, machine, (error) => runner.fail(error));
  const unwatchKillFiles = watchKillFiles(killFiles, machine, (there) =>
    runner.heed({ kind: 'killFiles', there }),
  );
  const strays = strayKillFiles(killFiles, [context.cwd, dirname(loaded.file), dirname(stateDir)]);
  const unwatchStrays = watchKillFiles(strays, machine, (there) => {
    if (there.length > 0)
      runner.notify('alarm', strayText(there, killFiles), { code: 'KILL_FILE_ELSEWHERE' });
  });
  const series = watchedSeries(loaded, options.strategies);
  const unwatchSeries = watchSeries(series, machine, (change) => runner.heed(change));
  const sources = sourcesOf(loaded.config.strategies);
  const endFetching = fetchInTurn(sources, systemClock, (answer) => runner.heed(answer));
  try {
    return await runWithControl({ runner, strategies: options.strategies }, parts);
  } catch (error) {
    throw withLocation(error, loaded);
  } finally {
    unwatch();
    unwatchKillFiles();
    unwatchStrays();
    unwatchSeries();
    endFetching();
    signal.removeEventListener('abort', stop);
    context.stopSignal(); // a second signal from here on finds the report shown, and the journal closed
    forget();
  }
}

const strayText = (there: readonly string[], own: readonly string[]): string =>
  `${there.join(' and ')} stops nothing: this run watches ${own.join(' and ')}. Move it there to stop orders`;

/** Runs with the control API open. It accepts commands once the runner has read the journal. */
function runWithControl(
  { runner, strategies }: Readonly<{ runner: Runner }> & Pick<RunnerOptions, 'strategies'>,
  parts: TradeParts,
): Promise<RunReport> {
  const { loaded, context, environment, tcp, flags, reports } = parts;
  const reload = new ConfigReload(loaded, () => configOf(context, overridesOf(flags)));
  const { clock, client, log } = environment;
  const daemon = daemonOf({ ...parts, runner, reload, strategies, clock, client, pid: context.pid });
  const allowsMoney = () => reload.allowsMoney;
  const door = tcp && { ...tcp, allowsMoney };
  return withControl(
    { loaded, daemon, tcp: door, allowsMoney, context, log, notify: runner.notify },
    (begun) =>
      environment.during(async () => {
        if (!(await runner.recover()))
          throw new InterruptedError('stopped while the journal was read: nothing was sent');
        const running = runner.run();
        begun();
        reports.begin({ ...daemon, notify: runner.notify });
        const unwatch = watchHealth(daemon, machine);
        if (context.env['NOTIFY_SOCKET'] === undefined) return running.finally(unwatch);
        const { reportToSystemd } = await import('./systemd.ts');
        const end = reportToSystemd({ daemon, phase: () => runner.phase, context, log });
        return running.finally(end).finally(unwatch);
      }),
  );
}

function runnerOf(
  { loaded, context, stateDir, environment, narrate, events, alarms }: TradeParts,
  options: TradeOptions & Pick<RunnerOptions, 'killed'>,
): Runner {
  const { clock, venue, transferPort, log, watchdog } = environment;
  const flags = sameFlags(context, givenState(loaded));
  const deliver = (notice: Notice) => {
    const completed = { ...notice, text: withFlags(notice.text, flags) };
    narrate(completed);
    logNotice(log, completed);
    events.noticed(completed);
  };
  const rules = runRules(loaded, environment);
  const { calendar } = rules;
  return new Runner({
    ...options,
    alarms,
    clock,
    venue,
    deliver,
    committed(entries) {
      if (entries.some(({ fact }) => fact.kind === 'started')) showStarted({ loaded, context });
      events.committed(entries);
    },
    ...rules,
    ...(transferPort ? { transferPort, treasury: policiesOf(loaded.config) } : {}),
    atStop: loaded.config.stop,
    recallBars: (sets) => recalledBars(journalFile(stateDir), sets, { now: clock.now(), calendar }),
    ...(watchdog ? { watchdog } : {}),
  });
}

/** Journals a call blocked by the signing rules, which is a bug or an attack, and raises an alarm. It is already logged. */
function keepDenial(
  { method, path, group, reason }: DeniedCall,
  { journal, clock, narrate }: Readonly<{ journal: Journal; clock: Clock; narrate: Narrate }>,
  events: DaemonEvents,
): void {
  const at = clock.now();
  const entry: JournalEntry = { at, fact: { kind: 'denied', method, path, group } };
  journal.commit([entry]);
  events.committed([entry]);
  narrate({
    at,
    kind: 'alarm',
    strategyId: null,
    text: `${method} ${path} was not signed: ${reason}`,
    code: 'CALL_DENIED',
  });
}
