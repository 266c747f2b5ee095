import { bodyOf, lower } from '../../api/bodies.ts';
import { formatDecimal } from '../../core/amount.ts';
import type { Move } from './move.ts';

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
