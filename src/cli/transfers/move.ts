import type { AccountNonce } from '../../wallet/nonces.ts';
import type { AllowedGroup } from '../../api/allowList.ts';
import { type Cash, type Shares, formatDecimal } from '../../core/amount.ts';
import type { Address } from '../../domain/instrument.ts';
import type { OrderTerms } from '../../domain/venue.ts';
import { bodyOf, lower } from '../../api/bodies.ts';

/** A cash token of the venue, with its places. */
export type Token = Readonly<{ symbol: string; address: Address; decimals: number }>;

/** Deposit from the wallet that precedes an order: a wad, of a cash token or of the stock itself. */
export type OrderDeposit = Readonly<{ token: Token | null; amount: bigint }>;

/** Order or transfer by hand, whichever way it is sent. Amounts are wads. */
export type Move = Readonly<
  | { kind: 'cashDeposit'; token: Token; amount: bigint }
  | { kind: 'cashWithdrawal'; token: Token; credit: Cash }
  | { kind: 'stockDeposit' | 'stockWithdrawal'; stock: Address; amount: Shares }
  | { kind: 'repay'; stock: Address; amount: Shares }
  | { kind: 'order'; terms: OrderTerms; deferred: boolean }
  | { kind: 'orderWithDeposit'; terms: OrderTerms; deposit: OrderDeposit }
  | { kind: 'cancel'; orderId: string }
>;

/** Group in `signing.allow` that each move needs; null for trading. */
export const GROUPS: Readonly<Record<Move['kind'], AllowedGroup | null>> = {
  cashDeposit: 'deposits',
  cashWithdrawal: 'withdrawals',
  stockDeposit: 'stockMoves',
  stockWithdrawal: 'stockMoves',
  repay: 'repay',
  order: null,
  orderWithDeposit: 'withDeposit',
  cancel: null,
};

/** The transaction that carries a move out. `signed`: its signer and nonce, where the wallet has sent it itself. */
export type MoveReceipt = Readonly<{ txHash: string; signed?: AccountNonce }>;

/** Sends a move once. Throws what the client throws. */
export type Submit = (move: Move) => Promise<MoveReceipt>;

type Of<Kind extends Move['kind']> = Extract<Move, { kind: Kind }>;

/** Without a deadline. */
export const orderBody = ({ terms, deferred }: Of<'order'>) => ({
  ...bodyOf(terms),
  ...(deferred && { deferred: true }),
});

/** Without a deadline. */
export const orderWithDepositBody = ({ terms, deposit }: Of<'orderWithDeposit'>) => ({
  ...bodyOf(terms),
  ...(deposit.token && { tokenAddress: lower(deposit.token.address) }),
  tokenAmount: formatDecimal(deposit.amount),
});

export const cashDepositBody = ({ token, amount }: Of<'cashDeposit'>) => ({
  tokenAddress: lower(token.address),
  tokenAmount: formatDecimal(amount),
});

export const cashWithdrawalBody = ({ token, credit }: Of<'cashWithdrawal'>) => ({
  tokenAddress: lower(token.address),
  creditAmount: formatDecimal(credit),
});

export const stockBody = ({ stock, amount }: Of<'stockDeposit' | 'stockWithdrawal'>) => ({
  tokenAddress: lower(stock),
  tokenAmount: formatDecimal(amount),
});

export const repayBody = ({ stock, amount }: Of<'repay'>) => ({
  stockAddress: lower(stock),
  quantity: formatDecimal(amount),
});
