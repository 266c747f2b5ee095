import { counted } from '../../../core/counted.ts';
import { newYorkClock, newYorkDate } from '../../../calendar/zone.ts';
import { toIso } from '../../../core/brand.ts';
import type { AccountChange, TradeTerms } from '../../../domain/account/accountChange.ts';
import { moneyText, priceText, sharesText } from '../../../domain/amountText.ts';
import { lotChanges } from '../../../domain/lots/lotChanges.ts';
import type { CommandContext } from '../../../process/context.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { ownerName } from '../../../domain/account/ledger.ts';
import { accountView, type MoneyFlags } from './accountChanges.ts';
import { printList, sumOf, tableOf, type Column, type Row } from './list.ts';

type Fill = AccountChange & TradeTerms;

const isFill = (change: AccountChange): change is Fill & { kind: 'traded' } => change.kind === 'traded';

const feesOf = ({ mintFee, protocolFee }: Fill): bigint => mintFee + protocolFee;

const FIELDS = [
  'time',
  'date',
  'strategy',
  'symbol',
  'side',
  'shares',
  'price',
  'notional',
  'mintFee',
  'protocolFee',
  'cash',
  'deferred',
  'order',
  'intent',
  'tag',
  'reason',
  'venueOrder',
  'txHash',
] as const;

const rowOf = (fill: Fill): Row => ({
  time: toIso(fill.at),
  date: newYorkDate(fill.at),
  strategy: ownerName(fill.strategyId),
  symbol: fill.symbol,
  side: fill.side,
  shares: fill.quantity,
  price: fill.price,
  notional: fill.notional,
  mintFee: fill.mintFee,
  protocolFee: fill.protocolFee,
  cash: fill.cash,
  deferred: fill.deferred,
  order: fill.orderId,
  intent: fill.intentId,
  tag: fill.tag ?? null,
  reason: fill.reason,
  venueOrder: fill.venueId,
  txHash: fill.txHash,
});

const COLUMNS: readonly Column<Fill>[] = [
  ['time', ({ at }) => `${newYorkDate(at)} ${newYorkClock(at)}`],
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
 * `drover fills`: every settled order, without those that the chain undid.
 * @throws {ConfigError} for a flag that is wrong, or a journal that cannot be read
 */
export async function fills(flags: MoneyFlags, context: CommandContext): Promise<number> {
  const view = await accountView(flags, context);
  const items = lotChanges(view.changes, view.strategyId)
    .filter(isFill)
    .filter(({ at, symbol }) => view.isInYear(at) && view.isWanted(symbol));
  const rows = items.map(rowOf);
  const totals = {
    fills: items.length,
    bought: sumOf(items, ({ side, notional }) => (side === 'buy' ? notional : null)),
    sold: sumOf(items, ({ side, notional }) => (side === 'sell' ? notional : null)),
    fees: sumOf(items, feesOf),
    cash: sumOf(items, ({ cash }) => cash),
  };
  const text = () =>
    tableOf(items, COLUMNS, {
      empty: 'no fills',
      totals: {
        time: counted(items.length, 'fill'),
        notional: moneyText(totals.bought + totals.sold),
        fees: moneyText(totals.fees),
        cash: moneyText(totals.cash),
      },
    });
  printList({ json: { fills: rows, totals }, fields: FIELDS, rows, text }, flags.csv, context);
  return EXIT.done;
}
