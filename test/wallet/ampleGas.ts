/** Gas limits that no test reaches by chance. */
export const ampleGas = {
  maxFeePerGas: 500_000_000_000n,
  gasMax: 1_000_000n,
  marginPercent: 25,
  perTransaction: 10n ** 20n,
  perDay: 10n ** 22n,
  percentOfOrder: 100,
  nativePrice: null,
} as const;
