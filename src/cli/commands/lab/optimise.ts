import { basename, resolve } from 'node:path';
import { ConfigError, closingAfter } from '../../../core/errors.ts';
import { beliefOf, type Belief } from '../../../lab/belief/belief.ts';
import { planStudy, optimise, type OptimisationResult, type OptimiseOptions } from '../../../lab/optimise.ts';
import { trialsOf } from '../../../lab/search/sampler.ts';
import { studyPage } from '../../../lab/report/studyPage.ts';
import { identityHash, identityOf } from '../../../lab/study/identity.ts';
import type { TrialPool } from '../../../lab/trials/trial.ts';
import { workersText } from '../../../lab/queue/workers.ts';
import { openStudy, type StudyFile, type StudyIdentity } from '../../../lab/study/studyFile.ts';
import { realmOf } from '../../../app/backtest/strategies.ts';
import type { CommandContext } from '../../../process/context.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { studyResultOf } from '../../../lab/studyResult.ts';
import { trialEngineOf } from '../../../lab/trials/studyTrials.ts';
import { studyText } from './studyText.ts';
import { StudyProgress } from './studyProgress.ts';
import { studySetup, type OptimiseFlags, type StudySetup } from '../../../app/lab/studySetup.ts';
import { queueAddress, type QueueAddress } from '../../../app/lab/queueAddress.ts';
import { threadPool } from '../../../app/lab/threadPool.ts';
import { setupOf } from '../../../app/lab/trialRecipe.ts';
import { PAGE, requirePlace, writeWhole, type FileKind } from '../../../process/files.ts';
import { reportScript } from '../backtest/reportScript.ts';
import { printResult } from '../../../process/output.ts';
import { InterruptedError } from '../../../process/terminal.ts';

/** `drover optimise`: searches the parameters of a strategy. Exit 1 when every trial failed. */
export async function optimiseCommand(flags: OptimiseFlags, context: CommandContext): Promise<number> {
  const { clock, cwd, terminal } = context;
  const begun = clock.monotonic();
  const setup = await studySetup(flags, context);
  for (const { name, why } of setup.left) terminal.err(`drover: ${name} is not searched: ${why}`);
  const options = await optionsOf(flags, setup, context);
  const { sessions } = planStudy(options);
  const { functions } = setup.recipe;
  const identity = identityOf(options, { sessions, functions, constraint: flags.constraint });
  const page = flags.report === undefined ? null : resolve(cwd, flags.report);
  if (page !== null) requirePlace(page, '--report', PAGE);
  const file = resolve(cwd, flags.study ?? studyName(identity));
  requirePlace(file, '--study', STUDY);
  const address = addressOf(flags, context);
  return closingAfter(openStudy(file, { identity, resume: flags.resume ?? false }), async (study) => {
    const { optimised, belief } = await run(options, { study, setup, flags, identity, address }, context);
    const engine = trialEngineOf(options.setup, options.span);
    const given = { optimised, belief, engine, options, file, elapsedMs: clock.monotonic() - begun };
    if (page !== null) writeWhole(page, studyPage(given, reportScript()), '--report');
    const report = page === null ? {} : { report: page };
    printResult(context, { ...studyResultOf(given), ...report }, studyText(given, terminal));
    if (page !== null && !context.json) terminal.out(`report   ${page}`);
    return EXIT.done;
  });
}

/** Start of a study file. */
const STUDY: FileKind = { what: 'study', begins: /^SQLite format 3/ };

/** Name made from strategy and identity: the same command continues its own study, and never another. */
const studyName = (identity: StudyIdentity): string =>
  `${identity['strategy'] ?? ''}-${identityHash(identity).slice(0, 8)}.study`;

async function optionsOf(
  flags: OptimiseFlags,
  setup: StudySetup,
  context: CommandContext,
): Promise<OptimiseOptions> {
  const { recipe, span, sampling, walkForward } = setup;
  return {
    setup: await setupOf(recipe, context.clock, realmOf(context)),
    span,
    sampling,
    walkForward,
    stopEarly: flags.stopEarly ?? false,
  };
}

/** Queue of the trials; null if threads in this process run them. */
function addressOf(flags: OptimiseFlags, context: CommandContext): QueueAddress | null {
  const { queue, queuePassword, workers, memory } = flags;
  if (queue === undefined && queuePassword === undefined) return null;
  if (workers !== undefined || memory !== undefined)
    throw new ConfigError('--workers and --memory belong to drover worker, where the trials of a queue run');
  return queueAddress(flags, context);
}

type StudyRun = Readonly<{
  study: StudyFile;
  setup: StudySetup;
  flags: OptimiseFlags;
  identity: StudyIdentity;
  address: QueueAddress | null;
}>;

async function run(
  options: OptimiseOptions,
  running: StudyRun,
  context: CommandContext,
): Promise<Readonly<{ optimised: OptimisationResult; belief: Belief }>> {
  const { clock, terminal } = context;
  const signal = context.stopSignal();
  const { study } = running;
  const { windows } = planStudy(options);
  const progress = new StudyProgress({
    terminal,
    clock,
    total: trialsOf(options.sampling) * (1 + windows.length),
    objectives: options.setup.objectives,
    booked: study.count(),
  });
  const onPlace = progress.place.bind(progress);
  const { pool, close } = await poolFor(running, { context, onPlace });
  let hasEnded = false;
  try {
    const isStopped = () => signal.aborted;
    const onTrial = progress.add.bind(progress);
    const optimised = await optimise(options, { study, pool, onTrial, isStopped });
    hasEnded = optimised !== null;
    const onStep = progress.step.bind(progress);
    const belief = optimised && (await beliefOf(optimised, options, { onStep, isStopped }));
    if (optimised && belief) return { optimised, belief };
    throw new InterruptedError(
      `stopped; ${study.count()} trials are kept in ${study.file}, and the same command with --resume continues from there`,
    );
  } finally {
    progress.end();
    await close(hasEnded);
  }
}

/** Threads in this process, or workers on a queue. @param onPlace receives the workers, for the progress display */
async function poolFor(
  { study, setup, flags, identity, address }: StudyRun,
  { context, onPlace }: Readonly<{ context: CommandContext; onPlace: (text: string) => void }>,
): Promise<Readonly<{ pool: TrialPool; close: (hasEnded: boolean) => Promise<void> }>> {
  const { workers, recipe } = setup;
  const { clock, stopSignal } = context;
  if (address === null) {
    const memory = flags.memory === undefined ? {} : { memoryMb: flags.memory };
    const pool = await threadPool(recipe, { workers, clock, realm: realmOf(context), ...memory });
    return { pool, close: () => pool.close() };
  }
  const { queuedStudy } = await import('../../../app/lab/queuedStudy.ts');
  const name = basename(study.file);
  const given = { address, name, identity, recipe, signal: stopSignal() };
  return queuedStudy({ ...given, onWorkers: (workers) => onPlace(workersText(workers)) }, context);
}
