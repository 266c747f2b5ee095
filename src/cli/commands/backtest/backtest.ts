import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { BacktestOptions, BacktestStrategy } from '../../../backtest/options.ts';
import type { BacktestResult } from '../../../backtest/result.ts';
import type { Variation } from '../../../backtest/checks/sensitivity.ts';
import { turnOver } from '../../../core/clock.ts';
import { counted } from '../../../core/counted.ts';
import { ConfigError } from '../../../core/errors.ts';
import type { BacktestFlags } from '../../../app/backtest/flags.ts';
import { givenStrategies, realmOf, type GivenStrategies } from '../../../app/backtest/strategies.ts';
import type { DecisionLog } from '../../../report/decisionRecord.ts';
import type { RunRecord } from '../../../report/runRecord.ts';
import { fillOption } from '../../../app/strategies/fillModel.ts';
import { attributeError } from '../../../app/strategies/loadStrategy.ts';
import type { CommandContext } from '../../../process/context.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { printResult, toJson } from '../../../process/output.ts';
import { PAGE, RECORD, requireDistinct, requirePlace, TRADES, writeWhole } from '../../../process/files.ts';
import type { LookaheadCheck } from '../../../backtest/checks/lookahead.ts';
import type { WarmUpCheck, WarmUpMove } from '../../../backtest/checks/warmUpCheck.ts';

/** Maximum number of bars of a short backtest. */
const SHORT_BARS = 50_000;

/** Sets how many bytes of code a function runs before V8 optimises it; Node 20's default is 66 KiB. Later versions lack the flag. */
function optimiseAfter(bytes: number): void {
  if (process.versions.node.startsWith('20.')) setFlagsFromString(`--interrupt-budget=${bytes}`);
}

/** `drover backtest`: runs strategies over bars from files or the store, and prints the result. */
export async function backtestCommand(flags: BacktestFlags, context: CommandContext): Promise<number> {
  const begun = context.clock.monotonic();
  const places = placesOf(flags, context);
  // A short backtest ends before optimised code pays off, so V8 waits twice as long.
  optimiseAfter(300_000);
  const [given] = await Promise.all([
    // Started first, because a strategy is bundled in a separate process while everything else loads.
    givenStrategies(flags, context),
    import('../../../app/backtest/flags.ts'),
    import('../../../backtest/runBacktest.ts'),
  ]);
  const { close, ...strategies } = given;
  try {
    await playAndReport({ flags, strategies, begun, places }, context);
  } finally {
    // A remaining thread would keep the process alive.
    await close?.();
  }
  return EXIT.done;
}

type BacktestJob = Readonly<{
  flags: BacktestFlags;
  strategies: Omit<GivenStrategies, 'close'>;
  begun: number;
  places: ReturnType<typeof placesOf>;
}>;

async function playAndReport(
  { flags, strategies, begun, places }: BacktestJob,
  context: CommandContext,
): Promise<void> {
  const { clock, terminal, json } = context;
  const [{ dataOf, optionsOf }, { outsideOf, phaseWarning, premiumWarning }, { runBacktest }] =
    await Promise.all([
      import('../../../app/backtest/flags.ts'),
      import('../../../app/backtest/outside.ts'),
      import('../../../backtest/runBacktest.ts'),
    ]);
  context.onCrash((error) => attributeError(error, strategies.strategies.map(named)));
  const fill = await fillOption(flags.fill, context, realmOf(context));
  const options = { ...strategies, ...optionsOf(flags), ...outsideOf(flags, strategies.outside), ...fill };
  const data =
    flags.like === undefined
      ? await dataOf(flags, options, context)
      : (await import('../../../app/backtest/likeRun.ts')).likeRun(
          options,
          requireAlone(flags, flags.like),
          context,
        );
  const loaded = clock.monotonic() - begun;
  const all: BacktestOptions = { ...options, ...data, clock };
  // A long backtest runs the same code a hundred thousand times, so it should be optimised early.
  if (all.bars.reduce((sum, { start }) => sum + start.length, 0) > SHORT_BARS) optimiseAfter(40_000);
  const decisions =
    places.record === undefined
      ? null
      : new (await import('../../../report/decisionRecord.ts')).DecisionLog();
  const result = await runBacktest({
    ...all,
    ...(decisions && { onFact: (entry) => decisions.take(entry) }),
  });
  const variations = flags.sensitivity
    ? await (await import('../../../backtest/checks/sensitivity.ts')).sensitivityOf(all, result)
    : null;
  // A strategy that fails outside its hooks ends the process here, before a result is printed.
  await turnOver();
  for (const warning of [phaseWarning(all), premiumWarning(all)])
    if (warning !== null) terminal.err(`drover: ${warning}`);
  const kept = await keep(places, { result, options: all, variations, decisions }, context);
  const { elapsedMs } = result;
  const { load, report } = elapsedMs;
  const timed = { ...result, elapsedMs: { ...elapsedMs, load: load + loaded, report: report + kept.ms } };
  if (json)
    terminal.out(toJson({ ...jsonOf(timed), ...(variations && { sensitivity: variations }), ...kept.files }));
  else {
    terminal.out((await import('./summary.ts')).backtestText(timed, terminal));
    if (variations) terminal.out(`\n${(await import('./summary.ts')).sensitivityText(variations)}`);
    for (const [name, file] of Object.entries(kept.files)) terminal.out(`${name.padEnd(8)} ${file}`);
  }
}

/** Refuses flags for anything that the journal determines. @throws {ConfigError} */
function requireAlone(flags: BacktestFlags, like: string): string {
  const beside = (
    ['strategy', 'bars', 'actions', 'data', 'interval', 'trade', 'cash', 'from', 'to'] as const
  ).find((name) => flags[name] !== undefined);
  if (beside === undefined) return like;
  throw new ConfigError(`--${beside}: --like takes it from the journal of ${like}. Leave one of the two out`);
}

const named = ({ id, definition, explain }: BacktestStrategy) => ({
  id: id ?? definition.name,
  ...(explain ? { explain } : {}),
});

type BacktestOutput = Readonly<{
  result: BacktestResult;
  options: BacktestOptions;
  variations: readonly Variation[] | null;
  /** Null if no record is saved. */
  decisions: DecisionLog | null;
}>;
type SavedFiles = Readonly<{ files: Readonly<{ report?: string; trades?: string }>; ms: number }>;

type Places = Readonly<Record<'record' | 'page' | 'trades', string | undefined>>;

/**
 * Paths of record, report and list of trades, checked before the run. @throws {ConfigError} when two are the same, or hold
 * something else
 */
function placesOf({ save, report, trades: list }: BacktestFlags, { cwd }: CommandContext): Places {
  requireDistinct({ '--save': save, '--report': report, '--trades': list }, cwd);
  const [record, page, trades] = [save, report, list].map((file) =>
    file === undefined ? file : resolve(cwd, file),
  );
  if (record !== undefined) requirePlace(record, '--save', RECORD);
  if (page !== undefined) requirePlace(page, '--report', PAGE);
  if (trades !== undefined) requirePlace(trades, '--trades', TRADES);
  return { record, page, trades };
}

/** Writes the requested files of a run. Loads the modules only if any are requested. */
async function keep(places: Places, run: BacktestOutput, { clock }: CommandContext): Promise<SavedFiles> {
  const { record, page, trades } = places;
  if (Object.values(places).every((place) => place === undefined)) return { files: {}, ms: 0 };
  const begun = clock.monotonic();
  const { recordOf } = await import('../../../app/backtest/record.ts');
  const kept: RunRecord = {
    ...recordOf(run.result, run.options),
    ...(run.variations && { sensitivity: [...run.variations] }),
    ...(run.decisions && { decisions: run.decisions.records }),
  };
  if (record !== undefined) writeWhole(record, toJson(kept), '--save');
  if (page !== undefined) (await import('./report.ts')).writeReport(page, kept, '--report');
  if (trades !== undefined) (await import('./report.ts')).writeTrades(trades, kept);
  const files = { ...(page !== undefined && { report: page }), ...(trades !== undefined && { trades }) };
  return { files, ms: clock.monotonic() - begun };
}

/** The result without its long lists, which belong in reports. */
function jsonOf({
  marks: _marks,
  tradeList: _trades,
  fills: _fills,
  lots: _lots,
  logs: _logs,
  plots: _plots,
  stops: _stops,
  ...result
}: BacktestResult) {
  const { limitOrders: _limits, benchmark, ...rest } = result;
  return { ...rest, benchmark: benchmark?.symbol ?? null };
}

type LookaheadFlags = BacktestFlags & Readonly<{ histories?: number }>;

const HISTORIES = 50;

/**
 * `drover lookahead-check`: checks that a strategy decides the same without later bars, and with more bars before a later start.
 * Exit 1 if it does not, or there was no decision to compare.
 */
export async function lookaheadCheckCommand(flags: LookaheadFlags, context: CommandContext): Promise<number> {
  const [given, { dataOf, optionsOf }, { outsideOf }, { checkLookahead }, { checkWarmUp }] =
    await Promise.all([
      givenStrategies(flags, context),
      import('../../../app/backtest/flags.ts'),
      import('../../../app/backtest/outside.ts'),
      import('../../../backtest/checks/lookahead.ts'),
      import('../../../backtest/checks/warmUpCheck.ts'),
    ]);
  const fill = await fillOption(flags.fill, context, realmOf(context));
  const options = { ...given, ...optionsOf(flags), ...outsideOf(flags, given.outside), ...fill };
  const data = await dataOf(flags, options, context);
  const histories = flags.histories ?? HISTORIES;
  const all: BacktestOptions = { ...options, ...data };
  const check = await checkLookahead(all, histories);
  // With lookahead, decisions depend on which bars follow: a later start would prove nothing.
  const warmUp = check.found ? null : await checkWarmUp(all, histories);
  await turnOver();
  const text = warmUp ? `${textOf(check)}\n${warmUpText(warmUp)}` : textOf(check);
  printResult(context, { ...check, warmUp }, text);
  const isChecked = check.histories > 0 && check.undecided.length === 0 && isWarmUpChecked(warmUp);
  return check.found || warmUp?.found.length || !isChecked ? EXIT.failed : EXIT.done;
}

/** False if later starts led to no decision. With too few bars the check is skipped, which the text states. */
const isWarmUpChecked = (check: WarmUpCheck | null): boolean =>
  !check || check.starts === 0 || check.undecided.length === 0;

function warmUpText({ asked, starts, times, decisions, undecided, found }: WarmUpCheck): string {
  if (asked === 0) return 'no warm-up to check: the strategy asks for no bars';
  if (starts === 0)
    return 'the warm-up was not checked: with twice as many bars before the start, less than half of the span would be left. Give more bars before --from, or a longer span';
  if (found.length > 0) return found.map(moveText).join('\n');
  if (undecided.length > 0)
    return `the warm-up of ${undecided.join(', ')} was not checked: it decided nothing after ${counted(starts, 'later start')}`;
  return `warm-up long enough: ${decisions} decisions after ${starts} later starts are the same with ${times} times the bars before`;
}

function moveText({ strategy, at, withDeclared, withMore, series }: WarmUpMove): string {
  const needs = series.map(({ symbol, interval, declared, enough }) =>
    enough === null
      ? `${declared} of ${symbol} ${interval}, and many times that is too few`
      : `${enough} of ${symbol} ${interval}, not ${declared}`,
  );
  return [
    `the warm-up of ${strategy} is too short: started later, its first different decision is at ${at}`,
    `  with the bars it asks for   ${withDeclared ?? 'nothing'}`,
    `  with many more before       ${withMore ?? 'nothing'}`,
    `Raise warmUp in its data(): ${needs.join('; ')}.`,
  ].join('\n');
}

function textOf({ decisions, histories, undecided, found }: LookaheadCheck): string {
  if (!found && histories === 0)
    return 'nothing was checked: no shorter history ends between the first and the last bar of the run';
  if (!found && undecided.length > 0)
    return `nothing was checked of ${undecided.join(', ')}: it decided nothing before the last bar of the run, so there is nothing to compare`;
  if (!found) return `no look-ahead: ${decisions} decisions are the same in ${histories} shorter histories`;
  const { strategy, at, withFuture, withoutFuture } = found;
  return [
    `${strategy} looks ahead: its first different decision is at ${at}`,
    `  with later bars      ${withFuture ?? 'nothing'}`,
    `  at the end of them   ${withoutFuture ?? 'nothing'}`,
    'Look for state that the strategy keeps outside its hooks, and for random numbers.',
  ].join('\n');
}
