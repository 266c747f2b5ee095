import { parseTransaction } from 'viem/utils';
import type { TransactionSerializedEIP1559 } from 'viem';
import { messageOf, SafetyError } from '../core/errors.ts';
import { sameAddress, type Address } from '../domain/instrument.ts';
import { standardCodec, type Hex, type RouterCall, type RouterCodec, decodeRouterCall } from './routerAbi.ts';
import { epochSeconds, type EpochSeconds } from '../core/brand.ts';
import type { SignedTransaction } from '../domain/venue.ts';

/** Response of a `/calldata` endpoint. */
export type CalldataAnswer = Readonly<{
  chainId: number;
  toAddress: string;
  value: string;
  callData: string;
  method: string;
}>;

/** Call that the wallet's owner intends to send. */
type CallTerms = Readonly<{
  chainId: number;
  /** The only contract that is called, pinned in the config. */
  router: Address;
  call: RouterCall;
  /** Codec of a router with non-standard functions. */
  codec?: RouterCodec | undefined;
}>;

/** A checked call: a transaction without gas and nonce. */
export type CheckedCall = Readonly<{ chainId: number; to: Address; data: Hex; kind: RouterCall['kind'] }>;

/** Amount of native token sent along, as the venue writes it. */
const NOTHING = '0';

/**
 * Compares a calldata response with the intended call, byte for byte. What is signed is built from the terms, never copied from
 * the response.
 * @throws {SafetyError} naming every field that differs, with both values; also when the router has no such call
 */
export function checkCalldata(answer: CalldataAnswer, terms: CallTerms): CheckedCall {
  const { chainId, router, call, codec = standardCodec } = terms;
  const data = bytesOf(call, codec);
  const method = codec.methodOf(call.kind);
  const differences = [
    ...(answer.chainId === chainId ? [] : [differs('chainId', answer.chainId, chainId)]),
    ...(sameAddress(answer.toAddress, router) ? [] : [differs('toAddress', answer.toAddress, router)]),
    ...(answer.value === NOTHING ? [] : [differs('value', answer.value, NOTHING)]),
    ...(answer.method === method ? [] : [differs('method', answer.method, method)]),
    ...(answer.callData.toLowerCase() === data ? [] : inCall(answer.callData, { call, data, codec })),
  ];
  if (differences.length > 0) throw unsigned(NOT_ASKED, differences, 'venue.router and venue.chainId are');
  return { chainId, to: router, data, kind: call.kind };
}

function bytesOf(call: RouterCall, { encode }: RouterCodec): Hex {
  try {
    return encode(call);
  } catch (cause) {
    throw new SafetyError(
      `nothing was signed: ${call.kind} cannot be encoded: ${messageOf(cause)}`,
      {},
      { cause },
    );
  }
}

type Meant = Readonly<{ call: RouterCall; data: Hex; codec: RouterCodec }>;

/** Lists how a call differs from the intended one. Bytes that decode to no call, or not canonically, are shown raw. */
function inCall(asked: string, { call, data, codec }: Meant): string[] {
  const theirs = codec.decode(asked);
  if (theirs === null) return [differs('callData', asked, data)];
  if (theirs.kind !== call.kind) return [differs('callData', theirs.kind, call.kind)];
  const intended = new Map<string, unknown>(Object.entries(call));
  return Object.entries(theirs)
    .filter(([name, value]) => String(value).toLowerCase() !== String(intended.get(name)).toLowerCase())
    .map(([name, value]) => differs(`callData ${name}`, value, intended.get(name)));
}

const differs = (field: string, asked: unknown, intended: unknown): string =>
  `${field} is ${shown(asked)}, not ${shown(intended)}`;

const SHOWN_MAX = 400;
const shown = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value.slice(0, SHOWN_MAX)) : String(value);

const NOT_ASKED = "the venue's calldata is not the requested call";

/** Refusal to sign something other than requested. `settings`: config settings that may be wrong instead. */
export const unsigned = (what: string, differences: readonly string[], settings: string): SafetyError =>
  new SafetyError(
    `nothing was signed: ${what}.\n` +
      `${differences.map((text) => `  ${text}`).join('\n')}\n` +
      `If ${settings} right, do not sign this elsewhere either, and ask the venue`,
    { differences },
  );

/** Fees of a transaction, in wei per unit of gas. */
export type Fees = Readonly<{ maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }>;

type RawTransaction = Pick<SignedTransaction, 'raw'>;

/** Reads the fees of a transaction from its signed bytes. */
export function feesOf({ raw }: RawTransaction): Fees {
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parsed(raw);
  return { maxFeePerGas, maxPriorityFeePerGas };
}

/**
 * Reads from a transaction's signed bytes the last second in which it has an effect; null for a call without a deadline.
 * Calls unknown to the codec are read with the standard one: the config may have been different when they were signed.
 */
export function deadlineOf({ raw }: RawTransaction, codec: Pick<RouterCodec, 'decode'>): EpochSeconds | null {
  const { data = '0x' } = parsed(raw);
  const call = codec.decode(data) ?? decodeRouterCall(data);
  return call && 'deadline' in call ? epochSeconds(call.deadline) : null;
}

const parsed = (raw: string) => parseTransaction(raw as TransactionSerializedEIP1559);

/** Minimum fees of a replacement transaction: nodes require 10 % more for both, this pays 12.5 %. */
export const outbidding = ({ maxFeePerGas, maxPriorityFeePerGas }: Fees): Fees => ({
  maxFeePerGas: raised(maxFeePerGas),
  maxPriorityFeePerGas: raised(maxPriorityFeePerGas),
});

/** A fee raised by an eighth, rounded up: 1 wei becomes 2. */
const raised = (fee: bigint): bigint => (fee * 9n + 7n) / 8n;
