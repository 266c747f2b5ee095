import { parseAbi } from 'viem/utils';
import type { Address } from '../../domain/instrument.ts';
import { callCodec, routerAbi, type CallTo, type RouterCall, type Hex } from '../../wallet/routerAbi.ts';
import type { Asset, Bucket } from '../state/ledger.ts';

/** What only the venue's desk may call. Nobody has published its names. */
const operatorAbi = parseAbi([
  'function settleOrder(bytes32 orderId)',
  'function settleDeposit(bytes32 opId)',
  'function settleWithdrawal(bytes32 opId)',
  'function failDeposit(bytes32 opId)',
  'function failWithdrawal(bytes32 opId)',
]);

export type { Hex, RouterCall } from '../../wallet/routerAbi.ts';

export type OperatorCall = CallTo<(typeof operatorAbi)[number]>;
/** What a transaction can ask of the contracts, as its calldata says it. */
export type ContractCall = RouterCall | OperatorCall;

/** What a wallet lets a spender take of a token, in its raw units. */
export type Approval = Readonly<{ kind: 'approve'; token: Address; spender: Address; amount: bigint }>;
/** The chain's own money for an address without a contract. Wei. */
export type Payment = Readonly<{ kind: 'pay'; to: Address; amount: bigint }>;

export type CallOf<Kind extends Call['kind']> = Extract<Call, { kind: Kind }>;

/** What moves money: a transaction, or what the venue does not know of. */
export type Call =
  | ContractCall
  | Approval
  | Payment
  /** By its number in the list. */
  | Readonly<{ kind: 'corporateAction'; id: number }>
  /** What comes after a settlement that goes wrong: its money, or the way back. */
  | Readonly<{ kind: 'payOrder'; orderId: Hex }>
  | Readonly<{ kind: 'reverseOrder'; orderId: Hex }>
  /** From another actor to the account, or back when negative. A wad. */
  | Readonly<{ kind: 'moveExternal'; userAddress: Address; bucket: Bucket; asset: Asset; amount: bigint }>;

/** Calls to the contracts as calldata, and back: null for all that the contracts would not understand. */
export const { encode: encodeCall, decode: decodeCall } = callCodec([...routerAbi, ...operatorAbi]);

export const isOperatorCall = (call: Call): call is OperatorCall =>
  operatorAbi.some(({ name }) => name === call.kind);
