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
 * Gives the reason not to move more of a token out of the wallet, or null: one source has called a transfer of it ended
 * without effect, and the wallet shows that something was taken. Another would take it twice, beyond every cap of a day.
 */
export function transferDoubt(books: Books, report: AccountReport, terms: MoveTerms): string | null {
  const ended = lastWithoutEffect(books.operations.all.values(), terms);
  if (!ended) return null;
  const asset = assetTaken(terms);
  const { least } = expectedInWallet(books, asset);
  const actual = inWallet(report, asset);
  if (actual === null || actual >= least) return null;
  return (
    `${describeOperation(ended)} (${ended.id}) ended without effect by one source's word, and the wallet has ` +
    `${formatDecimal(least - actual)} less of ${asset} than the ledger: nothing more of it is moved until they agree. ` +
    `Look at the venue for what became of it; "drover adopt ${asset} --reason TEXT" takes the difference over`
  );
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
