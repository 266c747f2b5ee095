import type { Command } from 'commander';
import { reasonText, withExamples, type Wire } from '../../wire.ts';

/** `drover config …` */
export function addConfig(program: Command, wire: Wire): void {
  const config = program.command('config').description("show the config and the venue's settings");
  withExamples(
    config,
    ['config explain my.yaml', 'every value, and where it came from'],
    ['config reload --dry-run', 'what a run would reload from its config'],
  );
  const explain = config
    .command('explain')
    .description('show every value and where it came from')
    .argument('[config]', 'config file (default: config/emulator.yaml)');
  wire(explain, async () => (await import('./config.ts')).configExplainCommand);
  const reload = config
    .command('reload')
    .description('make the run reload limits, polling, calendar and external from its config')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--reason <text>', 'reason, kept in the journal (default: by hand)', reasonText)
    .option('--yes', 'allow looser limits in mode live')
    .option('--state <dir>', 'state folder of the run, overriding the config');
  wire(reload, async () => (await import('./config.ts')).configReload);
  const fees = config.command('fees').description("show the venue's fees, minimums, buffers and pauses");
  wire(fees, async () => (await import('./config.ts')).configFees);
}
