import { decodeErrorResult, parseAbi } from 'viem/utils';
import type { VenueRefusedError } from '../core/errors.ts';
import { oneLine } from '../core/printable.ts';
import type { Hex } from './routerAbi.ts';

/** A JSON-RPC error of a node. `data`: null if it contains none written by a contract. */
export type NodeError = Readonly<{ code: number; message: string; data: Hex | null }>;

/** The code for a revert: geth, Reth, Erigon, Nethermind, anvil, Monad. Besu and Hardhat use others. */
const REVERT_CODE = 3;

/** Messages of all clients for a call that ran and failed; anything else is not a result of the call. */
const REVERT_WORDS =
  /^(execution reverted|VM execution error|VM exception while processing|transaction reverted|reverted\b|EVM error\b|out ?of ?gas|gas required exceeds allowance|invalid ?(opcode|jump)|transaction ran out of gas|transaction processing could not be completed)/i;

/** Prefix that nodes put before a contract's own text. */
const WRAPPING =
  /^(execution reverted|VM execution error\.?|(Error: )?VM exception while processing transaction)(: )?/i;

/** Maximum length of a cause that is shown, because contracts may return any text. */
const CAUSE_MAX = 300;

/**
 * Errors of contracts by name: Solidity's two, and those of OpenZeppelin 5 (interfaces/draft-IERC6093.sol, utils/Errors.sol,
 * Address.sol, Pausable.sol, ReentrancyGuard.sol and math/SafeCast.sol, token/ERC20/utils/SafeERC20.sol, access/). A
 * deployment's own errors are added here; what is not listed is shown by its selector.
 */
const knownErrors = parseAbi([
  'error Error(string reason)',
  'error Panic(uint256 code)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InvalidSender(address sender)',
  'error ERC20InvalidReceiver(address receiver)',
  'error ERC20InvalidApprover(address approver)',
  'error ERC20InvalidSpender(address spender)',
  'error SafeERC20FailedOperation(address token)',
  'error SafeCastOverflowedUintDowncast(uint8 bits, uint256 value)',
  'error SafeCastOverflowedIntDowncast(uint8 bits, int256 value)',
  'error SafeCastOverflowedIntToUint(int256 value)',
  'error SafeCastOverflowedUintToInt(uint256 value)',
  'error OwnableUnauthorizedAccount(address account)',
  'error AccessControlUnauthorizedAccount(address account, bytes32 neededRole)',
  'error EnforcedPause()',
  'error ExpectedPause()',
  'error ReentrancyGuardReentrantCall()',
  'error AddressEmptyCode(address target)',
  'error FailedCall()',
  'error FailedInnerCall()',
  'error InsufficientBalance(uint256 balance, uint256 needed)',
]);

/** Panic codes documented by Solidity. */
const PANICS: Readonly<Partial<Record<string, string>>> = {
  '1': 'an assertion is false',
  '17': 'arithmetic overflow or underflow',
  '18': 'division by zero',
  '33': 'a value outside its enum',
  '34': 'a storage byte array with a wrong encoding',
  '49': 'pop of an empty array',
  '50': 'an index out of bounds',
  '65': 'too much memory',
  '81': 'a call of an uninitialised function',
};

const written = (text: string): Hex | null => {
  const found = /^(?:Reverted )?(0x(?:[0-9a-f]{8}(?:[0-9a-f]{64})*)?)$/i.exec(text)?.[1];
  return found === undefined || found === '0x' ? null : (found.toLowerCase() as Hex);
};

/** The bytes returned by a reverting contract, from the `data` of a node's error: text, or in an object (Hardhat). */
export function revertData(data: unknown): Hex | null {
  if (typeof data === 'string') return written(data);
  if (typeof data !== 'object' || data === null || !('data' in data)) return null;
  return typeof data.data === 'string' ? written(data.data) : null;
}

/** True for the outcome of a call, false for a refusal to respond (busy, rate limit, pruned state). */
export const isRevert = ({ code, message, data }: NodeError): boolean =>
  code === REVERT_CODE || data !== null || REVERT_WORDS.test(message);

/** The cause of a revert, on one line: the contract's text, otherwise the node's message. */
export function revertCause({ message, details }: VenueRefusedError): string {
  const data = revertData(details['data']);
  const words = message.replace(WRAPPING, '');
  if (data === null) return words || message;
  return oneLine(decoded(data), CAUSE_MAX);
}

type DecodedError = Readonly<{ errorName: string; args?: readonly unknown[] }>;

function decoded(data: Hex): string {
  try {
    const error: DecodedError = decodeErrorResult({ abi: knownErrors, data });
    const { errorName, args: values = [] } = error;
    if (errorName === 'Error') return String(values[0]);
    if (errorName === 'Panic') return panic(String(values[0]));
    return `${errorName}(${values.map(String).join(', ')})`;
  } catch {
    return `custom error ${data.slice(0, 10)}`;
  }
}

const panic = (code: string): string => `panic ${code}: ${PANICS[code] ?? 'no documented code'}`;
