import type { Access, Method } from '../../src/api/endpoint.ts';
import type { AllowedGroup } from '../../src/api/allowList.ts';

type Row = Readonly<{ method: Method; path: string; access: Access; group: AllowedGroup | null }>;

const read = (path: string): Row => ({ method: 'GET', path, access: 'READ_ONLY', group: null });
const write = (method: Method, path: string, group: AllowedGroup | null): Row => ({
  method,
  path,
  group,
  access: 'WRITABLE',
});

/** The endpoints as the specification lists them, each with the group it needs; null needs none. */
export const specified: readonly Row[] = [
  read('/config'),
  read('/symbols'),
  read('/prices/{symbol}'),
  read('/prices/{symbol}/history'),
  read('/underlying/{symbol}/price'),
  read('/corporate-action'),
  read('/users/{userId}'),
  read('/users/{userId}/balance'),
  read('/users/{userId}/positions'),
  read('/orders'),
  write('POST', '/orders/calldata', 'calldata'),
  write('POST', '/orders/send', null),
  write('POST', '/orders/with-deposit/calldata', 'calldata'),
  write('POST', '/orders/with-deposit/send', 'withDeposit'),
  write('POST', '/orders/tx', 'record'),
  read('/orders/tx/{txHash}'),
  read('/orders/{orderId}'),
  write('DELETE', '/orders/{orderId}/calldata', 'calldata'),
  write('DELETE', '/orders/{orderId}/send', null),
  write('POST', '/deferred-sell/repay/calldata', 'calldata'),
  write('POST', '/deferred-sell/repay/send', 'repay'),
  read('/deferred-sell/debts'),
  write('POST', '/cash/deposits/calldata', 'calldata'),
  write('POST', '/cash/deposits/send', 'deposits'),
  write('POST', '/cash/deposits/tx', 'record'),
  read('/cash/deposits'),
  read('/cash/deposits/{operationId}'),
  write('POST', '/cash/withdrawals/calldata', 'calldata'),
  write('POST', '/cash/withdrawals/send', 'withdrawals'),
  write('POST', '/cash/withdrawals/tx', 'record'),
  read('/cash/withdrawals'),
  read('/cash/withdrawals/{operationId}'),
  write('POST', '/stock/deposits/calldata', 'calldata'),
  write('POST', '/stock/deposits/send', 'stockMoves'),
  write('POST', '/stock/deposits/tx', 'record'),
  read('/stock/deposits'),
  read('/stock/deposits/{operationId}'),
  write('POST', '/stock/withdrawals/calldata', 'calldata'),
  write('POST', '/stock/withdrawals/send', 'stockMoves'),
  write('POST', '/stock/withdrawals/tx', 'record'),
  read('/stock/withdrawals'),
  read('/stock/withdrawals/{operationId}'),
  read('/1ct/status'),
  write('POST', '/1ct/prepare', 'delegation'),
  write('POST', '/1ct/enable', 'delegation'),
  write('POST', '/1ct/disable', 'delegation'),
];
