import type { Abi, AbiParameterToPrimitiveType } from 'viem';
import { decodeFunctionData, encodeFunctionData, toFunctionSelector } from 'viem/utils';
import type { Address } from '../../domain/instrument.ts';
import type { Asset, Bucket } from '../ledger.ts';
import { deskAbi, routerAbi } from './routerAbi.ts';

export type Hex = `0x${string}`;

type RouterFunction = (typeof routerAbi)[number];
type DeskFunction = (typeof deskAbi)[number];

/** A function with its arguments by name. */
type CallTo<F> = F extends RouterFunction | DeskFunction
  ? Readonly<
      { kind: F['name'] } & {
        [Input in F['inputs'][number] as Input['name']]: AbiParameterToPrimitiveType<Input>;
      }
    >
  : never;

export type RouterCall = CallTo<RouterFunction>;
export type DeskCall = CallTo<DeskFunction>;
/** What a transaction can ask of the contracts, as its calldata says it. */
export type ContractCall = RouterCall | DeskCall;

export type CallOf<Kind extends Call['kind']> = Extract<Call, { kind: Kind }>;

/** What moves money: a transaction, or what the venue does not know of. */
export type Call =
  | ContractCall
  /** By its number in the list. */
  | Readonly<{ kind: 'corporateAction'; id: number }>
  /** From another actor to the account, or back when negative. A wad. */
  | Readonly<{ kind: 'moveForeign'; userAddress: Address; bucket: Bucket; asset: Asset; amount: bigint }>;

const functions: readonly (RouterFunction | DeskFunction)[] = [...routerAbi, ...deskAbi];
const byName = new Map(functions.map((each) => [each.name, each]));
const bySelector = new Map(functions.map((each) => [toFunctionSelector(each), each]));

/** The calldata of a call. @throws when an argument does not fit its type */
export function encodeCall(call: ContractCall): Hex {
  const target = byName.get(call.kind);
  const abi: Abi = target ? [target] : [];
  const values = new Map<string, unknown>(Object.entries(call));
  const args = target?.inputs.map(({ name }) => values.get(name)) ?? [];
  return encodeFunctionData({ abi, functionName: call.kind, args });
}

/** The call that calldata stands for. Null for all that the contracts would not understand. */
export function decodeCall(data: Hex): ContractCall | null {
  const target = bySelector.get(data.slice(0, 10).toLowerCase() as Hex);
  if (!target) return null;
  const abi: Abi = [target];
  try {
    const { args = [] } = decodeFunctionData({ abi, data });
    const named = target.inputs.map(({ name }, index) => [name, args[index]]);
    const call = { kind: target.name, ...Object.fromEntries(named) } as ContractCall;
    return encodeCall(call) === data.toLowerCase() ? call : null;
  } catch {
    return null;
  }
}

export const isDeskCall = (call: ContractCall): call is DeskCall =>
  deskAbi.some(({ name }) => name === call.kind);
