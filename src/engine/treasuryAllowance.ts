import { formatDecimal } from '../core/amount.ts';
import type { Address } from '../domain/instrument.ts';
import { sameAddress } from '../domain/instrument.ts';
import { plainOr } from '../domain/pins.ts';
import type { MoveTerms } from '../domain/operation.ts';
import { PAUSE_MS, type TreasuryPolicies, type TreasurySight, type TreasuryWish } from './treasuryPolicy.ts';

/** Whether the wallet lets so much be taken. `approve`: it is to approve it first; `lacking`: a person has to. */
export type Approval = Readonly<
  | { kind: 'enough' }
  | { kind: 'wait' }
  | { kind: 'approve'; wish: TreasuryWish }
  | { kind: 'lacking'; why: string }
>;

/** A wish that takes tokens out of the wallet. */
export type Taking = Omit<TreasuryWish, 'terms'> & Readonly<{ terms: MoveTerms }>;

/** An approval is for exactly what is needed, and never for more than its cap. Pure. */
export function approvalFor(
  { policy, cause, value, terms }: Taking,
  { approve }: TreasuryPolicies,
  sight: TreasurySight,
): Approval {
  const { allowances } = sight;
  const { token, amount } = terms;
  if (!allowances) return { kind: 'enough' };
  const name = sight.nameOf(terms) ?? token;
  const allowed = allowanceOf(allowances.of, token);
  if (allowed >= amount) return { kind: 'enough' };
  if (isJustApproved(terms, sight)) return { kind: 'wait' };
  const { spender } = allowances;
  const cap = approve?.get(name.toUpperCase()) ?? approve?.get(token.toUpperCase());
  if (cap !== undefined && amount <= cap) {
    const approval = { kind: 'approve', token, name, spender, amount, before: terms.kind } as const;
    return { kind: 'approve', wish: { policy, cause, value, terms: approval } };
  }
  const need = formatDecimal(amount);
  const own = cap === undefined ? 'does not name it' : `allows ${formatDecimal(cap)}`;
  return {
    kind: 'lacking',
    why:
      `the wallet has approved ${formatDecimal(allowed)} ${name} for ${spender}, and ${need} is needed: nothing is sent. ` +
      `Approve it by "drover wallet approve ${plainOr(name, token)} ${need}"; treasury.approve ${own}`,
  };
}

/** Approved amount of a token, a wad. */
export const allowanceOf = (of: ReadonlyMap<Address, bigint>, token: Address): bigint =>
  of.get(token.toLowerCase() as Address) ?? 0n;

/** The chain has an approval of so much that the venue does not show yet: another would be no better. */
function isJustApproved({ token, amount }: MoveTerms, { operations, endedAt, now }: TreasurySight): boolean {
  const last = operations.findLast(({ terms }) => sameAddress(terms.token, token));
  if (last?.terms.kind !== 'approve' || last.state.kind !== 'settled' || last.terms.amount < amount)
    return false;
  return now - (endedAt(last) ?? now) < PAUSE_MS;
}
