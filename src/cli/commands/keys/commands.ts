import type { Command } from 'commander';
import type { Wire } from '../../wire.ts';

const PASSWORD = ['--password-file <file>', 'file that holds the password, readable by you alone'] as const;

/** `drover keys …` */
export function addKeys(program: Command, wire: Wire): void {
  const keys = program
    .command('keys')
    .description('keys on this machine, sealed with a password; venue.walletKeyName and secretName use them');
  const create = keys
    .command('create')
    .description('make a new wallet key')
    .argument('<name>', 'what to call it')
    .option(...PASSWORD);
  wire(create, async () => (await import('./keys.ts')).keysCreate);
  const take = keys
    .command('import')
    .description('keep a key that is piped in, typed unseen, or in an environment variable')
    .argument('<name>', 'what to call it; never the key itself')
    .option('--env <variable>', 'environment variable that holds it')
    .option('--secret', 'it is an API secret, not a wallet key')
    .option(...PASSWORD);
  wire(take, async () => (await import('./keys.ts')).keysImport);
  const list = keys.command('list').description('names and addresses');
  wire(list, async () => (await import('./keys.ts')).keysList);
  const show = keys
    .command('show')
    .description('name, kind and address; never the key. With its password the address is verified')
    .argument('<name>', 'which one')
    .option(...PASSWORD);
  wire(show, async () => (await import('./keys.ts')).keysShow);
  const reveal = keys
    .command('export')
    .description('print the key itself, in the clear')
    .argument('<name>', 'which one')
    .option('--yes', 'do it without asking')
    .option(...PASSWORD);
  wire(reveal, async () => (await import('./keys.ts')).keysExport);
  const remove = keys
    .command('remove')
    .description('delete the file of a key')
    .argument('<name>', 'which one')
    .option('--yes', 'do it without asking');
  wire(remove, async () => (await import('./keys.ts')).keysRemove);
  const change = keys
    .command('change-password')
    .description('seal a key with another password')
    .argument('<name>', 'which one')
    .option(...PASSWORD)
    .option('--new-password-file <file>', 'file that holds the new password');
  wire(change, async () => (await import('./keys.ts')).keysChangePassword);
}
