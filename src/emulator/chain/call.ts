import { parseAbi } from 'viem/utils';
import type { Address } from '../../domain/instrument.ts';
import { callCodec, routerAbi, type CallTo, type RouterCall, type Hex } from '../../wallet/routerAbi.ts';
import type { Asset, Bucket } from '../state/ledger.ts';

/** Functions that only the venue's operator may call. Their names are ours: none are published. */
const operatorAbi = parseAbi([
  'function settleOrder(bytes32 orderId)',
  'function settleDeposit(bytes32 opId)',
  'function settleWithdrawal(bytes32 opId)',
  'function failDeposit(bytes32 opId)',
  'function failWithdrawal(bytes32 opId)',
]);

export type { Hex, RouterCall } from '../../wallet/routerAbi.ts';

export type OperatorCall = CallTo<(typeof operatorAbi)[number]>;
/** Call of a transaction to the contracts, as its calldata says it. */
export type ContractCall = RouterCall | OperatorCall;

/** Approval of a wallet for a spender to take a token, in its raw units. */
export type Approval = Readonly<{ kind: 'approve'; token: Address; spender: Address; amount: bigint }>;
/** The chain's own money for an address without a contract. Wei. */
export type Payment = Readonly<{ kind: 'pay'; to: Address; amount: bigint }>;

export type CallOf<Kind extends Call['kind']> = Extract<Call, { kind: Kind }>;

/** Call that moves money: from a transaction, or from a command or task of the emulator. */
export type Call =
  | ContractCall
  | Approval
  | Payment
  /** By its number in the list. */
  | Readonly<{ kind: 'corporateAction'; id: number }>
  /** Late payment of a faulty settlement, or its reversal. */
  | Readonly<{ kind: 'payOrder'; orderId: Hex }>
  | Readonly<{ kind: 'reverseOrder'; orderId: Hex }>
  /** From another actor to the account, or back when negative. A wad. */
  | Readonly<{ kind: 'moveExternal'; userAddress: Address; bucket: Bucket; asset: Asset; amount: bigint }>;

/** Calls to the contracts as calldata, and back: null for all that the contracts would not understand. */
export const { encode: encodeCall, decode: decodeCall } = callCodec([...routerAbi, ...operatorAbi]);

export const isOperatorCall = (call: Call): call is OperatorCall =>
  operatorAbi.some(({ name }) => name === call.kind);
