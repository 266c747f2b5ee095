import type { Command } from 'commander';
import { withExamples, type Wire } from '../../wire.ts';

/** `drover backup` and `drover restore` */
export function addState(program: Command, wire: Wire): void {
  const backup = program
    .command('backup')
    .description('copy the state of a run into a new folder, even while it is active')
    .argument('<folder>', 'a new folder, such as /backup/2026-06-15')
    .option('--state <dir>', 'state folder of the run, overriding the config');
  wire(backup, async () => (await import('./backup.ts')).backup);
  withExamples(backup, ['backup /backup/monday', 'copy a run, even while it is active']);
  const restore = program
    .command('restore')
    .description('put a backup into a new state folder; its next run starts halted')
    .argument('<backup>', 'folder written by `drover backup`')
    .requiredOption('--state <dir>', 'the new state folder');
  wire(restore, async () => (await import('./restore.ts')).restore);
  withExamples(restore, ['restore /backup/monday --state state', 'into a new state folder']);
}
