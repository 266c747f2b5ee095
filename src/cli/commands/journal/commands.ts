import type { Command } from 'commander';
import { reasonText, type Wire } from '../../wire.ts';

const STATE = ['--state <dir>', 'state folder of the run, overriding the config'] as const;
const REASON = ['--reason <text>', 'reason, kept in the journal', reasonText] as const;

/** `drover reconcile`, `drover journal …`, and the operator's commands for a run that is stopped. */
export function addJournal(program: Command, wire: Wire): void {
  const compare = program
    .command('reconcile')
    .description('compare balances and live orders in journal and venue; exit 1 when they differ')
    .option(...STATE);
  wire(compare, async () => (await import('./reconcile.ts')).reconcile);
  addRelease(program, wire);
  addHalt(program, wire);
  addAdopt(program, wire);
  const journal = program
    .command('journal')
    .description('read, check and recover the journal of a run; reading works while it runs');
  addReaders(journal, wire);
  const again = journal
    .command('replay')
    .description('replay the journal through the strategies; exit 1 when a decision differs')
    .option(...STATE);
  wire(again, async () => (await import('./replay.ts')).journalReplay);
  const recover = journal
    .command('recover')
    .description('start a new journal from what the venue shows; the old one is kept aside')
    .option('--yes', 'do it; without this the new journal is only shown')
    .option(...STATE);
  wire(recover, async () => (await import('./recover.ts')).journalRecover);
}

function addReaders(journal: Command, wire: Wire): void {
  const show = journal
    .command('show')
    .description('show the entries in order, or the history of one order with its requests')
    .option('--order <id>', 'only this order, with each request byte for byte')
    .option('--kind <kind>', 'only this kind: planned, order, external, ...')
    .option('--since <time>', 'only from this time on, New York time or with a zone')
    .option('--follow', 'keep printing what is written from now on')
    .option(...STATE);
  wire(show, async () => (await import('./journal.ts')).journalShow);
  const out = journal
    .command('export')
    .description('write all entries to a new file, one JSON object a line')
    .argument('<file>', 'such as journal.jsonl')
    .option(...STATE);
  wire(out, async () => (await import('./journal.ts')).journalExport);
  const verify = journal
    .command('verify')
    .description('check that no entry is missing or was changed')
    .option(...STATE);
  wire(verify, async () => (await import('./journal.ts')).journalVerify);
}

function addRelease(program: Command, wire: Wire): void {
  const release = program
    .command('release')
    .description('unfreeze a symbol once ledger and venue agree on it; stop the runner first')
    .argument('<symbol>', 'such as AAPL')
    .requiredOption(...REASON)
    .option('--accept-terms', 'accept the terms that the venue lists now, such as a new contract')
    .option('--yes', 'accept new terms without asking')
    .option(...STATE);
  wire(release, async () => (await import('./release.ts')).releaseSymbol);
}

function addHalt(program: Command, wire: Wire): void {
  const halt = program
    .command('halt')
    .description('stop placing orders until `resume`, across restarts; a run gets a kill file')
    .requiredOption(...REASON)
    .option(...STATE);
  wire(halt, async () => (await import('./halt.ts')).haltTrading);
  const resume = program
    .command('resume')
    .description('end a halt once ledger and venue agree; removes the kill file of `halt`')
    .requiredOption(...REASON)
    .option(...STATE);
  wire(resume, async () => (await import('./halt.ts')).resumeTrading);
}

function addAdopt(program: Command, wire: Wire): void {
  const adopt = program
    .command('adopt')
    .description("accept the venue's balance of an asset in the ledger; stop the runner first")
    .argument('<asset>', 'mUSD, a symbol, or the address of a cash token')
    .requiredOption(...REASON)
    .option('--for <strategy>', 'strategy that gets or bears the difference (default: unallocated)')
    .option('--yes', 'do it; without this the difference is only shown')
    .option(...STATE);
  wire(adopt, async () => (await import('./release.ts')).adoptCommand);
}
