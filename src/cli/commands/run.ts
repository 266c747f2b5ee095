import { createWriteStream } from 'node:fs';
import { basename, join } from 'node:path';
import { newYorkClock, newYorkDate, tradingCalendar } from '../../calendar/index.ts';
import type { Clock } from '../../core/clock.ts';
import { ConfigError, SafetyError, VenueRefusedError } from '../../core/errors.ts';
import { createLog } from '../../core/log.ts';
import { Runner, type RunnerOptions, type Until } from '../../engine/runner.ts';
import type { RunSummary } from '../../engine/summary.ts';
import { holdLock } from '../../store/lock.ts';
import { openSqliteJournal } from '../../store/sqliteJournal.ts';
import { configOf } from '../config/configFile.ts';
import type { LoadedConfig, Override } from '../config/load.ts';
import { requireRunnable } from '../config/ready.ts';
import type { CommandContext } from '../context.ts';
import { EXIT } from '../exitCodes.ts';
import { toJson } from '../output.ts';
import { narrator } from '../run/narrator.ts';
import { killSwitch, placed, planStrategies, rulesOf } from '../run/plan.ts';
import { summaryText } from '../run/summaryTable.ts';
import { parseUntil } from '../run/until.ts';
import { emulatedWorld, stateDirOf, venueWorld, type World } from '../run/world.ts';

export type RunFlags = Readonly<{
  mode?: string;
  live?: boolean;
  start?: string;
  speed?: number | string;
  until?: string;
  state?: string;
  seed?: number | string;
}>;

/** `drover run`: trades until told, then says how it went. */
export async function runCommand(flags: RunFlags, context: CommandContext): Promise<number> {
  const loaded = configOf(context, overridesOf(flags));
  const { config } = loaded;
  requireRunnable(loaded);
  if (config.mode === 'dry-run')
    throw new ConfigError('mode dry-run is not there yet: `drover run` trades on the emulator, or live');
  if (config.mode === 'live' && !flags.live)
    throw new SafetyError('mode live trades with real money: say --live if that is what you want');
  const until = untilOf(flags, loaded);
  const strategies = await planStrategies(loaded);
  if (config.mode === 'live') await requireHealth(loaded, context);
  const stateDir = stateDirOf(loaded);
  const release = holdLock(join(stateDir, 'lock.sqlite'), `the state folder ${stateDir}`);
  const log = (clock: Clock) => openLog({ loaded, stateDir, context, clock });
  try {
    const open = config.mode === 'emulator' ? emulatedWorld : venueWorld;
    const world = await open({ loaded, context, stateDir, log });
    const journal = openSqliteJournal(join(stateDir, 'journal.sqlite'));
    try {
      tellStart({ loaded, context, world }, stateDir);
      const killed = killSwitch(config.limits.killFile ?? join(stateDir, 'KILL'));
      const rules = rulesOf(config);
      const summary = await trade(world, context, {
        ...{ journal, calendar: tradingCalendar, rules, strategies, until, killed },
        periods: config.polling,
      }).catch((error: unknown) => {
        throw placed(error, loaded);
      });
      tellSummary(summary, { loaded, context, world });
    } finally {
      journal.close();
      await world.close();
    }
  } finally {
    release();
  }
  return EXIT.done;
}

type Given = Omit<RunnerOptions, 'clock' | 'venue' | 'tell'>;

async function trade(world: World, context: CommandContext, given: Given): Promise<RunSummary> {
  const { terminal, json } = context;
  const tell = narrator(terminal, (line) => (json ? terminal.err(line) : terminal.out(line)));
  const runner = new Runner({ ...given, clock: world.clock, venue: world.venue, tell });
  const signal = context.stopSignal();
  const stop = () => runner.stop('asked to stop');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await world.during(() => runner.run());
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Live trading starts only when `drover doctor` finds nothing wrong. @throws {VenueRefusedError} naming what it found */
async function requireHealth(loaded: LoadedConfig, context: CommandContext): Promise<void> {
  const { diagnose } = await import('../doctor/diagnose.ts');
  const wrong = (await diagnose(loaded, context)).filter(({ verdict }) => verdict === 'fail');
  if (wrong.length === 0) return;
  const lines = wrong.map(
    ({ check, detail, remedy }) => `\n  ${check}: ${detail}${remedy ? ` ${remedy}` : ''}`,
  );
  throw new VenueRefusedError(`not started, for \`drover doctor\` finds:${lines.join('')}`);
}

/** An emulated day that nobody asked to keep ends at its close; everything else goes on until it is stopped. */
function untilOf({ until }: RunFlags, { config }: LoadedConfig): Until {
  if (until !== undefined) return parseUntil(until);
  return config.mode === 'emulator' && config.state === undefined ? parseUntil('close') : { kind: 'stopped' };
}

function overridesOf(flags: RunFlags): Override[] {
  const paths: Readonly<Record<string, readonly string[]>> = {
    mode: ['mode'],
    start: ['emulator', 'start'],
    speed: ['emulator', 'speed'],
    seed: ['emulator', 'seed'],
    state: ['state'],
  };
  return Object.entries(flags).flatMap(([name, value]) => {
    const path = paths[name];
    return path ? [{ path, value, flag: `--${name}` }] : [];
  });
}

type LogPlace = Readonly<{ loaded: LoadedConfig; stateDir: string; context: CommandContext; clock: Clock }>;

function openLog({ loaded, stateDir, context, clock }: LogPlace) {
  const { level, file = join(stateDir, 'drover.log') } = loaded.config.log;
  const stream = createWriteStream(file, { flags: 'a', mode: 0o600 });
  return createLog({ level, clock, secrets: context.secrets, write: (line) => stream.write(line) });
}

/** Where and when the run is, and where it is kept. */
function tellStart({ loaded, context, world }: Told, stateDir: string): void {
  const { mode, emulator, strategies } = loaded.config;
  const now = world.clock.now();
  const pace = emulator.speed === 'max' ? 'as fast as it can' : `${emulator.speed} times real speed`;
  const { terminal, json } = context;
  const say = (text: string) => (json ? terminal.err(text) : terminal.out(text));
  say(
    `mode ${mode}: ${newYorkDate(now)} ${newYorkClock(now)} in New York${mode === 'emulator' ? `, ${pace}` : ''}`,
  );
  say(`strategies ${strategies.map(({ id, use }) => `${id} (${basename(use)})`).join(', ')}`);
  say(`state ${stateDir}; Ctrl-C stops in order\n`);
}

type Told = Readonly<{ loaded: LoadedConfig; context: CommandContext; world: World }>;

function tellSummary(summary: RunSummary, { loaded, context, world }: Told): void {
  const { terminal, json } = context;
  const { mode } = loaded.config;
  terminal.out(
    json ? toJson({ mode, ...summary, requests: world.client.requests }) : summaryText(summary, terminal),
  );
}
