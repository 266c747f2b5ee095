import { formatDecimal } from '../core/amount.ts';
import type { Transfer } from './transfers/transfer.ts';
import { exactShares, isDeferred } from './orders/order.ts';
import type { OrderTerms, ReportedTerms } from './venue.ts';
import type { Target, IntentTerms, OrderIntent } from './orders/orderIntent.ts';
import type {
  Distance,
  ExitQuantity,
  StopBuyTerms,
  SyntheticOrder,
  SyntheticTerms,
  WorkStyle,
  WorkTerms,
} from './orders/syntheticOrder.ts';

/** Text such as `buy 3 AAPL at 187.2`, `buy AAPL for 250`, `sell 1.5 KO`, `sell 2 SPY deferred`. */
export function describeTerms(terms: OrderTerms): string {
  if (terms.type === 'market' && terms.side === 'buy' && terms.quantity === undefined)
    return `buy ${terms.symbol} for ${formatDecimal(terms.notional)}`;
  const quantity = `${terms.side} ${formatDecimal(exactShares(terms) ?? 0n)} ${terms.symbol}`;
  if (isDeferred(terms)) return `${quantity} deferred`;
  return terms.type === 'limit' ? `${quantity} at ${formatDecimal(terms.price)}` : quantity;
}

/** Text of a row's terms; those that the venue leaves out are omitted. */
export function describeReported({ symbol, side, type, quantity, notional, price }: ReportedTerms): string {
  const amount = (before: string, value: bigint | null) =>
    value === null ? '' : `${before}${formatDecimal(value)}`;
  if (type === 'market' && side === 'buy') return `buy ${symbol}${amount(' for ', notional)}`;
  return `${side}${amount(' ', quantity)} ${symbol}${amount(' at ', price)}`;
}

/** Text of a strategy's request and its reason: `sell all AAPL (trailing stop)`, `bring AAPL to 45 % (fast above slow)`. */
export const describeIntent = ({
  terms,
  symbol,
  reason,
}: Pick<OrderIntent, 'terms' | 'symbol' | 'reason'>): string =>
  `${describeWant(terms, symbol)}${reason === '' ? '' : ` (${reason})`}`;

/** Text of a synthetic order: `stop at 95 of all AAPL`, `bracket of AAPL (breakout)`. */
export const describeSynthetic = ({ terms, symbol, reason }: SyntheticOrder): string =>
  `${describeHeld(terms, symbol)}${reason === '' ? '' : ` (${reason})`}`;

function describeHeld(terms: SyntheticTerms, symbol: string): string {
  switch (terms.kind) {
    case 'stop':
      return `stop at ${formatDecimal(terms.stop)} of ${quantityText(terms.quantity)} ${symbol}`;
    case 'stopBuy':
      return describeStopBuy(terms, symbol);
    case 'trail':
      return `trailing stop ${distanceText(terms.by)} of ${quantityText(terms.quantity)} ${symbol}`;
    case 'oco':
      return `limit at ${formatDecimal(terms.price)} or stop at ${formatDecimal(terms.stop)} of ${quantityText(terms.quantity)} ${symbol}`;
    case 'bracket':
      return `bracket: ${terms.entry.kind === 'stopBuy' ? describeStopBuy(terms.entry, symbol) : describeWant(terms.entry, symbol)}`;
    case 'work':
      return describeWork(terms, symbol);
  }
}

const describeStopBuy = ({ stop, quantity }: StopBuyTerms, symbol: string): string =>
  `buy stop at ${formatDecimal(stop)} of ${formatDecimal(quantity)} ${symbol}`;

/** Text such as `buy 100 AAPL in 20 parts, at most at 190`. */
function describeWork({ side, total, style, limit }: WorkTerms, symbol: string): string {
  const what =
    'quantity' in total
      ? `${side} ${formatDecimal(total.quantity)} ${symbol}`
      : `${side} ${symbol} for ${formatDecimal(total.notional)}`;
  const bound = side === 'buy' ? 'at most' : 'at least';
  return `${what} ${styleText(style)}${limit === null ? '' : `, ${bound} at ${formatDecimal(limit)}`}`;
}

function styleText(style: WorkStyle): string {
  if (style.kind === 'twap') return `in ${style.parts} parts over time`;
  return style.kind === 'chase'
    ? 'at a limit that follows the price'
    : `as ${Number((style.share * 100).toFixed(2))} % of the volume`;
}

const quantityText = (quantity: ExitQuantity): string =>
  quantity === 'all' ? 'all' : formatDecimal(quantity);

const distanceText = (by: Distance): string =>
  'percent' in by ? `by ${by.percent} %` : `by ${formatDecimal(by.amount)}`;

function describeWant(terms: IntentTerms, symbol: string): string {
  switch (terms.kind) {
    case 'buy':
      return `buy ${symbol} for ${formatDecimal(terms.notional)}`;
    case 'buyShares':
      return `buy ${formatDecimal(terms.quantity)} ${symbol}`;
    case 'sell':
      return `sell ${terms.quantity === 'all' ? 'all' : formatDecimal(terms.quantity)} ${symbol}`;
    case 'sellDeferred':
      return `sell ${formatDecimal(terms.quantity)} ${symbol} deferred`;
    case 'limit':
      return `${terms.side} ${formatDecimal(terms.quantity)} ${symbol} at ${formatDecimal(terms.price)}`;
    case 'target':
      return `bring ${symbol} to ${describeTarget(terms.to)}`;
  }
}

function describeTarget(to: Target): string {
  if ('weight' in to) return `${Number((to.weight * 100).toFixed(2))} %`;
  return 'quantity' in to ? `${formatDecimal(to.quantity)} shares` : `${formatDecimal(to.notional)} mUSD`;
}

const VERBS = {
  cashDeposit: 'deposit',
  cashWithdrawal: 'withdraw',
  stockDeposit: 'deposit',
  stockWithdrawal: 'withdraw',
  repay: 'repay',
  approve: 'approve',
} as const satisfies Record<Transfer['terms']['kind'], string>;

/** Text such as `deposit 2500 cash`, `repay 3 AAPL`. `cashToken`: name of a deposit's token, if known. */
export const describeTransfer = ({ terms }: Pick<Transfer, 'terms'>, cashToken = 'cash'): string =>
  `${VERBS[terms.kind]} ${formatDecimal(terms.amount)} ${assetNameOf(terms, cashToken)}`;

function assetNameOf(terms: Transfer['terms'], cashToken: string): string {
  if (terms.kind === 'approve') return terms.name;
  return 'symbol' in terms ? terms.symbol : cashToken;
}
