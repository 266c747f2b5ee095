import { holdingPeriod } from '../../../calendar/holdingPeriod.ts';
import { newYorkDate } from '../../../calendar/zone.ts';
import type { Cash } from '../../../core/amount.ts';
import type { EpochMs } from '../../../core/brand.ts';
import { moneyText, sharesText } from '../../../domain/amountText.ts';
import type { BasisSource, ClosedLot, Lot, LotMethod, Lots, MovedLot } from '../../../domain/lots/lot.ts';
import { lotsOf } from '../../../domain/lots/lotBook.ts';
import type { CommandContext } from '../../../process/context.ts';
import { ownerName } from '../../../domain/account/ledger.ts';
import { accountView, type MoneyFlags } from './accountChanges.ts';
import { tableOf, type Column } from '../../../process/output.ts';
import { printList, rowsOf, sumOf, type Fields } from './list.ts';

type LotFlags = MoneyFlags & Readonly<{ method: LotMethod }>;

type AnyLot = Lot | ClosedLot | MovedLot;

const dateOf = (at: EpochMs | null): string | null => (at === null ? null : newYorkDate(at));

/** Sources of newly acquired shares, which have no earlier history. */
const NEW: ReadonlySet<BasisSource> = new Set(['bought', 'dividend']);

/** Holding period of a closed lot. `term` is null if its shares may be older than the lot. */
function heldOf(lot: AnyLot): Readonly<{ days: number | null; term: string | null }> {
  if (!('sold' in lot) || lot.acquired === null || !NEW.has(lot.source)) return { days: null, term: null };
  const { days, isLong } = holdingPeriod(lot.acquired, lot.sold);
  // Shares sold before the chain settled their buy again count as held for zero days.
  return { days: Math.max(days, 0), term: isLong ? 'long' : 'short' };
}

const FIELDS: Fields<AnyLot> = {
  status: (lot) => ('how' in lot ? lot.how : 'left' in lot ? 'movedOut' : 'open'),
  symbol: ({ symbol }) => symbol,
  strategy: ({ strategyId }) => ownerName(strategyId),
  acquired: ({ acquired }) => dateOf(acquired),
  sold: (lot) => dateOf('sold' in lot ? lot.sold : 'left' in lot ? lot.left : null),
  shares: ({ shares }) => shares,
  proceeds: (lot) => ('sold' in lot ? lot.proceeds : null),
  basis: ({ basis }) => basis,
  gain: (lot) => ('sold' in lot ? lot.gain : null),
  days: (lot) => heldOf(lot).days,
  term: (lot) => heldOf(lot).term,
  source: ({ source }) => source,
  order: ({ orderId }) => orderId,
};

const moneyOr = (amount: Cash | null): string => (amount === null ? 'unknown' : moneyText(amount));

const CLOSED_COLUMNS: readonly Column<ClosedLot>[] = [
  ['sold', ({ sold }) => newYorkDate(sold)],
  ['acquired', ({ acquired }) => dateOf(acquired) ?? 'unknown'],
  ['symbol', ({ symbol }) => symbol],
  ['shares', (lot) => sharesText(lot.shares), 'right'],
  ['proceeds', ({ proceeds }) => moneyText(proceeds), 'right'],
  ['basis', ({ basis }) => moneyOr(basis), 'right'],
  ['gain', ({ gain }) => moneyOr(gain), 'right'],
  ['days', (lot) => heldOf(lot).days?.toString() ?? '', 'right'],
  ['term', (lot) => heldOf(lot).term ?? ''],
  ['source', ({ source, how }) => (how === 'writtenOff' ? `${source}, written off` : source)],
];

const OPEN_COLUMNS: readonly Column<Lot>[] = [
  ['acquired', ({ acquired }) => newYorkDate(acquired)],
  ['symbol', ({ symbol }) => symbol],
  ['shares', (lot) => sharesText(lot.shares), 'right'],
  ['basis', ({ basis }) => moneyOr(basis), 'right'],
  ['source', ({ source }) => source],
];

const MOVED_COLUMNS: readonly Column<MovedLot>[] = [
  ['moved out', ({ left }) => newYorkDate(left)],
  ...OPEN_COLUMNS,
];

/** Totals over the closed and open lots, and the number of closed ones without a basis. */
function totalsOf({ closed, open }: Lots) {
  const gainsOf = (term: string) => sumOf(closed, (lot) => (heldOf(lot).term === term ? lot.gain : null));
  const gain = sumOf(closed, (lot) => lot.gain);
  const [shortGain, longGain] = [gainsOf('short'), gainsOf('long')];
  return {
    proceeds: sumOf(closed, ({ proceeds }) => proceeds),
    basis: sumOf(closed, ({ basis }) => basis),
    gain,
    shortGain,
    longGain,
    otherGain: gain - shortGain - longGain,
    unknownBasis: closed.filter(({ basis }) => basis === null).length,
    openBasis: sumOf(open, ({ basis }) => basis),
  };
}

/**
 * `drover lots`: lots sold, with their gains, those still held at the end of the year, and those moved out.
 * @throws {ConfigError} for an invalid flag or an unreadable journal
 */
export async function lots(flags: LotFlags, context: CommandContext): Promise<number> {
  const { changes, isInYear, isWanted, strategyId } = await accountView(flags, context);
  const { method } = flags;
  const all = lotsOf(changes, { method, strategyId });
  const view: Lots = {
    closed: all.closed.filter(({ sold, symbol }) => isInYear(sold) && isWanted(symbol)),
    open: all.open.filter(({ symbol }) => isWanted(symbol)),
    movedOut: all.movedOut.filter(({ left, symbol }) => isInYear(left) && isWanted(symbol)),
  };
  const totals = totalsOf(view);
  const [closed, open, movedOut] = [view.closed, view.open, view.movedOut].map((part) =>
    rowsOf(part, FIELDS),
  );
  const form = {
    json: { method, closed, open, movedOut, totals },
    fields: Object.keys(FIELDS),
    rows: rowsOf([...view.closed, ...view.movedOut, ...view.open], FIELDS),
    text: textOf(view, totals, method),
  };
  return printList(form, flags.csv, context);
}

function textOf(view: Lots, totals: ReturnType<typeof totalsOf>, method: LotMethod): string {
  const { proceeds, basis, gain, shortGain, longGain, otherGain, unknownBasis, openBasis } = totals;
  const closed = tableOf(view.closed, CLOSED_COLUMNS, {
    empty: 'no lots sold',
    totals: { sold: 'total', proceeds: moneyText(proceeds), basis: moneyText(basis), gain: moneyText(gain) },
  });
  const other = otherGain === 0n ? '' : `, other ${moneyText(otherGain)}`;
  const open = tableOf(view.open, OPEN_COLUMNS, {
    empty: 'no lots held',
    totals: { acquired: 'total', basis: moneyText(openBasis) },
  });
  const lines = [`Sold (${method})`, closed];
  if (view.closed.length > 0)
    lines.push(`short term ${moneyText(shortGain)}, long term ${moneyText(longGain)}${other}`);
  if (unknownBasis > 0)
    lines.push(`${unknownBasis} without a known cost basis: their gain is not in the total`);
  lines.push('', 'Held', open);
  if (view.movedOut.length > 0)
    lines.push('', 'Moved out', tableOf(view.movedOut, MOVED_COLUMNS, { empty: '', totals: {} }));
  return lines.join('\n');
}
