import type { Cancel, Host } from '../../core/clock.ts';
import { JournalLostError } from '../../core/errors.ts';
import type { Journal } from '../../domain/fact.ts';

const LOOK_MS = 250;

/** Looks a few times a second of real time whether the journal is still where it was, and reports once that it is not. */
export function watchJournal(
  { lost }: Pick<Journal, 'lost'>,
  host: Pick<Host, 'after'>,
  onLost: (error: JournalLostError) => void,
): Cancel {
  let cancel: Cancel = () => undefined;
  const next = () => {
    cancel = host.after(LOOK_MS, () => {
      const why = lost?.() ?? null;
      if (why === null) next();
      else onLost(new JournalLostError(why));
    });
  };
  next();
  return () => cancel();
}
