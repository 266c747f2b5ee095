import { basename } from 'node:path';
import {
  InvalidValueError,
  ConfigError,
  messageOf,
  SafetyError,
  VenueRefusedError,
} from '../../../core/errors.ts';
import type { Until, RunnerOptions } from '../../../engine/runtime/runOptions.ts';
import { parseInstant, calendarOf } from '../../config/fields.ts';
import { newYorkClock, newYorkDate } from '../../../calendar/index.ts';
import type { DeniedCall } from '../../../api/allowList.ts';
import { machine, type Cancel, type Clock } from '../../../core/clock.ts';
import { toIso } from '../../../core/brand.ts';
import type { Journal } from '../../../domain/journalEvent.ts';
import type { TradingRules } from '../../../engine/state/engineContext.ts';
import type { Notice } from '../../../engine/state/notice.ts';
import { Runner, type RunReport } from '../../../engine/runtime/runner.ts';
import {
  configFileOf,
  configOf,
  stateOverride,
  type LoadedConfig,
  type Override,
  venueOf,
  requireRunnable,
} from '../../config/load.ts';
import { policiesOf } from '../../config/sections.ts';
import { readSecret } from '../../config/secrets.ts';
import { attributeError } from '../../attributeError.ts';
import { clockOf } from '../../environment/connect.ts';
import type { CommandContext } from '../../context.ts';
import { EXIT } from '../../exitCodes.ts';
import { readFaults } from '../../files.ts';
import { toJson } from '../../output.ts';
import { sameFlags, withFlags } from '../../wire.ts';
import { requireCalm } from '../../run/crashes.ts';
import { claimState } from '../../environment/ownership.ts';
import { requireJournal, requireTrusted, withJournal, watchJournal } from '../../environment/journal.ts';
import { holdKey, holderOf } from '../../environment/locks.ts';
import { openLog } from '../../run/log.ts';
import { logNotice, narrator } from '../../run/narrator.ts';
import { nextSteps } from '../../run/nextSteps.ts';
import { openEnvironment, stateDirOf, type TradingEnvironment } from '../../environment/environment.ts';
import { delegationPin } from '../../environment/pins.ts';
import { killFilesOf, killFileThere, killSwitch, watchKillFile } from '../../environment/killSwitch.ts';
import { withLocation, planStrategies, sendingRules } from '../../environment/plan.ts';
import { noSessionText, summaryText } from '../../run/summaryTable.ts';
import {
  keepState,
  markTemporaryState,
  removeTemporaryStates,
  trimTemporaryState,
} from '../../environment/temporaryState.ts';

/** `close`, `sessions:3`, or an instant. @throws {InvalidValueError} */
export function parseUntil(text: string): Until {
  if (text === 'close') return { kind: 'sessions', count: 1 };
  const [, count] = /^sessions:([1-9]\d{0,4})$/.exec(text) ?? [];
  if (count !== undefined) return { kind: 'sessions', count: Number(count) };
  try {
    return { kind: 'instant', at: parseInstant(text) };
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    throw new InvalidValueError(
      `--until ${text}: write close, sessions:N or a time such as 2026-06-15T16:30`,
    );
  }
}

export type RunFlags = Readonly<{
  mode?: string;
  live?: boolean;
  start?: string;
  speed?: number | string;
  until?: string;
  state?: string;
  seed?: number | string;
  /** A file. */
  faults?: string;
  afterCrashes?: boolean;
}>;

/** `drover run`: trades until told, then says how it went. */
export async function runCommand(flags: RunFlags, context: CommandContext): Promise<number> {
  const loaded = configOf(context, overridesOf(flags));
  requireStart(loaded, flags);
  const advice = liveAdvice(loaded, flags);
  if (advice !== null) context.terminal.err(advice);
  const faults = flags.faults === undefined ? undefined : readFaults(flags.faults, context);
  const plan = await planStrategies(loaded, (text) => context.terminal.err(text));
  try {
    return await runStrategies({ flags, loaded, faults, strategies: plan.strategies }, context);
  } finally {
    await plan.close();
  }
}

/** Advice to someone who asks for real trading by a config of another mode; null when there is none to give. */
const liveAdvice = ({ config: { mode } }: LoadedConfig, { live }: RunFlags): string | null =>
  live && mode !== 'live'
    ? `drover: --live does nothing in mode ${mode}: nothing is traded for real. For that, set mode: live in the config`
    : null;

type Planned = Readonly<{ flags: RunFlags; loaded: LoadedConfig; faults: unknown }> &
  Pick<RunnerOptions, 'strategies'>;

async function runStrategies(planned: Planned, context: CommandContext): Promise<number> {
  const { flags, loaded, faults, strategies } = planned;
  const until = untilOf(flags, loaded);
  const { state } = loaded.config;
  if (state !== undefined) {
    requireTrusted({ loaded, stateDir: state });
    requireJournal(state);
  }
  if (loaded.config.mode !== 'emulator' && !flags.afterCrashes) await requireNoLoop(loaded, context);
  if (loaded.config.mode === 'live') await requireHealth(loaded, context);
  if (state === undefined) removeTemporaryStates((text) => context.terminal.err(text));
  const stateDir = stateDirOf(loaded);
  claimState(loaded, stateDir);
  const work = withJournal({ loaded, stateDir, context }, async (journal) => {
    if (state === undefined) markTemporaryState(stateDir);
    else keepState(stateDir);
    const releaseKey = holdKeyOf(loaded, stateDir, context);
    const narrate = narratorOf(context);
    const environment = await openEnvironment({
      loaded,
      context,
      stateDir,
      faults,
      log: (clock) => openLog({ loaded, stateDir, context, clock }),
      onDenied: (call, clock) => keepDenial(call, { journal, clock, narrate }),
    });
    const unwatch: Cancel[] = [];
    try {
      const told = { loaded, context, environment, narrate };
      showStart(told, stateDir);
      const killFiles = killFilesOf(loaded, stateDir);
      const killed = () => killFileThere(killFiles) !== undefined;
      for (const file of killFiles)
        unwatch.push(
          watchKillFile(killSwitch(file), machine, (isThere) => alarmOfKillFile(told, file, isThere)),
        );
      if (context.shownSecrets?.length) alarmOfShownSecrets(told, context.shownSecrets);
      const report = await trade(told, { journal, strategies, until, killed });
      showSummary(report, told);
      showNextSteps(told, { stateDir, strategies });
      return isClean(report) ? EXIT.done : EXIT.failed;
    } finally {
      for (const cancel of unwatch) cancel();
      await environment.close();
      releaseKey();
    }
  });
  return state === undefined ? work.finally(() => trimTemporaryState(stateDir)) : work;
}

/** Every send has its answer, nothing was planned that was not sent, no strategy was stopped by its own error, and the run may trade. */
const isClean = ({ stop: { left, unconfirmed }, strategies }: RunReport): boolean =>
  left.unknown === 0 &&
  left.planned === 0 &&
  unconfirmed === undefined &&
  strategies.every(({ state }) => state === 'running');

/** Only where orders go out by it: a dry run reads, and the emulator in this process has keys of its own. */
function holdKeyOf(loaded: LoadedConfig, stateDir: string, context: CommandContext): () => void {
  if (loaded.config.mode !== 'live') return () => undefined;
  const venue = venueOf(loaded);
  const apiKey = readSecret('apiKey', venue, context);
  return holdKey({ apiKey, baseUrl: venue.baseUrl, holder: holderOf(context, stateDir) }, context.env);
}

type RunParts = Readonly<{
  loaded: LoadedConfig;
  context: CommandContext;
  environment: TradingEnvironment;
  narrate: Narrate;
}>;
type Given = Pick<RunnerOptions, 'journal' | 'strategies' | 'until' | 'killed'>;

/** Runs the strategies until their end or a signal. What the engine refuses is told at its place in the config. */
async function trade(told: RunParts, given: Given): Promise<RunReport> {
  const { loaded, context, environment } = told;
  const runner = runnerOf(told, given);
  const signal = context.stopSignal(() => showSummary(runner.endNow('told twice to stop'), told));
  const forget = context.onCrash((error) => {
    const told = attributeError(error, given.strategies);
    const why = context.secrets.redact(messageOf(told));
    environment.log.fatal({ stack: error instanceof Error ? error.stack : undefined }, why);
    runner.endNow(why, 'crashed');
    return told;
  });
  const stop = () =>
    runner.stop(typeof signal.reason === 'string' ? `asked to stop by ${signal.reason}` : 'asked to stop');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const unwatch = watchJournal(given.journal, machine, (error) => runner.fail(error));
  try {
    return await environment.during(() => runner.run());
  } catch (error) {
    throw withLocation(error, loaded);
  } finally {
    unwatch();
    signal.removeEventListener('abort', stop);
    context.stopSignal(); // a second signal from here on finds the report told, and the journal closed
    forget();
  }
}

function runnerOf({ loaded, context, environment, narrate }: RunParts, given: Given): Runner {
  const { clock, venue, operations, log, watchdog } = environment;
  const flags = sameFlags(context.configFile, givenState(loaded));
  const tell = (notice: Notice) => {
    const told = { ...notice, text: withFlags(notice.text, flags) };
    narrate(told);
    logNotice(log, told);
  };
  return new Runner({
    ...given,
    clock,
    venue,
    tell,
    calendar: calendarOf(loaded.config),
    ...(operations ? { operations, treasury: policiesOf(loaded.config) } : {}),
    rules: {
      ...sendingRules(loaded.config, { readsChain: environment.readsChain }),
      ...pinnedDelegatee(loaded),
    },
    periods: loaded.config.polling,
    ...journaledAssumptions(loaded),
    atStop: loaded.config.stop,
    ...(watchdog ? { watchdog } : {}),
  });
}

/** The overlay to journal with the start; none for the emulator in this process, whose names are always ours. */
const journaledAssumptions = ({
  config: { mode, venue },
}: LoadedConfig): Pick<RunnerOptions, 'assumptions'> =>
  mode !== 'emulator' && venue?.assumptions ? { assumptions: venue.assumptions } : {};

/** The proxy wallet of the config, or the one that a person has confirmed. */
function pinnedDelegatee(loaded: LoadedConfig): Pick<TradingRules, 'delegatee'> {
  const { delegatee } = delegationPin(loaded);
  return delegatee ? { delegatee: delegatee.address } : {};
}

type Narrate = ReturnType<typeof narrator>;

const narratorOf = ({ terminal, json }: CommandContext) =>
  narrator(terminal, (line) => (json ? terminal.err(line) : terminal.out(line)));

type DenialParts = Readonly<{ journal: Journal; clock: Clock; narrate: Narrate }>;

/** A call that the signing rules stopped is a bug or an attack: it is kept, and people are told. The log has it already. */
function keepDenial(
  { method, path, group, reason }: DeniedCall,
  { journal, clock, narrate }: DenialParts,
): void {
  const at = clock.now();
  journal.commit([{ at, fact: { kind: 'denied', method, path, group } }]);
  narrate({
    at,
    kind: 'alarm',
    owner: null,
    text: `${method} ${path} was not signed: ${reason}`,
  });
}

/** What must be so before anything is opened. */
function requireStart(loaded: LoadedConfig, flags: RunFlags): void {
  const { mode } = loaded.config;
  requireRunnable(loaded);
  if (mode === 'emulator') return;
  const flag = (['faults', 'start', 'speed', 'seed'] as const).find((name) => flags[name] !== undefined);
  if (flag !== undefined)
    throw new ConfigError(`--${flag} is for the emulator: mode ${mode} has a venue of its own`);
  if (mode === 'live' && !flags.live)
    throw new SafetyError('mode live trades with real money: say --live if that is what you want');
}

/** By the clock that the journal was written by. Not in a venue of this process's own: there is nobody to spare. */
async function requireNoLoop(loaded: LoadedConfig, context: CommandContext): Promise<void> {
  const { state } = loaded.config;
  if (state !== undefined) requireCalm(state, await clockOf(venueOf(loaded), context));
}

/**
 * Live trading starts only when `drover doctor` finds nothing wrong.
 * @throws {ConfigError} naming what it found, when the config is to blame for all of it
 * @throws {VenueRefusedError} naming what it found otherwise
 */
async function requireHealth(loaded: LoadedConfig, context: CommandContext): Promise<void> {
  const [{ diagnose }, { areMistakes, failuresIn }] = await Promise.all([
    import('../../doctor/diagnose.ts'),
    import('../../doctor/finding.ts'),
  ]);
  const failures = failuresIn(await diagnose(loaded, context)).filter(({ bounded }) => bounded !== true);
  if (failures.length === 0) return;
  const lines = failures.map(
    ({ check, detail, remedy }) =>
      `\n  ${check}: ${remedy === null ? detail : `${detail.replace(/\.$/, '')}. ${remedy}`}`,
  );
  const Refusal = areMistakes(failures) ? ConfigError : VenueRefusedError;
  throw new Refusal(`not started, for \`drover doctor\` finds:${lines.join('')}`);
}

/** An emulated day that nobody asked to keep ends at its close; everything else goes on until it is stopped. */
function untilOf({ until: text }: RunFlags, { config }: LoadedConfig): Until {
  if (text !== undefined) {
    const until = parseUntil(text);
    const { start } = config.emulator;
    if (config.mode === 'emulator' && until.kind === 'instant' && until.at <= start)
      throw new ConfigError(
        `--until ${text}: the emulated day starts later, at ${toIso(start)}. Write a later time, or an earlier --start`,
      );
    return until;
  }
  return config.mode === 'emulator' && config.state === undefined ? parseUntil('close') : { kind: 'stopped' };
}

function overridesOf(flags: RunFlags): Override[] {
  const paths: Readonly<Record<string, readonly string[]>> = {
    mode: ['mode'],
    start: ['emulator', 'start'],
    speed: ['emulator', 'speed'],
    seed: ['emulator', 'seed'],
  };
  const named = Object.entries(flags).flatMap(([name, value]) => {
    const path = paths[name];
    return path ? [{ path, value, flag: `--${name}` }] : [];
  });
  return [...named, ...stateOverride(flags)];
}

/** The state folder that `--state` names; undefined where the config does, which other commands look into by themselves. */
const givenState = ({ config, originOf }: LoadedConfig): string | undefined =>
  originOf(['state']) === '--state' ? config.state : undefined;

/** Where and when the run is, and where it is kept. */
function showStart({ loaded, context, environment }: RunParts, stateDir: string): void {
  const { mode, emulator, strategies } = loaded.config;
  const now = environment.clock.now();
  const notes = {
    emulator: emulator.speed === 'max' ? ', as fast as it can' : `, ${emulator.speed} times real speed`,
    'dry-run': '; orders and account are simulated, nothing is sent',
    live: '',
  };
  const { terminal, json } = context;
  const say = (text: string) => (json ? terminal.err(text) : terminal.out(text));
  say(`mode ${mode}: ${newYorkDate(now)} ${newYorkClock(now)} in New York${notes[mode]}`);
  const closed = noSessionText(calendarOf(loaded.config), now);
  if (closed !== null) say(closed);
  say(`strategies ${strategies.map(({ id, use }) => `${id} (${basename(use)})`).join(', ')}`);
  const byHand =
    mode === 'live' && givenState(loaded) !== undefined
      ? `\norders by hand heed the kill file in it only with --state ${stateDir}`
      : '';
  say(`state ${stateDir}; Ctrl-C stops in order${byHand}\n`);
}

/** Raises an alarm when the kill file appears, at the start too, and when it is gone: else a run that may place nothing looks idle. */
function alarmOfKillFile({ context, environment }: RunParts, killFile: string, isThere: boolean): void {
  const text = isThere
    ? `the kill file ${killFile} is there: no order is placed until it is removed; cancels still leave`
    : `the kill file ${killFile} is gone: it stops no order any more`;
  const notice: Notice = { at: environment.clock.now(), kind: 'alarm', owner: null, text };
  narratorOf(context)(notice);
  logNotice(environment.log, notice);
}

/** Raises an alarm where the environment cannot be erased: a daemon would show its secrets for weeks. */
function alarmOfShownSecrets({ narrate, environment }: RunParts, names: readonly string[]): void {
  const text =
    `every program of this user can read ${names.join(', ')} in the environment of this process, which this system does not ` +
    'let it erase. Give secrets by files (venue.secretFile) or the key store (venue.secretName) instead';
  narrate({ at: environment.clock.now(), kind: 'alarm', owner: null, text });
}

/** After a run on an emulated venue of its own that nobody asked to keep: as a first run is. */
function showNextSteps(
  { loaded: { config }, context }: RunParts,
  { stateDir, strategies }: Readonly<{ stateDir: string }> & Pick<RunnerOptions, 'strategies'>,
): void {
  if (context.json || config.mode !== 'emulator' || config.state !== undefined) return;
  const { cwd, terminal } = context;
  const run = { cwd, stateDir, strategies, configFile: configFileOf(context), start: config.emulator.start };
  terminal.out(`\n${nextSteps(run)}`);
}

function showSummary(summary: RunReport, { loaded, context, environment }: RunParts): void {
  const { terminal, json } = context;
  const { mode } = loaded.config;
  terminal.out(
    json
      ? toJson({ mode, ...summary, requests: environment.client.requests })
      : summaryText(summary, terminal, calendarOf(loaded.config)),
  );
}
