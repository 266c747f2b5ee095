import { hexToBytes } from 'viem/utils';
import type { ContractRequest, Hex } from '../state/calls.ts';
import { type EpochMs, toSeconds } from '../../core/brand.ts';
import type { State } from '../state/state.ts';
import { chanceOf } from '../../core/seededRandom.ts';

/** Gas used by each function when it succeeds. */
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
/** Gas of a call to an unknown function. */
const BASE = 23_000;

/** Gas of any transaction, and of each byte of its calldata. */
const TRANSACTION = 21_000;
const ZERO_BYTE = 4;
const OTHER_BYTE = 16;

/** Wei per unit of gas: the total maximum, and the maximum on top of the base fee. */
export type Fees = Readonly<{ maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }>;

/** Gas limit of a block, and therefore of a transaction. */
export const BLOCK_GAS_LIMIT = 30_000_000;

/** Wei per unit of gas: the base fee while it is constant, and the tip that the node suggests. */
export const BASE_FEE = 50_000_000_000n;
export const TIP = 2_000_000_000n;

/** Gas of a transaction before it executes anything. */
export const intrinsicGas = (data: Hex): number =>
  hexToBytes(data).reduce((gas, byte) => gas + (byte === 0 ? ZERO_BYTE : OTHER_BYTE), TRANSACTION);

const gasOf = (asked: ContractRequest | null): number => (asked ? GAS[asked.kind] : BASE);

/** Gas that a transaction needs, and uses, to succeed. */
export const gasToSucceed = (asked: ContractRequest | null, data: Hex): number =>
  Math.max(gasOf(asked), intrinsicGas(data));

/** Gas used by a revert: less than for success, because checks come first. */
export const gasOfRevert = (asked: ContractRequest | null, data: Hex): number =>
  Math.max(asked ? Math.round(gasOf(asked) * 0.4) : BASE, intrinsicGas(data));

/** Gas estimate, with a margin of 20 %. */
export const estimateOf = (asked: ContractRequest | null): number => Math.round(gasOf(asked) * 1.2);

/** Wei per unit of gas that the transaction pays in a block with this base fee. */
export const priceOf = ({ maxFeePerGas, maxPriorityFeePerGas }: Fees, baseFee: bigint): bigint => {
  const wanted = baseFee + maxPriorityFeePerGas;
  return wanted < maxFeePerGas ? wanted : maxFeePerGas;
};

/** Maximum cost of a transaction, which its wallet must hold. Wei. */
export const costOf = (
  { gas, value }: Readonly<{ gas: number; value: bigint }>,
  { maxFeePerGas }: Pick<Fees, 'maxFeePerGas'>,
): bigint => BigInt(gas) * maxFeePerGas + value;

/** Seconds between two random levels of a moving base fee; it changes by equal percentages in between. */
const STRIDE_SECONDS = 60;

/** Base fee of the block at an instant. Wei per unit of gas. */
export function baseFeeAt({ seed, node }: Pick<State, 'seed' | 'node'>, at: EpochMs): bigint {
  const peak = node?.walks.findLast(({ from }) => from <= at)?.peak ?? 1;
  if (peak === 1) return BASE_FEE;
  const strides = toSeconds(at) / STRIDE_SECONDS;
  const height = (stride: number) => 2 * chanceOf(`${seed} base fee ${stride}`) - 1;
  const [first, part] = [Math.floor(strides), strides % 1];
  const level = height(first) * (1 - part) + height(first + 1) * part;
  return (BASE_FEE * BigInt(Math.round(1_000 * peak ** level))) / 1_000n;
}
