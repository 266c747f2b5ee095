import { formatDecimal } from '../../core/amount.ts';
import type { Mismatch } from '../../domain/account/comparison.ts';
import type { JournalEvent } from '../../domain/journalEvent.ts';
import type { OperatorAnswer, TermsToAccept } from '../../domain/operator/command.ts';
import { shortAmounts } from '../../domain/shortAmounts.ts';
import type { AccountReport, OrderReport, UnreadableRow } from '../../domain/venue.ts';

/** The venue as read after a command: its orders, the account, and differences from the ledger. */
export type Evidence = Readonly<{
  rows: readonly (OrderReport | UnreadableRow)[];
  report: AccountReport;
  mismatches: readonly Mismatch[];
}>;

/** Answer to a command, and the journal events that carry it out, in order. */
export type Decision = Readonly<{
  text: string;
  result: Readonly<Record<string, unknown>>;
  events: readonly JournalEvent[];
}>;

/** Refusal of a command. `usage`: it refers to something that does not exist; `safety`: a safety rule forbids it now. */
export class Refused extends Error {
  readonly answer: Extract<OperatorAnswer, { kind: 'refused' }>;

  constructor(because: 'usage' | 'safety', text: string, terms?: TermsToAccept) {
    super(text);
    this.answer = { kind: 'refused', because, text, ...(terms ? { terms } : {}) };
  }
}

/** Text of one difference, such as `AAPL: 4 in the ledger, 2.5 at the venue`. */
export const balancesText = ({ side, asset, expected, actual }: Mismatch): string =>
  `${asset}${side === 'venue' ? '' : ` (${side})`}: ${formatDecimal(expected)} in the ledger, ${formatDecimal(actual)} at the venue`;

/** Refuses while ledger and venue differ. @throws {Refused} naming each difference */
export function refuseDifferences(open: readonly Mismatch[]): void {
  if (open.length === 0) return;
  const lines = open.map((one) => `  ${shortAmounts(balancesText(one))}`).join('\n');
  throw new Refused(
    'safety',
    `nothing was lifted: ledger and venue still differ:\n${lines}\n` +
      'Find out why. `drover accept ASSET --reason TEXT` accepts what the venue has',
  );
}
