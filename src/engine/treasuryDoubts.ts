import { formatDecimal } from '../core/amount.ts';
import type { Books } from '../domain/books.ts';
import { expectedInWallet } from '../domain/comparison.ts';
import { isToken, type Holding } from '../domain/ledger.ts';
import { sameAddress } from '../domain/instrument.ts';
import type { MoveTerms, Operation, OperationState } from '../domain/operation.ts';
import { assetTaken } from '../domain/operationPostings.ts';
import type { AccountReport } from '../domain/venue.ts';
import { describeOperation } from './describe.ts';

/** Ends that leave the money where it was, by the word of venue or node alone. */
const WITHOUT_EFFECT: ReadonlySet<OperationState['kind']> = new Set(['failed', 'refused', 'neverExisted']);

/**
 * Gives the reason not to move more of a token out of the wallet, or null: the wallet has less than the ledger. Something was
 * taken that the journal does not know of, or that one source has called ended without effect. Another transfer would take
 * it twice, beyond every cap of a day.
 */
export function transferDoubt(books: Books, report: AccountReport, terms: MoveTerms): string | null {
  const asset = assetTaken(terms);
  const { least } = expectedInWallet(books, asset);
  const actual = inWallet(report, asset);
  if (actual === null || actual >= least) return null;
  const ended = lastWithoutEffect(books.operations.all.values(), terms);
  const cause = ended
    ? `: ${describeOperation(ended)} (${ended.id}) ended without effect by one source's word alone`
    : '';
  return (
    `the wallet has ${formatDecimal(least - actual)} less of ${asset} than the ledger${cause}. Nothing more of it is moved ` +
    `until they agree. Look at the venue and the wallet for what took it; "drover adopt ${asset} --reason TEXT" takes the ` +
    'difference over'
  );
}

/** True where the wallet shows all that a deposit or repayment, not mined yet, would take from it. */
export function isStillInWallet(books: Books, report: AccountReport, terms: MoveTerms): boolean {
  const asset = assetTaken(terms);
  const actual = inWallet(report, asset);
  return actual !== null && actual >= expectedInWallet(books, asset).expected;
}

function lastWithoutEffect(operations: Iterable<Operation>, { token }: MoveTerms): Operation | undefined {
  return [...operations].findLast(
    ({ terms, state }) =>
      terms.kind !== 'approve' && sameAddress(terms.token, token) && WITHOUT_EFFECT.has(state.kind),
  );
}

/** Null where it was not asked for. */
function inWallet({ holdings, tokens }: AccountReport, asset: Holding): bigint | null {
  if (asset === 'mUSD') return null;
  if (isToken(asset)) return tokens?.get(asset) ?? null;
  return holdings.get(asset)?.wallet ?? null;
}
