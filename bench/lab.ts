import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../src/core/clock.ts';
import { threadPool } from '../src/app/lab/threadPool.ts';
import { optimise, planStudy, type OptimiseOptions } from '../src/lab/optimise.ts';
import { identityOf } from '../src/lab/study/identity.ts';
import { openStudy } from '../src/lab/study/studyFile.ts';
import { setupOf } from '../src/app/lab/trialRecipe.ts';
import { StudyTrials } from '../src/lab/trials/studyTrials.ts';
import type { ParamSet } from '../src/lab/search/space.ts';
import type { TrialRunner, TrialTask } from '../src/lab/trials/trial.ts';
import type { BarColumns } from '../src/domain/barColumns.ts';
import { CASH, daysStudy, labStudy, REALM, taskOf, tasksOf, WEIGHT, type LabEngine } from './labStudy.ts';
import { median, timed, type Result } from './result.ts';

const ROUNDS = 15;
const WARM_UP = 10;
const FEE = 0.001;
/** Number of lengths of each average in the grid. */
const GRID = 20;
/** Trials per worker and round, so that a round takes about a second. */
const TRIALS: Readonly<Record<LabEngine, number>> = { columnar: 60, kernel: 6 };
const WORKERS = 2;
const WORKER_ROUNDS = 5;
/** The default fill, with its spread. */
const VENUE = { fill: 'venue', slippage: 'spread:0.5' } as const;
/** A limit that never binds, and that only the kernel supports. */
const KERNEL_ONLY = { limits: { ordersPerMinute: 1_000_000 } };
const DAYS_TRIALS = 20;
const DAYS_ROUNDS = 3;

/** Benchmarks the trials of a search over five years of minutes: one, a grid, and two workers against two processes. */
export async function lab(): Promise<Result[]> {
  const { setup, set } = await labStudy('columnar');
  const { columns } = set;
  const runner = new StudyTrials(setup);
  return [
    await oneBeside(runner, columns),
    await gridBeside(runner, columns),
    await venueBeside(runner, columns),
    await daysBeside(),
    await workersBeside('columnar'),
    await workersBeside('kernel'),
  ];
}

/** A trial with the default fill against one that fills at the next open, alternating. */
async function venueBeside(runner: TrialRunner, { start }: BarColumns): Promise<Result> {
  const venue = new StudyTrials((await labStudy('columnar', VENUE)).setup);
  const tasks = tasksOf([[10, 30]]);
  const [ours, nextOpen]: [number[], number[]] = [[], []];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const plain = await timed(() => played(runner, tasks));
    const trial = await timed(() => played(venue, tasks));
    if (round < 0) continue;
    nextOpen.push(plain);
    ours.push(trial);
  }
  const value = rateOf(start.length, median(ours));
  const x = median(ours.map((ms, round) => (nextOpen[round] ?? NaN) / ms));
  return { name: 'lab-venue', value, unit: 'M bars/s', ratio: { vs: 'lab-sma', x } };
}

/** A search by TPE over days of ten stocks, on two warm threads, against the same search on the kernel, alternating. */
async function daysBeside(): Promise<Result> {
  const searches = await Promise.all([daysSearch({}), daysSearch(KERNEL_ONLY)]);
  const [ours, kernel]: [number[], number[]] = [[], []];
  try {
    for (let round = -1; round < DAYS_ROUNDS; round++) {
      const [columnar, full] = [await timed(searches[0].run), await timed(searches[1].run)];
      if (round < 0) continue;
      ours.push(columnar);
      kernel.push(full);
    }
  } finally {
    await Promise.all(searches.map(({ pool }) => pool.close()));
  }
  const x = median(ours.map((ms, round) => (kernel[round] ?? NaN) / ms));
  const vs = 'the kernel';
  return { name: 'lab-days', value: median(ours), unit: `ms for ${DAYS_TRIALS} trials`, ratio: { vs, x } };
}

async function daysSearch(market: Parameters<typeof daysStudy>[0]) {
  const recipe = await daysStudy(market);
  const options: OptimiseOptions = {
    setup: await setupOf(recipe, systemClock, REALM),
    span: { from: -Infinity, to: Infinity },
    sampling: {
      space: [{ name: 'length', kind: 'steps', min: 5, step: 1, count: 196 }],
      method: 'tpe',
      trials: DAYS_TRIALS,
      seed: 0,
      accepts: () => true,
    },
    walkForward: null,
    stopEarly: false,
  };
  const pool = await threadPool(recipe, { workers: WORKERS, clock: systemClock, realm: REALM });
  const run = async () => {
    const { sessions } = planStudy(options);
    const study = openStudy(':memory:', { identity: identityOf(options, { sessions }), resume: false });
    await optimise(options, { study, pool, onTrial: () => undefined, isStopped: () => false });
    study.close();
  };
  return { pool, run };
}

async function played(runner: TrialRunner, tasks: readonly TrialTask[]): Promise<void> {
  for (const task of tasks) {
    const { state } = await runner.run(task);
    if (state !== 'done') throw new Error(`a trial has ${state}`);
  }
}

const rateOf = (bars: number, ms: number): number => bars / ms / 1_000;

async function oneBeside(runner: TrialRunner, columns: BarColumns): Promise<Result> {
  const tasks = tasksOf([[10, 30]]);
  const [ours, plain]: [number[], number[]] = [[], []];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const loop = await timed(() => plainLoop(columns, 10, 30));
    const trial = await timed(() => played(runner, tasks));
    if (round < 0) continue;
    plain.push(loop);
    ours.push(trial);
  }
  const value = rateOf(columns.start.length, median(ours));
  const x = median(ours.map((ms, round) => (plain[round] ?? NaN) / ms));
  return { name: 'lab-sma', value, unit: 'M bars/s', ratio: { vs: besideLoop(columns, median(plain)), x } };
}

const besideLoop = ({ start }: BarColumns, ms: number): string =>
  `a plain loop of ${rateOf(start.length, ms).toFixed(0)} M bars/s`;

/** Pairs of a grid, alternating with the plain loop a few at a time, so that other load affects both alike. */
async function gridBeside(runner: TrialRunner, columns: BarColumns): Promise<Result> {
  const [ours, plain]: [number[], number[]] = [[], []];
  for (let row = 0; row < GRID; row++) {
    const pairs = Array.from({ length: GRID }, (_, index) => [5 + index, 30 + 5 * row] as const);
    plain.push(await timed(() => pairs.forEach(([fast, slow]) => plainLoop(columns, fast, slow))));
    ours.push(await timed(() => played(runner, tasksOf(pairs))));
  }
  const sum = (times: readonly number[]) => times.reduce((all, ms) => all + ms, 0);
  const bars = columns.start.length * GRID ** 2;
  return {
    name: 'lab-grid',
    value: rateOf(bars, sum(ours)),
    unit: `M bars/s over ${GRID ** 2} pairs`,
    ratio: {
      vs: besideLoop(columns, sum(plain) / GRID ** 2),
      x: median(ours.map((ms, row) => (plain[row] ?? NaN) / ms)),
    },
  };
}

/** The rules of `sma-signals` over bare arrays, with fees, equity at each bar and trades. */
function plainLoop({ open, close }: BarColumns, fast: number, slow: number): number {
  const equity = new Float64Array(close.length);
  const trades: { entry: number; exit: number; pnl: number }[] = [];
  let [short, long, held, wanted, cash, entry] = [0, 0, 0, 0, CASH, 0];
  for (let i = 0; i < close.length; i++) {
    const [first = NaN, last = NaN] = [open[i], close[i]];
    if (wanted > 0) {
      held = wanted / first;
      cash -= wanted * (1 + FEE);
      [entry, wanted] = [first, 0];
    } else if (wanted < 0) {
      cash += held * first * (1 - FEE);
      trades.push({ entry, exit: first, pnl: held * (first * (1 - FEE) - entry * (1 + FEE)) });
      [held, wanted] = [0, 0];
    }
    short += last - (i >= fast ? (close[i - fast] ?? NaN) : 0);
    long += last - (i >= slow ? (close[i - slow] ?? NaN) : 0);
    const spread = i >= slow - 1 ? short / fast - long / slow : 0;
    const worth = cash + held * last;
    if (held === 0 && spread > 0) wanted = worth * WEIGHT;
    if (held > 0 && spread < 0) wanted = -1;
    equity[i] = worth;
  }
  return trades.length + (equity.at(-1) ?? 0);
}

/** Trials per second of the workers of a study, against those of as many processes that each run the same. */
async function workersBeside(engine: LabEngine): Promise<Result> {
  const count = TRIALS[engine];
  const lengths = (index: number) => ({ fast: 5 + (index % 10), slow: 30 + index });
  const sets = Array.from({ length: count }, (_, index) => (engine === 'columnar' ? lengths(index) : {}));
  const tasks = sets.map(taskOf);
  const { recipe, set } = await labStudy(engine);
  const pool = await threadPool(recipe, { workers: WORKERS, clock: systemClock, realm: REALM });
  const processes = await Promise.all(Array.from({ length: WORKERS }, () => started(engine)));
  const together = () => Promise.all(Array.from({ length: WORKERS }, () => pool.run(tasks)));
  const apart = () => Promise.all(processes.map((process) => ran(process, sets)));
  const [ours, ratios]: [number[], number[]] = [[], []];
  try {
    for (let round = -1; round < WORKER_ROUNDS; round++) {
      const separate = await timed(apart);
      const shared = await timed(together);
      if (round < 0) continue;
      ours.push(shared);
      ratios.push(separate / shared);
    }
  } finally {
    for (const process of processes) process.disconnect();
    await pool.close();
  }
  const bars = set.columns.start.length * count * WORKERS;
  const vs = `${WORKERS} processes`;
  return {
    name: `lab-workers-${engine}`,
    value: rateOf(bars, median(ours)),
    unit: `M bars/s of ${WORKERS} workers`,
    ratio: { vs, x: median(ratios) },
  };
}

async function started(engine: LabEngine): Promise<ChildProcess> {
  const process = fork(fileURLToPath(new URL('./labProcess.js', import.meta.url)), [engine]);
  await once(process, 'message');
  return process;
}

async function ran(process: ChildProcess, sets: readonly ParamSet[]): Promise<void> {
  process.send(sets);
  await once(process, 'message');
}
