import { closing } from '../../../core/errors.ts';
import type { AccountState } from '../../../domain/account/accountState.ts';
import { cashCells, stockCells, tokenCells, type Cell } from '../../../domain/account/locations.ts';
import { formatDecimal } from '../../../core/amount.ts';
import { JournalFold } from '../../../engine/kernel/journalFold.ts';
import { foldJournal } from '../../../engine/runtime/checkpoints.ts';
import type { Holding } from '../../../domain/account/ledger.ts';
import { txHashOf } from '../../../domain/orders/order.ts';
import { describeTerms } from '../../../domain/describe.ts';
import type { Sweep } from '../../../engine/runtime/sweep.ts';
import { readJournal } from '../../../store/readJournal.ts';
import type { CommandContext } from '../../../process/context.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { printResult, table } from '../../../process/output.ts';
import { claimState } from '../../../app/environment/ownership.ts';
import { journalOf, withClaimedState } from '../../../app/environment/journal.ts';
import { externalOrdersIn } from '../../../domain/account/hiddenAmounts.ts';
import { withReadOnlyVenue } from '../../../app/environment/operatorSession.ts';
import { readVenueSide, type VenueReading } from '../../../app/environment/venueSide.ts';
import type { VenueUse } from '../../../app/environment/environment.ts';

type ReconcileFlags = Readonly<{ state?: string }>;

/** Locations of an asset, by their names in the printed JSON. */
type Places = Readonly<Record<string, Cell>>;
type OrderLine = Readonly<{ order: string; terms: string; ledger: string; venue: string | null }>;
/** Result of the comparison, as printed in JSON: wads as decimal text. */
type Sides = Readonly<{
  cash: Places;
  /** Symbols by token address in lower case. */
  tokens: ReadonlyMap<Holding, Places>;
  stocks: ReadonlyMap<Holding, Places>;
  orders: readonly OrderLine[];
  differences: readonly string[];
}>;

/**
 * `drover reconcile`: compares every location and the live orders in journal and venue. It does not write to the journal, and
 * may run during a run, except in mode `emulator`. Exit code 1 if anything differs.
 * @throws {SafetyError} while a run holds the emulated venue in its state folder
 */
export async function reconcile(flags: ReconcileFlags, context: CommandContext): Promise<number> {
  const { loaded, stateDir, file } = journalOf(flags, context);
  const sides = await beside({ loaded, context, stateDir }, async () => {
    const accountState = booksIn(file);
    return withReadOnlyVenue({ loaded, context, stateDir }, async (observation) =>
      sidesOf(accountState, await readVenueSide(observation, accountState)),
    );
  });
  const isClean = sides.differences.length === 0;
  printResult(context, { state: stateDir, clean: isClean, ...sides, ...listsOf(sides) }, textOf(sides));
  return isClean ? EXIT.done : EXIT.failed;
}

/** Holds the state folder for an emulated venue, which is stored in it and belongs to one run at a time. */
function beside<T>(use: VenueUse, work: () => Promise<T>): Promise<T> {
  const { loaded, stateDir } = use;
  if (loaded.config.mode === 'emulator')
    return withClaimedState(
      { ...use, what: `the emulated venue in ${stateDir}, which is that run's alone` },
      work,
    );
  claimState(loaded, stateDir);
  return work();
}

const booksIn = (file: string): AccountState =>
  closing(readJournal(file), (reader) => foldJournal(reader, new JournalFold()).accountState);

function sidesOf(accountState: AccountState, shown: VenueReading): Sides {
  const { account, sweep } = shown;
  const assets = [
    ...accountState.ledger.assets,
    ...account.holdings.keys(),
    ...(account.debts?.keys() ?? []),
  ];
  const symbols = new Set(assets.flatMap((asset) => (asset === 'mUSD' ? [] : [asset])));
  const addresses = new Set([...accountState.ledger.tokens, ...(account.tokens?.keys() ?? [])]);
  const cash = cashCells(accountState, shown);
  const tokens = new Map(
    [...addresses].map((token) => [token, tokenCells(accountState, token, shown)] as const),
  );
  const stocks = new Map(
    [...symbols].map((symbol) => [symbol, stockCells(accountState, symbol, shown)] as const),
  );
  const orders = orderLines(accountState, sweep);
  const isCompared = [cash, ...tokens.values(), ...stocks.values()]
    .flatMap((places) => Object.values(places))
    .some(({ expected }) => expected !== null);
  const unreadable = sweep.rows.flatMap((row) => ('unreadable' in row ? [row.unreadable] : []));
  return {
    cash,
    tokens,
    stocks,
    orders,
    differences: [
      ...(isCompared ? [] : ['nothing was compared: the journal has not seen this account yet']),
      ...[['mUSD', cash] as const, ...tokens, ...stocks].flatMap(([asset, places]) =>
        differencesIn(asset, places),
      ),
      ...orders.filter(({ ledger, venue }) => !fits(ledger, venue)).map(orderDifference),
      ...unreadable.map((row) => `a row of the order list is unreadable: ${row}`),
      ...(sweep.complete ? [] : ['the order list could not be read completely']),
    ],
  };
}

const differencesIn = (asset: Holding, places: Places): string[] =>
  Object.entries(places).flatMap(([place, { expected, venue, difference, explainable }]) => {
    if (expected === null || difference === 0n) return [];
    const expects = `${asset} ${WORDS[place]}: the ledger expects ${formatDecimal(expected)}`;
    if (venue === null) return expected === 0n ? [] : [`${expects}, the venue does not report it`];
    const why = explainable ? '; orders or transfers under way may explain it' : '';
    return [`${expects}, the venue has ${formatDecimal(venue)}${why}`];
  });

const WORDS: Readonly<Record<string, string>> = {
  free: 'free',
  locked: 'locked',
  wallet: 'in the wallet',
  debt: 'owed',
  queuedIn: 'on its way in',
  queuedOut: 'on its way out',
};

/** Live orders in the journal, and external ones open at the venue. */
function orderLines(accountState: AccountState, sweep: Sweep): OrderLine[] {
  const reports = sweep.rows.flatMap((row) => ('unreadable' in row ? [] : [row]));
  const ours = [...accountState.live.values()].map((order) => {
    const row = reports.find(({ txHash }) => txHash === txHashOf(order));
    return {
      order: order.id,
      terms: describeTerms(order.terms),
      ledger: order.state.kind,
      venue: row?.status ?? null,
    };
  });
  const others = externalOrdersIn(sweep, accountState).map(({ txHash, terms, status }) => ({
    order: txHash,
    terms: terms ? `${terms.side} ${terms.symbol}` : '-',
    ledger: 'not ours',
    venue: status,
  }));
  return [...ours, ...others];
}

/** True if an order's states in journal and venue agree; a newly sent one may have any state at the venue. */
function fits(ledger: string, venue: string | null): boolean {
  if (ledger === 'working') return venue === 'open' || venue === 'canceling';
  return ledger === 'acknowledged' ? venue === null || venue === 'pending' : ledger === 'planned';
}

const orderDifference = ({ order, terms, ledger, venue }: OrderLine): string =>
  `order ${order} (${terms}): ${ledger} in the journal, ${venue ?? 'nothing'} at the venue`;

const listsOf = ({ tokens, stocks }: Sides) => ({
  tokens: [...tokens].map(([token, places]) => ({ token, ...places })),
  stocks: [...stocks].map(([symbol, places]) => ({ symbol, ...places })),
});

const COLUMNS = ['ledger', 'expected', 'venue', 'difference'] as const;

function textOf({ cash, tokens, stocks, orders, differences }: Sides): string {
  const cells = [['mUSD', cash] as const, ...tokens, ...stocks].flatMap(([asset, places]) =>
    Object.entries(places)
      .filter(([, cell]) => asset === 'mUSD' || COLUMNS.some((column) => cell[column]))
      .map(([place, cell]) => [
        asset,
        WORDS[place] ?? place,
        ...COLUMNS.map((column) => (cell[column] === null ? '-' : formatDecimal(cell[column]))),
      ]),
  );
  const orderTable = table(
    ['order', 'terms', 'journal', 'venue'],
    orders.map(({ order, terms, ledger, venue }) => [order, terms, ledger, venue ?? '-']),
  );
  return [
    table(['asset', 'place', ...COLUMNS], cells, COLUMNS),
    ...(orders.length === 0 ? [] : ['', orderTable]),
    '',
    ...(differences.length === 0 ? ['no differences'] : differences),
  ].join('\n');
}
