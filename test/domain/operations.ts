import { cash } from '../../src/core/amount.ts';
import type { Address } from '../../src/domain/instrument.ts';
import type {
  Operation,
  OperationId,
  OperationReport,
  OperationTerms,
} from '../../src/domain/transfers/transfer.ts';
import { AAPL, SENT, TX } from './orders.ts';

export const USDC: Address = `0x${'cc'.repeat(20)}`;
export const STOCK_TOKEN: Address = `0x${'55'.repeat(20)}`;

export const opId = (number: number) => `op-${number}` as OperationId;

const stockTerms = (kind: 'stockDeposit' | 'stockWithdrawal' | 'repay', amount: bigint): OperationTerms => ({
  kind,
  symbol: AAPL,
  token: STOCK_TOKEN,
  amount: amount as never,
});

/** Of each kind, so many wads. */
export const termsOf = (kind: OperationTerms['kind'], amount: bigint): OperationTerms =>
  kind === 'approve'
    ? { kind, token: USDC, name: 'USDC', spender: STOCK_TOKEN, amount, before: 'cashDeposit' }
    : kind === 'cashDeposit' || kind === 'cashWithdrawal'
      ? { kind, token: USDC, amount }
      : stockTerms(kind, amount);

export const anOperation = (changes: Partial<Operation> = {}): Operation => ({
  id: opId(1),
  terms: termsOf('cashDeposit', 100n),
  owner: '',
  cause: 'test',
  value: cash(100n),
  plannedAt: SENT,
  state: { kind: 'planned' },
  ...changes,
});

export const anOperationReport = (changes: Partial<OperationReport> = {}): OperationReport => ({
  txHash: TX,
  status: 'success',
  rawStatus: 'success',
  createdAt: SENT,
  moved: { token: USDC, amount: 100n, received: 100n },
  ...changes,
});
