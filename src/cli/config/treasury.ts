import { z } from 'zod';
import type { AllowedGroup } from '../../api/allowList.ts';
import { parseCash } from '../../core/amount.ts';
import type { Address } from '../../domain/instrument.ts';
import type { TreasuryPolicies } from '../../engine/treasuryPolicy.ts';
import { address, cashAmount } from './fields.ts';
import type { RunConfig } from './schema.ts';

/** The venue's own minimum is below this. */
const AT_LEAST = '100';

const perDay = (what: string) => cashAmount().describe(`Most that ${what} in any 24 hours, in mUSD.`);

const cashBuffer = z.strictObject({
  below: cashAmount().describe('Cash is deposited when less than this is free in the cashier, in mUSD.'),
  upTo: cashAmount().describe('Up to how much free cash a deposit fills, in mUSD.'),
  atLeast: cashAmount()
    .optional()
    .describe(
      `Least that one deposit moves, in mUSD; the venue has a minimum of its own. Default ${AT_LEAST}.`,
    ),
  maxPerDay: perDay('is deposited'),
  token: address().optional().describe('The cash token to deposit. Needed when the wallet holds several.'),
});

const stockForSells = z.strictObject({
  how: z
    .enum(['off', 'deposit'])
    .describe('`deposit`: a sell that lacks stock on the exchange waits until it has come from the wallet.'),
  maxPerOrder: cashAmount().describe('Most that may be moved for one sell, in mUSD at the latest price.'),
  maxPerDay: perDay('is moved for sells'),
});

const repayDebt = z.strictObject({ maxPerDay: perDay('is repaid from stock of the wallet') });

export const treasury = z.strictObject({
  cashBuffer: cashBuffer.optional().describe('Keeps cash in the cashier, out of the wallet.'),
  stockForSells: stockForSells.optional().describe('Brings stock of the wallet to sells that lack it.'),
  repayDebt: repayDebt.optional().describe('Repays the debt of deferred sells with stock of the wallet.'),
  approve: z
    .record(z.string().min(1), cashAmount())
    .optional()
    .describe(
      'Most that the wallet approves of a token by a transaction of its own when a policy needs more than is approved, ' +
        'such as { USDC: 2000, SPY: 5 }, in whole tokens. What is not named a person approves: `drover wallet approve`.',
    ),
});

/** The policies that are on. */
export function policiesOf({
  treasury: { cashBuffer, stockForSells, repayDebt, approve },
}: RunConfig): TreasuryPolicies {
  return {
    ...(cashBuffer ? { cashBuffer: bufferOf(cashBuffer) } : {}),
    ...(stockForSells && stockForSells.how !== 'off' ? { stockForSells } : {}),
    ...(repayDebt ? { repayDebt } : {}),
    ...(approve ? { approve: capsOf(approve) } : {}),
  };
}

const capsOf = (caps: Readonly<Record<string, bigint>>): ReadonlyMap<string, bigint> =>
  new Map(Object.entries(caps).map(([name, cap]) => [name.toUpperCase(), cap]));

function bufferOf({ token, atLeast, ...caps }: z.output<typeof cashBuffer>) {
  const lower = token?.toLowerCase() as Address | undefined;
  return { ...caps, atLeast: atLeast ?? parseCash(AT_LEAST), token: lower };
}

/** What the key must be allowed to sign for the policies that are on. */
export function policyGroups(config: RunConfig): AllowedGroup[] {
  const { cashBuffer, stockForSells, repayDebt } = policiesOf(config);
  return [
    ...(cashBuffer ? ['deposits' as const] : []),
    ...(stockForSells ? ['stockMoves' as const] : []),
    ...(repayDebt ? ['repay' as const] : []),
  ];
}
