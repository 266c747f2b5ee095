import { JournalError } from '../core/errors.ts';
import type { SendOutcome } from '../domain/venue.ts';

/** What the journal could not take was not sent: the commit comes before the first byte. */
export function unwritten(error: unknown): SendOutcome {
  if (error instanceof JournalError)
    return { kind: 'refused', reason: `nothing was sent: ${error.message}`, unsent: true };
  throw error;
}
