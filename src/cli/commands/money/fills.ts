import { counted } from '../../../core/counted.ts';
import { newYorkDate, newYorkMinute } from '../../../calendar/zone.ts';
import { toIso } from '../../../core/brand.ts';
import type { AccountChange, TradeTerms } from '../../../domain/account/accountChange.ts';
import { moneyText, priceText, sharesText } from '../../../domain/amountText.ts';
import { lotChanges } from '../../../domain/lots/lotChanges.ts';
import type { CommandContext } from '../../../process/context.ts';
import { ownerName } from '../../../domain/account/ledger.ts';
import { accountView, type MoneyFlags } from './accountChanges.ts';
import { tableOf, type Column } from '../../../process/output.ts';
import { printList, rowsOf, sumOf, type Fields } from './list.ts';

type Fill = AccountChange & TradeTerms;

const isFill = (change: AccountChange): change is Fill & { kind: 'traded' } => change.kind === 'traded';

const feesOf = ({ mintFee, protocolFee }: Fill): bigint => mintFee + protocolFee;

const FIELDS: Fields<Fill> = {
  time: ({ at }) => toIso(at),
  date: ({ at }) => newYorkDate(at),
  strategy: ({ strategyId }) => ownerName(strategyId),
  symbol: ({ symbol }) => symbol,
  side: ({ side }) => side,
  shares: ({ quantity }) => quantity,
  price: ({ price }) => price,
  notional: ({ notional }) => notional,
  mintFee: ({ mintFee }) => mintFee,
  protocolFee: ({ protocolFee }) => protocolFee,
  cash: ({ cash }) => cash,
  deferred: ({ deferred }) => deferred,
  order: ({ orderId }) => orderId,
  intent: ({ intentId }) => intentId,
  tag: ({ tag }) => tag ?? null,
  reason: ({ reason }) => reason,
  venueOrder: ({ venueId }) => venueId,
  txHash: ({ txHash }) => txHash,
};

const COLUMNS: readonly Column<Fill>[] = [
  ['time', ({ at }) => newYorkMinute(at)],
  ['strategy', ({ strategyId }) => ownerName(strategyId)],
  ['symbol', ({ symbol }) => symbol ?? ''],
  ['side', ({ side, deferred }) => (deferred ? `${side}, deferred` : side)],
  ['shares', ({ quantity }) => sharesText(quantity), 'right'],
  ['price', ({ price }) => priceText(price), 'right'],
  ['notional', ({ notional }) => moneyText(notional), 'right'],
  ['fees', (fill) => moneyText(feesOf(fill)), 'right'],
  ['cash', ({ cash }) => moneyText(cash), 'right'],
  ['order', ({ orderId }) => orderId],
  ['transaction', ({ txHash }) => txHash ?? '–'],
];

/**
 * `drover fills`: every settled order, without those undone by a chain reorganisation.
 * @throws {ConfigError} for an invalid flag or an unreadable journal
 */
export async function fills(flags: MoneyFlags, context: CommandContext): Promise<number> {
  const view = await accountView(flags, context);
  const items = lotChanges(view.changes, view.strategyId)
    .filter(isFill)
    .filter(({ at, symbol }) => view.isInYear(at) && view.isWanted(symbol));
  const rows = rowsOf(items, FIELDS);
  const totals = {
    fills: items.length,
    bought: sumOf(items, ({ side, notional }) => (side === 'buy' ? notional : null)),
    sold: sumOf(items, ({ side, notional }) => (side === 'sell' ? notional : null)),
    fees: sumOf(items, feesOf),
    cash: sumOf(items, ({ cash }) => cash),
  };
  const text = tableOf(items, COLUMNS, {
    empty: 'no fills',
    totals: {
      time: counted(items.length, 'fill'),
      notional: moneyText(totals.bought + totals.sold),
      fees: moneyText(totals.fees),
      cash: moneyText(totals.cash),
    },
  });
  const form = { json: { fills: rows, totals }, fields: Object.keys(FIELDS), rows, text };
  return printList(form, flags.csv, context);
}
