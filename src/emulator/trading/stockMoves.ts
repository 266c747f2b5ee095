import { cash } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { Address, Ticker } from '../../domain/instrument.ts';
import { EXCHANGE, type Emit } from '../state/events.ts';
import { balanceOf, transfer, type Bucket, type Place } from '../state/ledger.ts';
import type { Hex, Operation } from '../state/state.ts';
import { spendAllowance, takingProblem } from '../chain/tokens.ts';
import { accountOf, keepOperation, listingOf, operationIdOf, type World } from '../state/world.ts';

/** A call of the stock contract: `amount` in wads, with the transaction and whom it acts for. */
export type StockCall = StockWish & Readonly<{ hash: Hex; emit: Emit }>;
export type StockWish = Readonly<{ user: Address; token: Address; amount: bigint }>;

const isUnknown = ({ listings }: World, token: Address): boolean => !listings.has(token.toUpperCase());

/** Why a deposit of stock reverts, or null. */
export function stockDepositProblem(world: World, call: StockWish): string | null {
  if (isUnknown(world, call.token)) return 'unknown stock';
  return call.amount === 0n ? 'amount is zero' : takingProblem(world, call);
}

/** From the wallet on to the exchange. The caller has looked before. */
export function depositStock(world: World, call: StockCall, at: EpochMs): void {
  spendAllowance(world, call);
  move(world, call, { from: 'wallet', to: 'exchange' });
  record(world, { call, type: 'stock_deposit' }, at);
  const { user, token: stockToken, amount } = call;
  call.emit({ address: EXCHANGE, name: 'StockDeposited', args: { user, stockToken, amount } });
}

/** Why a withdrawal of stock reverts, or null. */
export function stockWithdrawalProblem(world: World, { user, token, amount }: StockWish): string | null {
  if (isUnknown(world, token)) return 'unknown stock';
  if (amount === 0n) return 'amount is zero';
  if (accountOf(world, user).deferredSell.restricted) return 'address is restricted';
  const held = balanceOf(world.state.balances, { holder: user, bucket: 'exchange' }, symbolOf(world, token));
  return held < amount ? 'insufficient exchangeBalance' : null;
}

/** From the exchange to the wallet. The caller has looked before. */
export function withdrawStock(world: World, call: StockCall, at: EpochMs): void {
  move(world, call, { from: 'exchange', to: 'wallet' });
  record(world, { call, type: 'stock_withdraw' }, at);
  const { user, token: stockToken, amount } = call;
  call.emit({ address: EXCHANGE, name: 'StockWithdrawn', args: { user, stockToken, amount } });
}

/** Why a repayment reverts, or null. */
export function repaymentProblem(world: World, call: StockWish): string | null {
  if (isUnknown(world, call.token)) return 'unknown stock';
  if (call.amount === 0n) return 'amount is zero';
  const debt = { holder: call.user, bucket: 'debt' } as const;
  const owed = balanceOf(world.state.balances, debt, symbolOf(world, call.token));
  return call.amount > owed ? 'amount exceeds the debt' : takingProblem(world, call);
}

/** Burns stock of the wallet, and the debt with it. What lies on the exchange does not count. */
export function repay(world: World, call: StockCall): void {
  spendAllowance(world, call);
  move(world, call, { from: 'wallet', to: 'venue' });
  move(world, call, { from: 'debt', to: 'venue' });
  const { user, token: stockToken, amount } = call;
  call.emit({ address: EXCHANGE, name: 'DeferredSellDebtRepaid', args: { user, stockToken, amount } });
}

const symbolOf = (world: World, token: Address): Ticker => listingOf(world, token).symbol;

type Way = Readonly<{ from: Bucket; to: Bucket | 'venue' }>;

function move(world: World, { user: holder, token, amount }: StockCall, { from, to }: Way): void {
  const place = (bucket: Bucket): Place => ({ holder, bucket });
  transfer(world.state.balances, {
    asset: symbolOf(world, token),
    amount,
    from: place(from),
    to: to === 'venue' ? to : place(to),
  });
}

type Recorded = Readonly<{ call: StockCall; type: Operation['type'] }>;

/** Stock moves at once: the operation is over when it begins. */
function record(world: World, { call: { user, token, amount, hash }, type }: Recorded, at: EpochMs): void {
  keepOperation(world, {
    operationId: operationIdOf(hash),
    txHash: hash,
    type,
    userAddress: user,
    token,
    asset: symbolOf(world, token),
    amount,
    credit: cash(0n),
    fee: cash(0n),
    isInstant: true,
    settleTxHash: hash,
    changes: [{ at, word: 'success' }],
  });
}
