import type { Abi } from 'viem';
import { encodeFunctionResult } from 'viem/utils';
import type { EpochMs } from '../../core/brand.ts';
import { hashHex } from '../../core/random.ts';
import { sameAddress, type Address } from '../../domain/instrument.ts';
import { callCodec, routerAbi } from '../../wallet/routerAbi.ts';
import { askedOf, isContract, type Asked } from '../chain/asked.ts';
import { OUT_OF_GAS } from '../chain/chain.ts';
import { problemOf } from '../chain/check.ts';
import { gasToSucceed } from '../chain/gas.ts';
import { refusalOf } from '../chain/clientWords.ts';
import { faceOf } from '../chain/nodeFace.ts';
import { NodeRefusal } from '../chain/nodeRefusal.ts';
import { reverted } from '../chain/reverts.ts';
import { tokenAbi, tokenReads } from '../chain/tokenAbi.ts';
import { nativeOf } from '../native.ts';
import { orderFrom, placementOf } from '../orders.ts';
import type { Hex, Transaction } from '../state.ts';
import { assetOf } from '../tokens.ts';
import { operationIdOf, type World } from '../world.ts';
import { instantOf, numberOf, requireLatest, type BlockTag } from './blocks.ts';
import { readToken } from './tokenReads.ts';

/** What is tried without being sent. Wei. */
export type Trial = Readonly<{
  from: Address;
  to: Address;
  data: Hex;
  value: bigint;
  gas: bigint | null;
  /** 0 asks for no money. */
  gasPrice: bigint;
}>;

const { decode: decodeRead } = callCodec(tokenReads);

/** What a call would give. One that has reverted in the block that is asked for tells why. @throws {NodeRefusal} */
export function call(
  world: World,
  { trial, tag }: Readonly<{ trial: Trial; tag: BlockTag }>,
  now: EpochMs,
): Hex {
  const cause = causeIn(world, { trial, tag }, now);
  if (cause !== null) throw failure(world, trial, cause);
  requireLatest(world, tag, now);
  const read = tokenRead(world, trial);
  if (read) return read;
  const asked = requireSound(world, trial, now);
  const { gas, data } = trial;
  if (gas !== null && gas < gasToSucceed(asked, data)) throw failure(world, trial, OUT_OF_GAS);
  return resultOf(trial, asked);
}

/** The node's answer to a call that fails. One that ran out of gas has no cause and carries nothing. */
function failure({ state }: World, { gas }: Trial, cause: string): NodeRefusal {
  const face = faceOf(state);
  const isDry = cause === OUT_OF_GAS ? refusalOf(face.client, 'outOfGas', { gas: gas ?? 0n }) : null;
  return isDry ?? reverted(face, cause);
}

function causeIn(world: World, { trial, tag }: Readonly<{ trial: Trial; tag: BlockTag }>, now: EpochMs) {
  const number = numberOf(world, tag, now);
  const block = number === null ? [] : (world.blocks.get(instantOf(world, number)) ?? []);
  const same = ({ from, to, data }: Transaction) =>
    sameAddress(from, trial.from) && sameAddress(to, trial.to) && data === trial.data;
  return block.find((each) => same(each) && each.receipt?.revert != null)?.receipt?.revert ?? null;
}

/** What a token answers; null for what is no question to one. */
function tokenRead(world: World, { to, data }: Trial): Hex | null {
  if (assetOf(world, to) === null) return null;
  const read = decodeRead(data);
  if (!read) return null;
  const abi: Abi = tokenReads;
  return encodeFunctionResult({ abi, functionName: read.kind, result: readToken(world, to, read) });
}

/** @throws {NodeRefusal} when it would revert now */
function requireSound(world: World, trial: Trial, now: EpochMs): Asked {
  const { from: user, value } = trial;
  const face = faceOf(world.state);
  const asked = askedOf(world, trial);
  if (!asked) throw reverted(face, 'unknown function');
  const placement = placementOf(asked);
  const order = placement && orderFrom(world, { hash: pretended(trial), user }, placement);
  const problem = problemOf(world, { call: asked, user, order }, now);
  if (problem !== null) throw reverted(face, problem);
  if (nativeOf(world, user) < value) throw new NodeRefusal('insufficient funds for transfer');
  return asked;
}

/** The hash of a transaction that is not one: ids depend on it, as on chain on what was there before. */
const pretended = ({ from, data }: Trial): Hex => hashHex(`trial ${from} ${data}`);

function resultOf(trial: Trial, asked: Asked): Hex {
  if (asked.kind === 'approve')
    return encodeFunctionResult({ abi: tokenAbi, functionName: 'approve', result: true });
  const target = routerAbi.find(({ name }) => name === asked.kind);
  if (!target?.outputs.length) return '0x';
  const isCash = asked.kind === 'deposit' || asked.kind === 'withdraw';
  return isCash ? operationIdOf(pretended(trial)) : hashHex(`order ${pretended(trial)}`);
}

/** What a call would use. @throws {NodeRefusal} when it would revert, or its wallet could not pay for it */
export function estimateGas(world: World, trial: Trial, now: EpochMs): number {
  const { from, data, value, gasPrice } = trial;
  const asked = tokenRead(world, trial) === null ? requireSound(world, trial, now) : null;
  const needed = gasToSucceed(asked, data);
  if (gasPrice === 0n) return needed;
  const allowance = (nativeOf(world, from) - value) / gasPrice;
  if (allowance < BigInt(needed)) throw new NodeRefusal(`gas required exceeds allowance (${allowance})`);
  return needed;
}

/** Something for an address with a contract, nothing for others. */
export const codeAt = (world: World, address: Address): Hex => (isContract(world, address) ? '0xfe' : '0x');

/** Who calls when a call names nobody. */
export const NOBODY: Address = `0x${'0'.repeat(40)}`;
