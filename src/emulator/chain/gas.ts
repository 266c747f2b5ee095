import type { ContractCall } from './call.ts';

/** What each function uses when it does what it is asked. */
const GAS: Readonly<Record<ContractCall['kind'], number>> = {
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
};
/** Of a call that no contract understands. */
const BASE = 23_000;

export const gasOf = ({ kind }: ContractCall): number => GAS[kind];

/** Checks come first, so a revert is cheaper. */
export const gasOfRevert = (call: ContractCall | null): number =>
  call ? Math.round(gasOf(call) * 0.4) : BASE;

/** With a fifth to spare. */
export const estimateOf = (call: ContractCall | null): number =>
  Math.round((call ? gasOf(call) : BASE) * 1.2);
