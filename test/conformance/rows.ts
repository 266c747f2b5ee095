import { privateKeyToAccount } from 'viem/accounts';
import type { EndpointCalls } from '../../src/api/client.ts';
import type { RequestOf } from '../../src/api/endpoint.ts';
import type * as endpoints from '../../src/api/endpoints/index.ts';
import * as shapes from './shapes.ts';
import type { Shape } from './shapes.ts';
import type { Stage, StageClient } from './stage.ts';

/** Ids and addresses with which endpoints can be called, on a prepared stage. */
export type Facts = Readonly<{
  stage: Stage;
  client: StageClient;
  user: `0x${string}`;
  /** A resting limit order, and one to cancel. */
  resting: string;
  cancellable: string;
  /** The transaction of an order that has settled. */
  filledTx: string;
  operations: Readonly<Record<'deposit' | 'withdraw' | 'stock_deposit' | 'stock_withdraw', string>>;
}>;

type Method = 'GET' | 'POST' | 'DELETE';
export type Row = Readonly<{
  method: Method;
  path: string;
  permission: 'READ_ONLY' | 'WRITABLE';
  /** The method of the client. */
  name: keyof EndpointCalls;
  request: (facts: Facts) => object | Promise<object>;
  shape: Shape;
}>;

type Asked<Name extends keyof EndpointCalls> = RequestOf<(typeof endpoints)[Name]> & object;

const row =
  (method: Method, permission: Row['permission']) =>
  (path: string) =>
  <Name extends keyof EndpointCalls>(
    name: Name,
    request: (facts: Facts) => Asked<Name> | Promise<Asked<Name>>,
    shape: Shape,
  ): Row => ({ method, path, permission, name, request, shape });

const get = row('GET', 'READ_ONLY');
const post = row('POST', 'WRITABLE');
const cancel = row('DELETE', 'WRITABLE');

const none = () => ({});

const limitBuy = ({ stage }: Facts, price: string) => ({
  stockAddress: stage.stock('AAPL'),
  side: 'Buy' as const,
  type: 'Limit' as const,
  quantity: '1',
  price,
  timeInForce: 'DAY' as const,
  deadline: stage.deadline(),
});
const buyWithDeposit = ({ stage }: Facts) => ({
  stockAddress: stage.stock('AAPL'),
  side: 'Buy' as const,
  type: 'Market' as const,
  notional: '50',
  tokenAddress: stage.cash,
  tokenAmount: '90',
  deadline: stage.deadline(),
});
const cashIn = ({ stage }: Facts) => ({ tokenAddress: stage.cash, tokenAmount: '100.25' });
const cashOut = ({ stage }: Facts) => ({ tokenAddress: stage.cash, creditAmount: '10.5' });
const stockMove = ({ stage }: Facts) => ({ tokenAddress: stage.stock('AAPL'), tokenAmount: '0.5' });
const repayment = ({ stage }: Facts) => ({ stockAddress: stage.stock('AAPL'), quantity: '0.25' });
const symbol = () => ({ path: { symbol: 'AAPL' } });
const userPath = ({ user, stage }: Facts) => ({
  path: { userId: user },
  query: { spenderAddress: stage.info.contracts.router as `0x${string}` },
});
/** A transaction that is not recorded yet. */
const unheardOf = (digit: string) => () => ({ body: { txHash: `0x${digit.repeat(64)}` } });
const page = () => ({ query: { page: 1, limit: 50 } });

async function signed({ stage, client, user }: Facts) {
  const deadline = stage.deadline(300);
  const { signPayload } = await client.oneClickPrepare({ body: { deadline } });
  const { domain, message } = signPayload;
  const { privateKey } =
    stage.info.accounts.find((account) => account.userAddress === user) ?? stage.account(0);
  const signature = await privateKeyToAccount(privateKey as `0x${string}`).signTypedData({
    domain,
    types: { Delegate: signPayload.types.Delegate },
    primaryType: 'Delegate',
    message,
  });
  return { body: { signature, deadline } };
}

/** The 46 endpoints, in the order of the specification's tables. */
export const rows: readonly Row[] = [
  get('/config')('config', none, shapes.config),
  get('/symbols')('symbols', none, shapes.symbols),
  get('/prices/{symbol}')('prices', symbol, shapes.quote),
  get('/prices/{symbol}/history')(
    'history',
    ({ stage }) => ({
      ...symbol(),
      query: { endTime: stage.deadline(0), interval: '5m' as const, limit: 20 },
    }),
    shapes.bars,
  ),
  get('/underlying/{symbol}/price')('underlying', symbol, shapes.basicInfo),
  get('/corporate-action')(
    'corporateActions',
    () => ({ query: { symbols: 'MSFT', start: '2026-01-01', end: '2026-12-31' } }),
    shapes.corporateActions,
  ),
  get('/users/{userId}')('user', ({ user }) => ({ path: { userId: user } }), shapes.user),
  get('/users/{userId}/balance')('balance', userPath, shapes.balance),
  get('/users/{userId}/positions')('positions', userPath, shapes.positions),

  get('/orders')('orders', page, shapes.orders),
  post('/orders/calldata')(
    'orderCalldata',
    (facts) => ({ body: limitBuy(facts, '20') }),
    shapes.calldata('placeLimitOrder'),
  ),
  post('/orders/send')('orderSend', (facts) => ({ body: limitBuy(facts, '21') }), shapes.sent),
  post('/orders/with-deposit/calldata')(
    'orderWithDepositCalldata',
    (facts) => ({ body: buyWithDeposit(facts) }),
    shapes.calldata('depositAndMarketBuy'),
  ),
  post('/orders/with-deposit/send')(
    'orderWithDepositSend',
    (facts) => ({ body: buyWithDeposit(facts) }),
    shapes.sent,
  ),
  post('/orders/tx')('orderRecordTx', unheardOf('1'), shapes.orderLink),
  get('/orders/tx/{txHash}')(
    'orderByTx',
    ({ filledTx }) => ({ path: { txHash: filledTx } }),
    shapes.settledOrder,
  ),
  get('/orders/{orderId}')('order', ({ resting }) => ({ path: { orderId: resting } }), shapes.restingOrder),
  cancel('/orders/{orderId}/calldata')(
    'orderCancelCalldata',
    ({ resting, stage }) => ({ path: { orderId: resting }, query: { deadline: stage.deadline() } }),
    shapes.calldata('cancelLimitOrder'),
  ),
  cancel('/orders/{orderId}/send')(
    'orderCancelSend',
    ({ cancellable, stage }) => ({ path: { orderId: cancellable }, query: { deadline: stage.deadline() } }),
    shapes.sent,
  ),

  post('/deferred-sell/repay/calldata')(
    'repayCalldata',
    (facts) => ({ body: { userAddress: facts.user, ...repayment(facts) } }),
    shapes.calldata('repayDeferredStockDebt'),
  ),
  post('/deferred-sell/repay/send')('repaySend', (facts) => ({ body: repayment(facts) }), shapes.sent),
  get('/deferred-sell/debts')(
    'debts',
    ({ stage }) => ({ query: { stockAddress: stage.stock('AAPL') } }),
    shapes.debts,
  ),

  post('/cash/deposits/calldata')(
    'cashDepositCalldata',
    (facts) => ({ body: { userAddress: facts.user, ...cashIn(facts) } }),
    shapes.calldata('deposit'),
  ),
  post('/cash/deposits/send')('cashDepositSend', (facts) => ({ body: cashIn(facts) }), shapes.sent),
  post('/cash/deposits/tx')('cashDepositRecordTx', unheardOf('2'), shapes.operationLink('deposit')),
  get('/cash/deposits')('cashDeposits', page, shapes.operations('deposit')),
  get('/cash/deposits/{operationId}')(
    'cashDeposit',
    ({ operations }) => ({ path: { operationId: operations.deposit } }),
    shapes.operation('deposit'),
  ),
  post('/cash/withdrawals/calldata')(
    'cashWithdrawalCalldata',
    (facts) => ({ body: { userAddress: facts.user, ...cashOut(facts) } }),
    shapes.calldata('withdraw'),
  ),
  post('/cash/withdrawals/send')('cashWithdrawalSend', (facts) => ({ body: cashOut(facts) }), shapes.sent),
  post('/cash/withdrawals/tx')('cashWithdrawalRecordTx', unheardOf('3'), shapes.operationLink('withdraw')),
  get('/cash/withdrawals')('cashWithdrawals', page, shapes.operations('withdraw')),
  get('/cash/withdrawals/{operationId}')(
    'cashWithdrawal',
    ({ operations }) => ({ path: { operationId: operations.withdraw } }),
    shapes.operation('withdraw'),
  ),

  post('/stock/deposits/calldata')(
    'stockDepositCalldata',
    (facts) => ({ body: { userAddress: facts.user, ...stockMove(facts) } }),
    shapes.calldata('depositStock'),
  ),
  post('/stock/deposits/send')('stockDepositSend', (facts) => ({ body: stockMove(facts) }), shapes.sent),
  post('/stock/deposits/tx')('stockDepositRecordTx', unheardOf('4'), shapes.operationLink('stock_deposit')),
  get('/stock/deposits')('stockDeposits', page, shapes.operations('stock_deposit')),
  get('/stock/deposits/{operationId}')(
    'stockDeposit',
    ({ operations }) => ({ path: { operationId: operations.stock_deposit } }),
    shapes.operation('stock_deposit'),
  ),
  post('/stock/withdrawals/calldata')(
    'stockWithdrawalCalldata',
    (facts) => ({ body: { userAddress: facts.user, ...stockMove(facts) } }),
    shapes.calldata('withdrawStock'),
  ),
  post('/stock/withdrawals/send')(
    'stockWithdrawalSend',
    (facts) => ({ body: stockMove(facts) }),
    shapes.sent,
  ),
  post('/stock/withdrawals/tx')(
    'stockWithdrawalRecordTx',
    unheardOf('5'),
    shapes.operationLink('stock_withdraw'),
  ),
  get('/stock/withdrawals')('stockWithdrawals', page, shapes.operations('stock_withdraw')),
  get('/stock/withdrawals/{operationId}')(
    'stockWithdrawal',
    ({ operations }) => ({ path: { operationId: operations.stock_withdraw } }),
    shapes.operation('stock_withdraw'),
  ),

  get('/1ct/status')('oneClickStatus', none, shapes.delegationStatus),
  post('/1ct/prepare')(
    'oneClickPrepare',
    ({ stage }) => ({ body: { deadline: stage.deadline(300) } }),
    shapes.prepared,
  ),
  post('/1ct/enable')('oneClickEnable', signed, shapes.turned('enable')),
  post('/1ct/disable')('oneClickDisable', none, shapes.turned('disabled')),
];
