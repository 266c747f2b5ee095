import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aapl, cwd, startOneUser, user } from './oneUser.ts';

export const usdc = `0x${'77'.repeat(20)}`;
export const txHash = `0x${'ef'.repeat(32)}`;
export const cashToken = {
  tokenAddress: usdc,
  symbol: 'USDC',
  decimals: 6,
  minAmount: '90',
  depositFeeBps: 0,
  withdrawFeeBps: 21,
  depositPaused: false,
  withdrawPaused: false,
  withdrawalBuffer: '500',
  withdrawalBufferCapacity: '9000',
};
/** Balances of the cash token and of AAPL in the wallet and on the exchange. */
export const balance = (wallet: string, exchange: string, allowance = '1000') => ({
  mUsdBalance: '5000.25',
  tokenBalances: [
    {
      address: usdc,
      symbol: 'USDC',
      isStock: false,
      decimals: 6,
      walletBalance: wallet,
      walletAllowance: allowance,
      exchangeBalance: '0',
    },
    {
      address: aapl,
      symbol: 'AAPLx',
      stockSymbol: 'AAPL',
      isStock: true,
      decimals: 18,
      walletBalance: '1',
      walletAllowance: '0',
      exchangeBalance: exchange,
    },
  ],
});
export const operation = (status: string) => ({
  txHash,
  operationType: 'deposit',
  status,
  createTime: Math.floor(Date.now() / 1000),
  depositOperation: {
    operationId: '0x01',
    status,
    isInstant: true,
    amount: 100,
    creditAmount: 100,
    feeAmount: 0,
  },
});

const file = join(cwd, 'my.yaml');

/** Signing groups that the config allows, and further lines for it. */
export function allow(groups: string, more = ''): void {
  const text = readFileSync(file, 'utf8').replace(/^signing: .*\n/m, '');
  writeFileSync(file, `${text}signing: { allow: [${groups}] }\n${more}`);
}

/** /1ct/prepare states whose the key is, and changes nothing. */
const READS = /^GET |^POST \/api\/v1\/1ct\/prepare$/;

/** A user of a stubbed venue who may transfer everything and has balances. */
export async function startMovingUser() {
  const one = await startOneUser();
  one.writeConfig(`spender: '${usdc}'`);
  allow('deposits, withdrawals, stockMoves, withDeposit, repay');
  Object.assign(one.answers, {
    'GET /api/v1/config': () => ({
      cashierBuffer: { creditBuffer: '1000', creditBufferCapacity: '1000', instantThresholdDivisor: 5 },
      cashierTokenConfig: [cashToken],
    }),
    [`GET /api/v1/users/${user}/balance`]: () => balance('300', '2.5'),
    'POST /api/v1/cash/deposits/send': () => ({ uuid: 'u', txHash }),
    'GET /api/v1/cash/deposits': () => ({ total: 1, rows: [operation('success')] }),
    'GET /api/v1/deferred-sell/debts': () => [],
    'GET /api/v1/orders': () => ({ total: 0, rows: [] }),
    'GET /api/v1/cash/withdrawals': () => ({ total: 0, rows: [] }),
    'GET /api/v1/stock/deposits': () => ({ total: 0, rows: [] }),
    'GET /api/v1/stock/withdrawals': () => ({ total: 0, rows: [] }),
  });
  /** `METHOD /path` of each request so far that could change something. */
  const sends = () => one.sent().filter((request) => !READS.test(request));
  return { ...one, sends };
}
