import { parseAbi } from 'viem/utils';

/** What only the venue's desk may call. Nobody has published its names. */
export const deskAbi = parseAbi([
  'function settleOrder(bytes32 orderId)',
  'function settleDeposit(bytes32 opId)',
  'function settleWithdrawal(bytes32 opId)',
  'function failDeposit(bytes32 opId)',
  'function failWithdrawal(bytes32 opId)',
]);
