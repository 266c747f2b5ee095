import { epochMs } from '../../core/brand.ts';
import { ORDER_LIFE_MS } from '../../engine/runtime/venueLook.ts';
import type { Clock } from '../../core/clock.ts';
import { NoAnswerError, VenueRefusedError } from '../../core/errors.ts';
import { AccountState } from '../../domain/account/accountState.ts';
import { isUnderWay, lockedIn, queuedIn, type Amounts } from '../../domain/account/hiddenAmounts.ts';
import type { VenueSide } from '../../domain/account/locations.ts';
import { countPinned } from '../../domain/account/pins.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { ListedKind, TransferPage, TransferPort } from '../../domain/transfers/transfer.ts';
import type { Venue } from '../../domain/venue.ts';
import { readList, type Sweep, sweepOrders } from '../../engine/runtime/sweep.ts';

/** A venue as seen by a read-only command. `transferPort`: absent if the venue has none. */
export type VenueAccess = Readonly<{ venue: Venue; transferPort?: TransferPort; clock: Clock }>;

const PAGE = 100;

export type VenueReading = VenueSide & Readonly<{ sweep: Sweep }>;

/** The order list, as far back as it can contain open orders. */
export function sweepOpen(
  { venue, clock }: Pick<VenueAccess, 'venue' | 'clock'>,
  { live }: AccountState,
): Promise<Sweep> {
  const sent = [...live.values()].flatMap(({ state }) => ('at' in state ? [state.at] : []));
  const oldestLive = epochMs(Math.min(...sent, clock.now() - ORDER_LIFE_MS));
  return sweepOrders(venue, { live: PAGE, oldestLive });
}

const UNREAD = {
  cashDeposit: null,
  cashWithdrawal: null,
  stockDeposit: null,
  stockWithdrawal: null,
} as const;

/** Reads every place where the venue may hold money or stock of the account. */
export async function readVenueSide(access: VenueAccess, journal: AccountState): Promise<VenueReading> {
  const { venue, transferPort } = access;
  const sweep = await sweepOpen(access, journal);
  const account = countPinned(await venue.account(), (symbol) => journal.pins.contractOf(symbol));
  const locked = lockedIn(sweep, journal);
  if (!transferPort) return { account, sweep, locked, queued: UNREAD };
  const debts = await transferPort.debts().catch(nullIfUnreported);
  const queued = await readQueues({ venue, transferPort }, journal);
  return { account: debts ? { ...account, debts } : account, sweep, locked, queued };
}

/** Amounts that no balance shows, when there is no journal: every order and transfer counts as external. */
export async function readHidden(access: Required<VenueAccess>): Promise<Omit<VenueSide, 'account'>> {
  const [locked, queued] = await Promise.all([readLocked(access), readQueues(access, NO_JOURNAL)]);
  return { locked, queued };
}

/** Amounts locked by this key's open orders, no matter who placed them. */
export const readLocked = (access: VenueAccess): Promise<Amounts> =>
  sweepOpen(access, NO_JOURNAL).then((sweep) => lockedIn(sweep, NO_JOURNAL), nullIfUnreported);

const NO_JOURNAL = new AccountState();

/** Null for a read that this deployment does not support, so that the rest is still shown. @throws any other error */
export function nullIfUnreported(error: unknown): null {
  if (error instanceof VenueRefusedError || error instanceof NoAnswerError) return null;
  throw error;
}

/** Amounts in transit: taken by transfers and not delivered yet, from the list that shows them. */
async function readQueues(
  { venue, transferPort }: Pick<Required<VenueAccess>, 'venue' | 'transferPort'>,
  { transfers: { byTx } }: AccountState,
): Promise<VenueSide['queued']> {
  const symbols = async () =>
    new Map(
      (await venue.listings()).map(
        ({ instrument: { address, symbol } }) => [address.toLowerCase(), symbol] as const,
      ),
    );
  const read = async (kind: ListedKind) => {
    const waiting = await waitingIn(transferPort, kind).catch(nullIfUnreported);
    const isStock = kind === 'stockDeposit' || kind === 'stockWithdrawal';
    const known = isStock && waiting?.length ? await symbols() : new Map<string, Ticker>();
    return waiting && queuedIn(waiting, { kind, symbols: known, byTx });
  };
  const [cashDeposit, cashWithdrawal] = [await read('cashDeposit'), await read('cashWithdrawal')];
  const [stockDeposit, stockWithdrawal] = [await read('stockDeposit'), await read('stockWithdrawal')];
  return { cashDeposit, cashWithdrawal, stockDeposit, stockWithdrawal };
}

/** Pending transfers, from the newest page back to the first page with none. Null if the pages never reach one. */
async function waitingIn(transferPort: TransferPort, kind: ListedKind): Promise<TransferPage['rows'] | null> {
  const { rows, complete } = await readList<TransferPage['rows'][number]>({
    limit: PAGE,
    read: (query) => transferPort.transfers(kind, query),
    isPast: (row) => !isUnderWay(row),
  });
  return complete ? rows.filter(isUnderWay) : null;
}
