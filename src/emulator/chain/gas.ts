import { hexToBytes } from 'viem/utils';
import type { ContractRequest, Hex } from '../state/calls.ts';
import { type EpochMs, toSeconds } from '../../core/brand.ts';
import type { State } from '../state/state.ts';
import { chanceOf } from '../../core/random.ts';

/** Gas that each function uses when it succeeds. */
const GAS: Readonly<Record<ContractRequest['kind'], number>> = {
  placeMarketOrder: 180_000,
  placeLimitOrder: 190_000,
  cancelLimitOrder: 90_000,
  deposit: 160_000,
  withdraw: 150_000,
  depositStock: 120_000,
  withdrawStock: 110_000,
  depositAndMarketBuy: 320_000,
  depositAndLimitBuy: 330_000,
  depositStockAndMarketSell: 280_000,
  depositStockAndLimitSell: 290_000,
  placeDeferredMarketSell: 200_000,
  placeDeferredLimitSell: 210_000,
  repayDeferredStockDebt: 100_000,
  settleOrder: 220_000,
  settleDeposit: 120_000,
  settleWithdrawal: 130_000,
  failDeposit: 90_000,
  failWithdrawal: 80_000,
  approve: 46_000,
  pay: 21_000,
};
/** Gas of a call that no contract understands. */
const BASE = 23_000;

/** Gas of any transaction, and of each byte that it carries. */
const TRANSACTION = 21_000;
const ZERO_BYTE = 4;
const OTHER_BYTE = 16;

/** Wei for a unit of gas, at most: in all, and on top of what the block asks. */
export type Fees = Readonly<{ maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }>;

/** The most that a block holds, and so a transaction. */
export const BLOCK_GAS_LIMIT = 30_000_000;

/** Wei for a unit of gas: what a block asks while its base fee stands still, and what the node suggests on top. */
export const BASE_FEE = 50_000_000_000n;
export const TIP = 2_000_000_000n;

/** Gas of a transaction before it does anything. */
export const intrinsicGas = (data: Hex): number =>
  hexToBytes(data).reduce((gas, byte) => gas + (byte === 0 ? ZERO_BYTE : OTHER_BYTE), TRANSACTION);

const gasOf = (asked: ContractRequest | null): number => (asked ? GAS[asked.kind] : BASE);

/** Gas that a transaction needs, and uses when it succeeds. */
export const gasToSucceed = (asked: ContractRequest | null, data: Hex): number =>
  Math.max(gasOf(asked), intrinsicGas(data));

/** Checks come first, so a revert is cheaper. */
export const gasOfRevert = (asked: ContractRequest | null, data: Hex): number =>
  Math.max(asked ? Math.round(gasOf(asked) * 0.4) : BASE, intrinsicGas(data));

/** With a fifth to spare. */
export const estimateOf = (asked: ContractRequest | null): number => Math.round(gasOf(asked) * 1.2);

/** Wei for a unit of gas that a block with this base fee takes of it. */
export const priceOf = ({ maxFeePerGas, maxPriorityFeePerGas }: Fees, baseFee: bigint): bigint => {
  const wanted = baseFee + maxPriorityFeePerGas;
  return wanted < maxFeePerGas ? wanted : maxFeePerGas;
};

/** Most that a transaction can cost, which its wallet must hold. Wei. */
export const costOf = (
  { gas, value }: Readonly<{ gas: number; value: bigint }>,
  { maxFeePerGas }: Pick<Fees, 'maxFeePerGas'>,
): bigint => BigInt(gas) * maxFeePerGas + value;

/** Seconds between two heights of a base fee that walks: it goes from one to the next in equal steps of percent. */
const STRIDE_SECONDS = 60;

/** Wei that the block of an instant asks for a unit of gas. */
export function baseFeeAt({ seed, node }: Pick<State, 'seed' | 'node'>, at: EpochMs): bigint {
  const peak = node?.walks.findLast(({ from }) => from <= at)?.peak ?? 1;
  if (peak === 1) return BASE_FEE;
  const strides = toSeconds(at) / STRIDE_SECONDS;
  const height = (stride: number) => 2 * chanceOf(`${seed} base fee ${stride}`) - 1;
  const [first, part] = [Math.floor(strides), strides % 1];
  const level = height(first) * (1 - part) + height(first + 1) * part;
  return (BASE_FEE * BigInt(Math.round(1_000 * peak ** level))) / 1_000n;
}
