import type { Command } from 'commander';
import type { Wire } from '../../wire.ts';

/** `drover config …` */
export function addConfig(program: Command, wire: Wire): void {
  const config = program.command('config').description("show the config and the venue's settings");
  const explain = config
    .command('explain')
    .description('show every value and where it came from')
    .argument('[config]', 'config file (default: config/emulator.yaml)');
  wire(explain, async () => (await import('./config.ts')).configExplainCommand);
  const fees = config.command('fees').description("show the venue's fees, minimums, buffers and pauses");
  wire(fees, async () => (await import('./config.ts')).configFees);
}
