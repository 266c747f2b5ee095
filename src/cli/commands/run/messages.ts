import { GENERATED } from '../../../report/remarks.ts';
import { basename, join, relative } from 'node:path';
import { newYorkClock, newYorkDate, newYorkMinute } from '../../../calendar/index.ts';
import type { Log } from '../../../core/log.ts';
import { oneLine } from '../../../core/printable.ts';
import { shortAmounts } from '../../../domain/shortAmounts.ts';
import type { Notice, NoticeKind } from '../../../engine/state/notice.ts';
import type { CommandContext } from '../../../process/context.ts';
import type { Terminal } from '../../../process/terminal.ts';
import { coloursOf, toJson } from '../../../process/output.ts';
import { DAY_MS, epochMs, type EpochMs } from '../../../core/brand.ts';
import { INTERVAL_MS, type Interval } from '../../../domain/bar.ts';
import type { RunnerOptions } from '../../../engine/runtime/runOptions.ts';
import type { RunReport } from '../../../engine/runtime/runner.ts';
import type { StrategySetup } from '../../../engine/strategy/strategyInstance.ts';
import { symbolsOf } from '../../../strategy/dataNeeds.ts';
import { calendarOf } from '../../../app/config/fields.ts';
import { configFileOf, type LoadedConfig } from '../../../app/config/load.ts';
import type { TradingEnvironment } from '../../../app/environment/environment.ts';
import { PACKAGE_FOLDER } from '../../../process/files.ts';
import { noSessionText, summaryText } from './summary.ts';
import { programName } from '../../../process/programName.ts';
import { sameFlags, shellWord } from '../../../process/quotedCommand.ts';

const SIGNS: Readonly<Record<NoticeKind, string>> = {
  session: '═',
  decision: '·',
  sent: '→',
  fill: '✓',
  cancel: '×',
  end: '–',
  account: ' ',
  strategy: ' ',
  alarm: '!',
  clear: '+',
  info: ' ',
};
/** Frequent events: logged, but not shown to a person. */
const QUIET: ReadonlySet<NoticeKind> = new Set(['sent', 'info']);
const OWNER_WIDTH = 14;
/** Maximum length of an event's text, in characters. */
const TEXT_MAX = 2_000;

/** Narrates a run, one line per event: New York time, strategy, event and reason. Each day starts with its date. */
export function narrator(terminal: Terminal, write: (line: string) => void): (notice: Notice) => void {
  const colours = coloursOf(terminal);
  const paint: Partial<Record<NoticeKind, (text: string) => string>> = {
    session: colours.bold,
    fill: colours.green,
    cancel: colours.yellow,
    end: colours.dim,
    alarm: colours.red,
    clear: colours.green,
  };
  let day = '';
  return ({ at, kind, strategyId, text }) => {
    if (QUIET.has(kind)) return;
    const date = newYorkDate(at);
    if (date !== day) write(colours.bold(date));
    day = date;
    const who = oneLine(strategyId ?? '', TEXT_MAX).padEnd(OWNER_WIDTH);
    const line = `${SIGNS[kind]} ${who} ${oneLine(shortAmounts(text), TEXT_MAX)}`;
    write(`${colours.dim(newYorkClock(at))} ${paint[kind]?.(line) ?? line}`);
  };
}

/** Logs everything as JSON, for observers of a daemon. */
export function logNotice(log: Log, { kind, strategyId, text, code }: Notice): void {
  const strategy = strategyId === null ? {} : { strategy: strategyId };
  const fields = { kind, ...strategy, ...(code === undefined ? {} : { code }) };
  if (kind === 'alarm') log.warn(fields, text);
  else log.info(fields, text);
}

export type Narrate = ReturnType<typeof narrator>;

/** Prints text beside the result: with `--json` to stderr. */
const sayOf =
  ({ terminal, json }: CommandContext) =>
  (text: string) =>
    json ? terminal.err(text) : terminal.out(text);

export const narratorOf = (context: CommandContext) => narrator(context.terminal, sayOf(context));

export const nightText = (end: EpochMs): string =>
  `the time until ${newYorkMinute(end)} runs as fast as it can (emulator.nights: skip)`;

export type RunParts = Readonly<{
  loaded: LoadedConfig;
  context: CommandContext;
  environment: TradingEnvironment;
  narrate: Narrate;
}>;

/** The state folder given by `--state` or a variable; undefined if the config names it, because other commands read the config too. */
export const givenState = ({ config, originOf }: LoadedConfig): string | undefined =>
  /^(--state|env )/.test(originOf(['state'])) ? config.state : undefined;

/** Prints venue, time and state folder of the run. */
export function showStart({ loaded, context, environment }: RunParts, stateDir: string): void {
  const { mode, emulator, strategies } = loaded.config;
  const now = environment.clock.now();
  const notes = {
    emulator: emulator.speed === 'max' ? ', as fast as it can' : `, ${emulator.speed} times real speed`,
    'dry-run': '; orders and account are simulated, nothing is sent',
    live: '',
  };
  const say = sayOf(context);
  say(`mode ${mode}: ${newYorkMinute(now)} in New York${notes[mode]}`);
  const closed = noSessionText(calendarOf(loaded.config), now);
  if (closed !== null) say(closed);
  say(`strategies ${strategies.map(({ id, use }) => `${id} (${basename(use)})`).join(', ')}`);
  const byHand =
    mode === 'live' && givenState(loaded) !== undefined
      ? `\nmanual orders obey the kill file in it only with --state ${stateDir}`
      : '';
  say(`state ${stateDir}${byHand}`);
}

/** Explains how to watch a run that has started, and how to end it. */
export function showStarted({ loaded, context }: Pick<RunParts, 'loaded' | 'context'>): void {
  const flags = sameFlags(context, givenState(loaded));
  sayOf(context)(
    `started; Ctrl-C stops in order. In another terminal \`drover status --watch${flags}\` shows the run\n`,
  );
}

/** Raises an alarm if secrets cannot be erased from the environment: a daemon would expose them for weeks. */
export function alarmOfShownSecrets({ narrate, environment }: RunParts, names: readonly string[]): void {
  const text =
    `every program of this user can read ${names.join(', ')} in the environment of this process, which this system does not ` +
    'let it erase. Give secrets in files (venue.secretFile) or the key store (venue.secretName) instead';
  narrate({ at: environment.clock.now(), kind: 'alarm', strategyId: null, text, code: 'SECRETS_EXPOSED' });
}

export function showSummary(summary: RunReport, { loaded, context, environment }: RunParts): void {
  const { terminal, json } = context;
  const { mode } = loaded.config;
  terminal.out(
    json
      ? toJson({
          mode,
          generated: mode === 'emulator',
          ...summary,
          requests: environment.client.requests,
        })
      : `${mode === 'emulator' ? `\n${GENERATED}` : ''}${summaryText(summary, terminal, calendarOf(loaded.config))}`,
  );
}

/** Text shown after a run on its own emulated venue without a state folder, such as a first run. */
export function showNextSteps(
  { loaded: { config }, context }: RunParts,
  { stateDir, strategies }: Readonly<{ stateDir: string }> & Pick<RunnerOptions, 'strategies'>,
): void {
  if (context.json || config.mode !== 'emulator' || config.state !== undefined) return;
  const { cwd, terminal } = context;
  const { configLayers = [] } = context;
  const configs = shellWord(configFileOf(context)) + sameFlags({ configLayers });
  const run = { cwd, stateDir, strategies, configs, start: config.emulator.start };
  terminal.out(`\n${nextSteps(run)}`);
}

type FirstRun = Readonly<{
  cwd: string;
  /** The configs, as named on a command line. */
  configs: string;
  stateDir: string;
  /** First instant of the run. */
  start: EpochMs;
  strategies: readonly Pick<StrategySetup, 'needs'>[];
}>;

/** Number of days of bars to generate for the backtest. */
const DAYS = 120;
const EXAMPLE = 'strategies/sma-cross.ts';
const DEFAULT_INTERVAL: Interval = '5m';

/** Next steps after a first run on the emulator: read its journal, plot its strategies, write one. */
function nextSteps({ cwd, configs, stateDir, start, strategies }: FirstRun): string {
  const drover = programName({ cwd, packageFolder: PACKAGE_FOLDER });
  const needs = strategies.map((strategy) => strategy.needs);
  const symbols = [...new Set(needs.flatMap((own) => [...symbolsOf(own)]))].sort();
  const interval = shortest(needs.flatMap(({ bars = [] }) => bars.map((bar) => bar.interval)));
  const [symbol = 'AAPL'] = symbols;
  const span = `--from ${newYorkDate(epochMs(start - DAYS * DAY_MS))} --to ${newYorkDate(epochMs(start + DAY_MS))}`;
  const params = JSON.stringify({ symbol, interval });
  const example = shellWord(relative(cwd, join(PACKAGE_FOLDER, EXAMPLE)));
  return [
    'next: look at what was decided and sent',
    `  ${drover} journal show --state ${shellWord(stateDir)}`,
    'next: the state, positions and orders at its end, on one screen',
    `  ${drover} status --state ${shellWord(stateDir)}`,
    'next: backtest the same strategies over months of generated prices',
    `  ${drover} data generate ${symbols.join(' ')} --interval ${interval} ${span} --data bars`,
    `  ${drover} backtest ${configs} --data bars --report run.html`,
    'next: write your own, starting from a copy of a bundled one',
    `  cp ${example} my-strategy.ts`,
    `  ${drover} backtest --strategy ./my-strategy.ts --params '${params}' --data bars --report mine.html`,
  ].join('\n');
}

function shortest(intervals: readonly Interval[]): Interval {
  const [first] = [...intervals].sort((a, b) => INTERVAL_MS[a] - INTERVAL_MS[b]);
  return first ?? DEFAULT_INTERVAL;
}
