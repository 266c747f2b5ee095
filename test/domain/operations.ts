import { cash } from '../../src/core/amount.ts';
import type { Address } from '../../src/domain/instrument.ts';
import type {
  Transfer,
  TransferId,
  TransferReport,
  TransferTerms,
} from '../../src/domain/transfers/transfer.ts';
import { AAPL, SENT, TX } from './orders.ts';

export const USDC: Address = `0x${'cc'.repeat(20)}`;
export const STOCK_TOKEN: Address = `0x${'55'.repeat(20)}`;

export const opId = (number: number) => `op-${number}` as TransferId;

const stockTerms = (kind: 'stockDeposit' | 'stockWithdrawal' | 'repay', amount: bigint): TransferTerms => ({
  kind,
  symbol: AAPL,
  token: STOCK_TOKEN,
  amount: amount as never,
});

/** Terms of each kind, for an amount in wads. */
export const termsOf = (kind: TransferTerms['kind'], amount: bigint): TransferTerms =>
  kind === 'approve'
    ? { kind, token: USDC, name: 'USDC', spender: STOCK_TOKEN, amount, before: 'cashDeposit' }
    : kind === 'cashDeposit' || kind === 'cashWithdrawal'
      ? { kind, token: USDC, amount }
      : stockTerms(kind, amount);

export const anOperation = (changes: Partial<Transfer> = {}): Transfer => ({
  id: opId(1),
  terms: termsOf('cashDeposit', 100n),
  strategyId: '',
  cause: 'test',
  value: cash(100n),
  plannedAt: SENT,
  state: { kind: 'planned' },
  ...changes,
});

export const anOperationReport = (changes: Partial<TransferReport> = {}): TransferReport => ({
  txHash: TX,
  status: 'success',
  rawStatus: 'success',
  createdAt: SENT,
  moved: { token: USDC, amount: 100n, received: 100n },
  ...changes,
});
