import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { campaign, isSound, missing, runSeed, type Report } from './campaign.ts';
import type { PlanOptions } from './plan.ts';
import { simulate } from './simulation.ts';
import { countersOf } from './sometimes.ts';
import { serve, startWorkers, type Workers } from './workers.ts';

const USAGE =
  'usage: npm run simulate -- --seeds A..B [--workers N] [--json] | --seed N; [--short] [--lies] [--nights]';

/** True with --json, also where npm keeps the option for itself because no `--` precedes it. */
const json = process.argv.includes('--json') || process.env['npm_config_json'] === 'true';

/** Runs between two progress lines without a terminal. */
const LINE_EVERY = 100;

/** True for runs as in the tests: only the last hours of a session. */
const short = process.argv.includes('--short');

/** True to have venue and node make false statements in every run, not only where a campaign chooses to. */
const options: PlanOptions = {
  short,
  nights: process.argv.includes('--nights'),
  ...(process.argv.includes('--lies') ? { lies: true } : {}),
};

const valueOf = (option: string): string | undefined => {
  const index = process.argv.indexOf(option);
  return index < 0 ? undefined : process.argv[index + 1];
};

const whole = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;

async function one(seed: number): Promise<number> {
  const { lines, violations, digest } = await simulate(seed, { keepLog: true, ...options });
  for (const line of lines) console.log(line);
  for (const { promise, detail } of violations) console.log(`VIOLATION ${promise}: ${detail}`);
  console.log(`digest ${digest}`);
  return violations.length > 0 ? 1 : 0;
}

/** Worker processes, one for each seed under way; with a count of 1, this process. */
const workersFor = (count: number): Workers =>
  count > 1
    ? startWorkers(count, fileURLToPath(import.meta.url), options)
    : { lanes: [(seed) => runSeed(seed, options)], close: () => undefined };

async function many(from: number, to: number, workers: number): Promise<number> {
  const { stderr } = process;
  const { lanes, close } = workersFor(Math.min(workers, to - from + 1));
  let [done, bad] = [0, 0];
  const report = await campaign({
    kind: options.nights ? 'nights' : 'days',
    from,
    to,
    lanes,
    elapsed: () => performance.now(),
    onRun({ seed, violations }) {
      done++;
      bad += violations.length;
      if (violations.length > 0 && !json)
        for (const { promise, detail } of violations) console.log(`seed ${seed}: ${promise} ${detail}`);
      const progress = `${done} of ${to - from + 1} runs, ${bad} violations `;
      if (stderr.isTTY) stderr.write(`\r${progress}`);
      else if (done % LINE_EVERY === 0) stderr.write(`${progress}\n`);
    },
  }).finally(close);
  if (stderr.isTTY) stderr.write('\n');
  console.log(json ? JSON.stringify(report) : textOf(report));
  return isSound(report) ? 0 : 1;
}

function textOf(report: Report): string {
  const { kind, runs, violations, sometimes, virtualHours, elapsedMs } = report;
  const days = ((virtualHours / 6.5 / elapsedMs) * 1_000).toFixed(2);
  const counts = countersOf(kind).map((name) => `  ${name.padEnd(28)} ${sometimes[name]}`);
  const never = missing(report).map((name) => `NEVER MET ${name}`);
  const summary = `${runs} runs, ${violations.length} violations, ${virtualHours.toFixed(0)} session hours, ${days} session days a second`;
  return [summary, ...counts, ...never].join('\n');
}

const seed = whole(valueOf('--seed'));
const range = /^(\d{1,9})\.\.(\d{1,9})$/.exec(valueOf('--seeds') ?? '');
const [from, to] = [whole(range?.[1]), whole(range?.[2])];
const workers = whole(valueOf('--workers') ?? String(availableParallelism()));
if (process.argv.includes('--worker')) serve(options);
else if (seed !== null) process.exitCode = await one(seed);
else if (from !== null && to !== null && from <= to && workers)
  process.exitCode = await many(from, to, workers);
else {
  console.error(USAGE);
  process.exitCode = 2;
}
