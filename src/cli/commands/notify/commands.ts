import type { Command } from 'commander';
import { withExamples, type Wire } from '../../wire.ts';

/** `drover notify …` */
export function addNotify(program: Command, wire: Wire): void {
  const notify = program.command('notify').description('check the channels that report a run');
  withExamples(notify, ['notify test', 'send a test message through every channel']);
  const test = notify
    .command('test')
    .description('send a test message through every channel of the config, or by one')
    .argument('[channel]', 'id of the channel (default: all, and the heartbeat)');
  wire(test, async () => (await import('./test.ts')).notifyTest);
}
