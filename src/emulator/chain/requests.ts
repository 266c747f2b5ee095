import { parseAbi } from 'viem/utils';
import { sameAddress, type Address } from '../../domain/instrument.ts';
import { callCodec } from '../../wallet/routerAbi.ts';
import { contracts } from '../state/constants.ts';
import { assetOf } from './tokens.ts';
import type { VenueState } from '../state/venueState.ts';
import {
  decodeCall,
  isOperatorCall,
  type Approval,
  type ContractCall,
  type Hex,
  type Payment,
} from './call.ts';

/** Read functions of the cash token and every stock token (ERC-20). Amounts in raw units. */
export const tokenReads = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
]);

/** Functions of a token that a wallet can send. */
export const tokenAbi = parseAbi(['function approve(address spender, uint256 amount) returns (bool)']);

/** Request of a transaction to the chain. */
export type ContractRequest = ContractCall | Approval | Payment;

/** Where a transaction goes, with what. `value` in wei. */
type Message = Readonly<{ to: Address; data: Hex; value: bigint }>;

const { decode: decodeToken } = callCodec(tokenAbi);

const OTHERS = [contracts.cashier, contracts.stock, contracts.oneClickRouter];

/** True when there is code at an address. */
export const isContract = (venue: VenueState, address: Address): boolean =>
  [contracts.router, ...OTHERS].some((each) => sameAddress(each, address)) ||
  assetOf(venue, address) !== null;

/** Request that the target contract reads from a message. Null when it reads none. */
export function requestOf(venue: VenueState, { to, data, value }: Message): ContractRequest | null {
  if (!isContract(venue, to)) return { kind: 'pay', to, amount: value };
  if (value > 0n) return null;
  const call = decodeCall(data);
  if (sameAddress(to, contracts.router)) return call && !isOperatorCall(call) ? call : null;
  if (OTHERS.some((each) => sameAddress(each, to))) return call && isOperatorCall(call) ? call : null;
  const approval = decodeToken(data);
  return approval && { ...approval, token: to };
}
