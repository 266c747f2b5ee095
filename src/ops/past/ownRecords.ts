import { createTradingCalendar, type CalendarException } from '../../calendar/index.ts';
import type { LiveHistory } from '../../report/live/liveHistory.ts';
import { liveRecord, type LiveIdentity } from '../../report/live/liveRecord.ts';
import { ownerNamed, strategiesOf } from '../../report/live/totals.ts';
import type { RunRecord } from '../../report/runRecord.ts';
import { NothingFound } from './question.ts';

/** Records of the run itself, from its journal with the archives of closed years. */
export type OwnRecords = Readonly<{
  /** Strategies that have had capital. */
  strategies: readonly string[];
  /** @throws {NothingFound} for a strategy that the journal does not know */
  record: (of: string) => RunRecord;
}>;

/** Records by their owners: `account`, `strategies` for all of them together, or the id of one. */
export function ownRecords(history: LiveHistory, run: PastRun): OwnRecords {
  const strategies = strategiesOf(history, null);
  const identity = {
    kind: run.kind,
    account: run.account,
    params: new Map(run.params),
    calendar: createTradingCalendar(run.exceptions),
  };
  return {
    strategies,
    record(of) {
      const owner = ownerNamed(history, of);
      if (owner !== undefined) return liveRecord(history, identity, owner);
      const known = strategies.join(', ') || 'none';
      throw new NothingFound(`this journal has no strategy ${JSON.stringify(of)}. It has ${known}`);
    },
  };
}

/** Run whose past is asked for: plain data, so that it can be sent to a thread. */
export type PastRun = Readonly<{
  /** File of the journal. */
  journal: string;
  kind: LiveIdentity['kind'];
  account: string;
  /** Parameters by strategy. */
  params: readonly (readonly [strategy: string, params: unknown])[];
  /** Exceptions of the config to the calendar. */
  exceptions: readonly CalendarException[];
  /** Folder of saved records. */
  runs: string;
}>;
