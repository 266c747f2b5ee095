import type { Command } from 'commander';
import { withExamples, type Wire } from '../../wire.ts';

const PASSWORD = ['--password-file <file>', 'file with the password, readable by you alone'] as const;
const NAME = ['<name>', 'name of the key'] as const;

/** `drover keys …` */
export function addKeys(program: Command, wire: Wire): void {
  const keys = program.command('keys').description('manage the keys on this machine, sealed with a password');
  withExamples(keys, ['keys create trading', 'a new wallet key, sealed with a password']);
  addNewKeys(keys, wire);
  const list = keys.command('list').description('list names and addresses');
  wire(list, async () => (await import('./keys.ts')).keysList);
  const show = keys
    .command('show')
    .description('show name, kind and address, never the key; a password verifies the address')
    .argument(...NAME)
    .option(...PASSWORD);
  wire(show, async () => (await import('./keys.ts')).keysShow);
  const reveal = keys
    .command('export')
    .description('print the key itself, unencrypted')
    .argument(...NAME)
    .option('--yes', 'do it without asking')
    .option(...PASSWORD);
  wire(reveal, async () => (await import('./keys.ts')).keysExport);
  const remove = keys
    .command('remove')
    .description('delete the file of a key')
    .argument(...NAME)
    .option('--yes', 'do it without asking');
  wire(remove, async () => (await import('./keys.ts')).keysRemove);
  const change = keys
    .command('change-password')
    .description('seal a key with another password')
    .argument(...NAME)
    .option(...PASSWORD)
    .option('--new-password-file <file>', 'file with the new password');
  wire(change, async () => (await import('./keys.ts')).keysChangePassword);
}

function addNewKeys(keys: Command, wire: Wire): void {
  const create = keys
    .command('create')
    .description('create a new wallet key')
    .argument(...NAME)
    .option(...PASSWORD);
  wire(create, async () => (await import('./keys.ts')).keysCreate);
  const take = keys
    .command('import')
    .description('store a key that is piped in, typed unseen, or in an environment variable')
    .argument('<name>', 'name of the key, never the key itself')
    .option('--env <variable>', 'environment variable that holds the key')
    .option('--secret', 'the key is an API secret, not a wallet key')
    .option(...PASSWORD);
  wire(take, async () => (await import('./keys.ts')).keysImport);
}
