import type { Command } from 'commander';
import { withExamples, type Wire } from '../../wire.ts';

/** `drover init` */
export function addInit(program: Command, wire: Wire): void {
  const init = program
    .command('init')
    .description('make a folder for a bot: strategy, test, configs, service unit')
    .argument('[folder]', 'an empty folder, or a new one (default: this one)')
    .option('--symbol <symbol>', 'stock the example trades (default: SPY)')
    .option('--capital <mUSD>', 'whole mUSD it trades with (default: 10000)')
    .option('--drover <spec>', 'drover to install: a version, or a packed file (default: this one)')
    .option('--yes', 'ask nothing');
  wire(init, async () => (await import('./init.ts')).init);
  withExamples(init, ['init my-bot --symbol AAPL --capital 5000', 'a folder for a bot that trades AAPL']);
}
