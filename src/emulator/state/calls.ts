import { parseAbi } from 'viem/utils';
import { type Address, sameAddress } from '../../domain/instrument.ts';
import { callCodec, routerAbi, type CallTo, type RouterCall, type Hex } from '../../wallet/routerAbi.ts';
import type { Bucket } from './ledger.ts';
import { contracts } from './constants.ts';
import { assetOf } from './tokens.ts';
import type { VenueState } from './venueState.ts';
import type { Asset } from './state.ts';

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
/** Call of a transaction to the contracts, decoded from its calldata. */
export type ContractCall = RouterCall | OperatorCall;

/** Approval for a spender to take a token from a wallet, in its raw units. */
type Approval = Readonly<{ kind: 'approve'; token: Address; spender: Address; amount: bigint }>;
/** Payment of native money to an address without a contract. Wei. */
type Payment = Readonly<{ kind: 'pay'; to: Address; amount: bigint }>;

export type CallOf<Kind extends Call['kind']> = Extract<Call, { kind: Kind }>;

/** Call that moves money: from a transaction, or from a command or task of the emulator. */
export type Call =
  | ContractCall
  | Approval
  | Payment
  /** `id` is its index in the list. */
  | Readonly<{ kind: 'corporateAction'; id: number }>
  /** Late payment of a faulty settlement, or its reversal. */
  | Readonly<{ kind: 'payOrder'; orderId: Hex }>
  | Readonly<{ kind: 'reverseOrder'; orderId: Hex }>
  /** From an external actor to the account, or back if negative. A wad. */
  | Readonly<{ kind: 'moveExternal'; userAddress: Address; bucket: Bucket; asset: Asset; amount: bigint }>;

/** Encodes contract calls as calldata, and decodes them: null for anything that the contracts would not understand. */
export const { encode: encodeCall, decode: decodeCall } = callCodec([...routerAbi, ...operatorAbi]);

export const isOperatorCall = (call: Call): call is OperatorCall =>
  operatorAbi.some(({ name }) => name === call.kind);

/** Read functions of the cash token and every stock token (ERC-20). Amounts in raw units. */
export const tokenReads = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function uiMultiplier() view returns (uint256)',
  'function getCurrentMultiplier() view returns (uint256 multiplier, uint256 periods, uint256 nonce)',
  'function balancePerShare() view returns (uint128)',
]);

/** Functions of a token that a wallet can send. */
export const tokenAbi = parseAbi(['function approve(address spender, uint256 amount) returns (bool)']);

/** Request of a transaction to the chain. */
export type ContractRequest = ContractCall | Approval | Payment;

/** Target and calldata of a transaction. `value` in wei. */
type Message = Readonly<{ to: Address; data: Hex; value: bigint }>;

const { decode: decodeToken } = callCodec(tokenAbi);

const OTHERS = [contracts.cashier, contracts.stock, contracts.oneClickRouter];

/** True when an address has code. */
export const isContract = (venue: VenueState, address: Address): boolean =>
  [contracts.router, ...OTHERS].some((each) => sameAddress(each, address)) ||
  assetOf(venue, address) !== null;

/** Request that the target contract decodes from a message. Null if it cannot decode it. */
export function requestOf(venue: VenueState, { to, data, value }: Message): ContractRequest | null {
  if (!isContract(venue, to)) return { kind: 'pay', to, amount: value };
  if (value > 0n) return null;
  const call = decodeCall(data);
  if (sameAddress(to, contracts.router)) return call && !isOperatorCall(call) ? call : null;
  if (OTHERS.some((each) => sameAddress(each, to))) return call && isOperatorCall(call) ? call : null;
  const approval = decodeToken(data);
  return approval && { ...approval, token: to };
}
