import type { Command } from 'commander';
import type { Wire } from './wire.ts';

export function addReport(program: Command, wire: Wire): void {
  const report = program
    .command('report')
    .description('the record of a run as one HTML page that needs no network')
    .argument('<record>', 'file that `drover backtest … --save` wrote')
    .option('--out <file>', 'where to (default: beside the record, as .html)');
  wire(report, async () => (await import('./commands/report.ts')).reportCommand);
}
