import type { Command } from 'commander';
import { numberOrText, wholeNumber, withExamples, type Wire } from '../../wire.ts';
import { withOutsideFlags, withSimulationFlags } from '../backtest/commands.ts';

const QUEUE = ['--queue [url]', 'queue of trials: postgres://user@host/db, without a password'] as const;
const QUEUE_PASSWORD = [
  '--queue-password <file>',
  'file of mode 600 with its password (default: DROVER_QUEUE)',
] as const;

/** `drover optimise` and `drover worker` */
export function addSearch(program: Command, wire: Wire): void {
  const optimise = withOutsideFlags(withSimulationFlags(program.command('optimise')))
    .description('search the parameters of a strategy, and say how much of the result is luck')
    .option('--of <id>', 'strategy to search, if the config has several')
    .option('--space <json>', 'values to try (default: from the schema of the parameters)')
    .option('--constraint <expr>', 'condition on parameters, such as "fast < slow"')
    .option('--method <name>', 'grid, random, sobol or tpe (default: grid up to 2000 sets, else tpe)')
    .option('--trials <n>', 'number of parameter sets to try, except with grid (default: 100)', numberOrText)
    .option('--objective <metric>', 'metric, several with commas, or a file (default: sharpe)')
    .option('--walk-forward <in/out>', 'walk forward: choose on 12 months, trade the next 3, such as 12m/3m')
    .option('--anchored', 'start every in-sample part of the walk-forward at the first session')
    .option('--embargo <n>', 'sessions between in-sample and out-of-sample part (default: 0)', wholeNumber)
    .option('--workers <n>', 'threads (default: one for each core)', wholeNumber)
    .option('--memory <mb>', 'memory limit of one thread, in MB, without the shared bars', wholeNumber)
    .option(...QUEUE)
    .option(...QUEUE_PASSWORD)
    .option('--study <file>', 'file of the study (default: named after strategy and space)')
    .option('--resume', 'continue a study that was stopped or killed')
    .option('--stop-early', 'stop trials that are below the median after half of their sessions')
    .option('--benchmark <symbol>', 'symbol to measure against, none, or all in equal parts (default: all)')
    .option('--risk-free <rate>', 'annual rate as a fraction, 0.04 for 4 % (default: 0)', numberOrText)
    .option('--report <file>', 'write an HTML report that needs no network');
  wire(optimise, async () => (await import('./optimise.ts')).optimiseCommand);
  withExamples(optimise, [
    'optimise --strategy sma-cross --bars AAPL --space \'{"fast":[5,10],"slow":[30,60]}\'',
    'try four parameter sets',
  ]);
  const worker = program
    .command('worker')
    .description('run trials from a shared queue until stopped')
    .option(...QUEUE)
    .option(...QUEUE_PASSWORD)
    .option('--workers <n>', 'threads (default: one for each core)', wholeNumber)
    .option('--memory <mb>', 'memory limit of one thread, in MB, without the shared bars', wholeNumber)
    .option('--cache <dir>', 'folder for bars and code (default: in the data folder of this user)');
  wire(worker, async () => (await import('./worker.ts')).workerCommand);
  withExamples(worker, ['worker --queue postgres://me@host/drover', 'run trials of others']);
}
