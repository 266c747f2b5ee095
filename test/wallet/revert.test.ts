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
])('causeOf finds the cause %s of %s', (cause, message, data) => {
  expect(causeOf(message, data)).toBe(cause);
});

/** Selectors as in other tools and compiled contracts. */
test.each([
  ['0xe450d38c', 'ERC20InsufficientBalance', [user, 1n, 2n]],
  ['0xfb8f41b2', 'ERC20InsufficientAllowance', [user, 1n, 2n]],
  ['0xec442f05', 'ERC20InvalidReceiver', [user]],
  ['0x5274afe7', 'SafeERC20FailedOperation', [user]],
  ['0x6dfcc650', 'SafeCastOverflowedUintDowncast', [96n, 1n]],
  ['0x24775e06', 'SafeCastOverflowedUintToInt', [1n]],
  ['0x118cdaa7', 'OwnableUnauthorizedAccount', [user]],
  ['0xe2517d3f', 'AccessControlUnauthorizedAccount', [user, 0n]],
  ['0xd93c0665', 'EnforcedPause', []],
  ['0x8dfc202b', 'ExpectedPause', []],
  ['0x3ee5aeb5', 'ReentrancyGuardReentrantCall', []],
  ['0x9996b315', 'AddressEmptyCode', [user]],
  ['0x1425ea42', 'FailedInnerCall', []],
  ['0xd6bda275', 'FailedCall', []],
  ['0xcf479181', 'InsufficientBalance', [1n, 2n]],
])('the error selector %s is decoded as %s', (selector, name, values) => {
  const words = values.map((value) => BigInt(value).toString(16).padStart(64, '0'));
  expect(causeOf('execution reverted', selector + words.join(''))).toMatch(new RegExp(`^${name}\\(`));
});

test('the revert text of a contract is shortened to one line', () => {
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
  ['anvil', -32003, 'EVM error InvalidFEOpcode', undefined],
  ['reth', -32003, 'EVM error: OpcodeNotFound', undefined],
  ['another', -32000, 'failed', '0x12345678'],
])('a call error is an outcome of the call, by %s: %i %s', (...[, code, message, data]) => {
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
])('a call error is not an outcome of the call, by %s: %i %s', (...[, code, message, data]) => {
  expect(isRevert({ code, message, data: revertData(data) })).toBe(false);
});
