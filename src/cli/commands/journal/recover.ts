import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { formatDecimal } from '../../../core/amount.ts';
import { toIso } from '../../../core/brand.ts';
import { ConfigError, faultIn, SafetyError, orAt } from '../../../core/errors.ts';
import type { JournalEntry } from '../../../domain/journalEvent.ts';
import type { Pin } from '../../../domain/account/pins.ts';
import type { OrderReport } from '../../../domain/venue.ts';
import { openSqliteJournal } from '../../../store/sqliteJournal.ts';
import { verifyJournal } from '../../../store/readJournal.ts';
import type { LoadedConfig } from '../../../app/config/load.ts';
import type { CommandContext } from '../../../process/context.ts';
import { printResult } from '../../../process/output.ts';
import { lostJournalOf, withClaimedState } from '../../../app/environment/journal.ts';
import { knownPins } from '../../../app/environment/pins.ts';
import { withVenueAccess, type TradingEnvironment } from '../../../app/environment/environment.ts';
import { isOpen, lockingOf, locksText } from '../../../domain/account/hiddenAmounts.ts';
import { sweepOpen } from '../../../app/environment/venueSide.ts';
import { dormantKernel } from '../../../app/environment/operatorSession.ts';

/** Files of a journal: the file itself, its write-ahead log, the index of that, and the note of its end. */
const PARTS = ['', '-wal', '-shm', '-head', '-checkpoint'];

/**
 * `drover journal recover`: starts a new journal from the venue's current state, and sets the old one aside. Opening
 * balances are those of the account; orders open at the venue become external.
 * @throws {SafetyError} while a runner holds the state; in mode live while an open order locks some of the balances
 */
export function journalRecover(
  flags: { state?: string; yes?: boolean },
  context: CommandContext,
): Promise<number> {
  const { loaded, stateDir, file } = lostJournalOf(flags, context);
  return withClaimedState({ loaded, stateDir, context }, () =>
    withVenueAccess({ loaded, stateDir, context }, async (environment) => {
      const entries = await openingOf(environment, keptPins(loaded));
      if (flags.yes && loaded.config.mode === 'live') refuseLocked(entries);
      const wrong = wrongWith(file);
      const aside = flags.yes ? replace(file, { entries, suffix: suffixAt(environment) }) : null;
      return showOutcome({ entries, wrong, aside }, context);
    }),
  );
}

/** Entries that a first start would write: epoch, opening balances, and the orders it finds. */
async function openingOf(
  { venue, clock }: TradingEnvironment,
  kept: readonly Pin[],
): Promise<JournalEntry[]> {
  const kernel = dormantKernel();
  const listings = await venue.listings();
  const asked = clock.now();
  const { rows, complete } = await sweepOpen({ venue, clock }, kernel.context.accountState);
  if (!complete)
    throw new SafetyError('the order list could not be read completely: nothing was changed, try again');
  const account = await venue.account();
  const events = [
    { kind: 'listed', listings },
    { kind: 'opened', account },
    { kind: 'swept', asked, rows, complete },
  ] as const;
  const first = kernel.handle({ kind: 'recovered' }, clock.now()).facts;
  const pinned: JournalEntry[] =
    kept.length === 0 ? [] : [{ at: clock.now(), fact: { kind: 'pinned', pins: kept, reason: KEPT } }];
  kernel.recover(pinned);
  const seen = events.flatMap((event) => kernel.handle(event, clock.now()).facts);
  return [...first, ...pinned, ...seen.map(accepted)];
}

const KEPT = 'taken over from the journal before';

/** Pins of the old journal, if readable: they are compared with what the venue states now. */
function keptPins(loaded: LoadedConfig): Pin[] {
  const pins = () => [...knownPins(loaded).pins.all].map(([subject, terms]) => ({ subject, terms }));
  return orAt(ConfigError, pins, () => []);
}

/** The entry, with an external order accepted: the person who starts the journal was shown the open orders. */
function accepted({ at, fact }: JournalEntry): JournalEntry {
  if (fact.kind !== 'external') return { at, fact };
  const { kind, txHash, report, why } = fact;
  return { at, fact: { kind, txHash, report, why } };
}

function lockingIn(entries: readonly JournalEntry[]): OrderReport[] {
  const found = entries.flatMap(({ fact }) => (fact.kind === 'external' && fact.report ? [fact.report] : []));
  return lockingOf(found.filter(isOpen));
}

/** Refuses opening balances that lack amounts released when such an order ends. @throws {SafetyError} */
function refuseLocked(entries: readonly JournalEntry[]): void {
  const locking = lockingIn(entries);
  if (locking.length === 0) return;
  throw new SafetyError(
    `no new journal was started: it would open with free balances only, without what open orders lock:\n${locksText(locking)}`,
  );
}

const suffixAt = ({ clock }: TradingEnvironment): string =>
  `.aside-${toIso(clock.now()).replace(/[:.]/g, '-')}`;

/** Replaces a journal once the new one is complete. Returns the path where the old one is kept. */
function replace(
  file: string,
  { entries, suffix }: { entries: readonly JournalEntry[]; suffix: string },
): string {
  const fresh = `${file}.new`;
  for (const part of PARTS) rmSync(`${fresh}${part}`, { force: true });
  const journal = openSqliteJournal(fresh);
  journal.commit(entries);
  journal.close();
  move(file, `${file}${suffix}`);
  move(fresh, file);
  return `${file}${suffix}`;
}

function move(from: string, to: string): void {
  for (const part of PARTS) if (existsSync(`${from}${part}`)) renameSync(`${from}${part}`, `${to}${part}`);
}

function wrongWith(file: string): string | null {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (!size) return `${file} is ${size === 0 ? 'empty' : 'missing'}`;
  return faultIn(Error, () => verifyJournal(file));
}

const LOCKED =
  'The balances lack what these orders lock, which appears as a difference when they end. Let them end first; mode live requires it.';

type Outcome = Readonly<{ entries: readonly JournalEntry[]; wrong: string | null; aside: string | null }>;

function showOutcome({ entries, wrong, aside }: Outcome, context: CommandContext): number {
  const opened = entries.flatMap(({ fact }) => (fact.kind === 'opened' ? [fact] : []));
  const external = entries.flatMap(({ fact }) => (fact.kind === 'external' ? [fact.txHash] : []));
  const { cash, holdings } = opened[0] ?? { cash: 0n, holdings: [] };
  const stock = holdings.map(([symbol, quantity]) => `${formatDecimal(quantity)} ${symbol}`);
  const lines = [
    wrong ?? 'nothing is wrong with this journal: keep it unless you have a reason',
    `The venue shows ${formatDecimal(cash)} mUSD${stock.map((one) => `, ${one}`).join('')}, and ${external.length} open orders.`,
    ...external.map((txHash) => `  open, and external from now on: ${txHash}`),
    ...(lockingIn(entries).length === 0 ? [] : [LOCKED]),
    aside === null
      ? '--yes starts a new journal with these, and keeps the old one aside. Positions and state of strategies become unallocated: they start again from nothing.'
      : `A new journal has begun. ${existsSync(aside) ? `The old one is ${aside}.` : 'There was no old one.'}`,
  ];
  return printResult(
    context,
    { recovered: aside !== null, aside, wrong, cash, holdings, external },
    lines.join('\n'),
  );
}
