import { sameAddress, type Address } from '../../domain/instrument.ts';
import { callCodec } from '../../wallet/routerAbi.ts';
import { contracts } from '../deployment.ts';
import { assetOf } from '../tokens.ts';
import type { World } from '../world.ts';
import { decodeCall, isDeskCall, type Approval, type ContractCall, type Hex, type Payment } from './call.ts';
import { tokenAbi } from './tokenAbi.ts';

/** What a transaction can ask of the chain. */
export type Asked = ContractCall | Approval | Payment;

/** Where a transaction goes, with what. `value` in wei. */
export type Message = Readonly<{ to: Address; data: Hex; value: bigint }>;

const { decode: decodeToken } = callCodec(tokenAbi);

const OTHERS = [contracts.cashier, contracts.stock, contracts.oneClickRouter];

/** Whether there is code behind an address. */
export const isContract = (world: World, address: Address): boolean =>
  [contracts.router, ...OTHERS].some((each) => sameAddress(each, address)) ||
  assetOf(world, address) !== null;

/** What the contract that it goes to understands of a message. Null when that is nothing. */
export function askedOf(world: World, { to, data, value }: Message): Asked | null {
  if (!isContract(world, to)) return { kind: 'pay', to, amount: value };
  if (value > 0n) return null;
  const call = decodeCall(data);
  if (sameAddress(to, contracts.router)) return call && !isDeskCall(call) ? call : null;
  if (OTHERS.some((each) => sameAddress(each, to))) return call && isDeskCall(call) ? call : null;
  const approval = decodeToken(data);
  return approval && { ...approval, token: to };
}
