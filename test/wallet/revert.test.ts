import { encodeErrorResult, parseAbi } from 'viem/utils';
import { expect, test } from 'vitest';
import { VenueRefusedError } from '../../src/core/errors.ts';
import { isRevert, revertCause, revertData } from '../../src/wallet/revert.ts';

const user = `0x${'11'.repeat(20)}` as const;
const abi = parseAbi([
  'error Error(string reason)',
  'error Panic(uint256 code)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error EnforcedPause()',
]);
const reason = encodeErrorResult({ abi, errorName: 'Error', args: ['insufficient mUSD'] });

const causeOf = (message: string, data: unknown) =>
  revertCause(new VenueRefusedError(message, { data: revertData(data) }));

test.each([
  ['insufficient mUSD', 'execution reverted: insufficient mUSD', reason],
  ['insufficient mUSD', 'Execution reverted', reason],
  ['insufficient mUSD', 'VM execution error.', `Reverted ${reason}`],
  [
    'insufficient mUSD',
    "VM Exception while processing transaction: reverted with reason string 'x'",
    { data: reason },
  ],
  ['insufficient mUSD', 'execution reverted: insufficient mUSD', undefined],
  [
    'panic 17: arithmetic overflow or underflow',
    'execution reverted',
    encodeErrorResult({ abi, errorName: 'Panic', args: [17n] }),
  ],
  [
    `ERC20InsufficientBalance(${user}, 5, 10)`,
    'execution reverted',
    encodeErrorResult({ abi, errorName: 'ERC20InsufficientBalance', args: [user, 5n, 10n] }),
  ],
  ['EnforcedPause()', 'execution reverted', encodeErrorResult({ abi, errorName: 'EnforcedPause' })],
  ['custom error 0x12345678', 'execution reverted', '0x12345678'],
  ['custom error 0x12345678', 'execution reverted', `0x12345678${'00'.repeat(32)}`],
  ['custom error 0x08c379a0', 'execution reverted', `0x08c379a0${'ff'.repeat(32)}`],
  ['execution reverted', 'execution reverted', '0x'],
])('the cause %s of %s', (cause, message, data) => {
  expect(causeOf(message, data)).toBe(cause);
});

test('what a contract writes is one short line', () => {
  const data = encodeErrorResult({ abi, errorName: 'Error', args: [`a\nb\u001b[2J${'x'.repeat(10_000)}`] });
  expect(causeOf('execution reverted', data)).not.toMatch(/[\n\u001b]/);
  expect(causeOf('execution reverted', data).length).toBeLessThan(400);
});

/** Sources: geth internal/ethapi/errors.go and core/vm/errors.go, Besu RpcErrorType.java, EDR, anvil, Reth and Monad's jsonrpc.rs. */
test.each([
  ['geth', 3, 'execution reverted', '0x'],
  ['geth', -32000, 'out of gas', undefined],
  ['geth', -32000, 'invalid opcode: INVALID', undefined],
  ['reth', -32003, 'out of gas: gas required exceeds allowance: 21000', undefined],
  ['besu', -32000, 'Execution reverted', reason],
  ['nethermind', -32015, 'VM execution error.', `Reverted ${reason}`],
  [
    'hardhat',
    -32603,
    "VM Exception while processing transaction: reverted with reason string 'x'",
    { data: reason },
  ],
  ['hardhat', -32603, 'Transaction reverted without a reason string', undefined],
  ['anvil', -32003, 'EVM error OutOfGas', undefined],
  ['another', -32000, 'failed', '0x12345678'],
])('an outcome of the call, by %s: %i %s', (...[, code, message, data]) => {
  expect(isRevert({ code, message, data: revertData(data) })).toBe(true);
});

test.each([
  ['monad', -32603, 'overloaded, try again later', undefined],
  [
    'monad',
    -32602,
    'Block requested not found. Request might be querying historical state that is not available',
    undefined,
  ],
  ['geth', -32000, 'missing trie node 5c0e (path ) state 0x5c0e is not available', undefined],
  ['geth', -32000, 'header not found', undefined],
  ['geth', -32002, 'request timed out', undefined],
  ['reth', 4444, 'pruned history unavailable', undefined],
  ['reth', -32000, 'execution aborted (timeout = 5s)', undefined],
  ['besu', -32000, 'World state unavailable', undefined],
  ['besu', -32603, 'Internal error', undefined],
  ['a gateway', -32005, 'daily request count exceeded, request rate limited', { rate: {}, see: 'https://x' }],
  ['a gateway', 429, 'rate limit', `0x${'ab'.repeat(32)}`],
])('no outcome of the call, by %s: %i %s', (...[, code, message, data]) => {
  expect(isRevert({ code, message, data: revertData(data) })).toBe(false);
});
