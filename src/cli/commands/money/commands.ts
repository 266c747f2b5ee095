import { Option, type Command } from 'commander';
import { LOT_METHODS } from '../../../domain/lots/lot.ts';
import { withExamples, type Wire } from '../../wire.ts';

/** `drover fills`, `drover lots` and `drover income`: a run's trades, gains and dividends, from its journal. */
export function addMoney(program: Command, wire: Wire): void {
  const fills = program.command('fills').description('list the fills of a run, from its journal');
  wire(withListFlags(fills), async () => (await import('./fills.ts')).fills);
  withExamples(fills, ['fills --year 2026 --csv', 'the fills of a year']);
  const lots = program
    .command('lots')
    .description('list the lots that were sold, with their gains, and those still held')
    .addOption(
      new Option('--method <method>', 'lots that a sale takes first').choices(LOT_METHODS).default('fifo'),
    );
  wire(withListFlags(lots), async () => (await import('./lots.ts')).lots);
  withExamples(lots, ['lots --method highest --year 2026', 'gains of a year']);
  const income = program
    .command('income')
    .description('list the dividends that were paid, and those still due');
  wire(withListFlags(income), async () => (await import('./income.ts')).income);
  withExamples(income, ['income --state state', 'dividends']);
}

const withListFlags = (command: Command): Command =>
  command
    .option('--year <year>', 'only this year, by New York date')
    .option('--strategy <id>', 'only this strategy, or unallocated')
    .option('--symbol <symbol>', 'only this stock')
    .option('--csv', 'print CSV with a header and every digit')
    .option('--state <dir>', 'state folder of the run, overriding the config');
