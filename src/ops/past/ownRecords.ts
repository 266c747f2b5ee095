import { createTradingCalendar, type CalendarException } from '../../calendar/index.ts';
import type { LiveHistory } from '../../report/live/liveHistory.ts';
import { liveRecord, type LiveIdentity } from '../../report/live/liveRecord.ts';
import { ownerNamed, strategiesOf } from '../../report/live/totals.ts';
import type { RunRecord } from '../../report/runRecord.ts';
import { NothingFound } from './question.ts';

/** Records of the run itself, from its journal and the archives of finished years. */
export type OwnRecords = Readonly<{
  /** Strategies that ever had capital. */
  strategies: readonly string[];
  /** @throws {NothingFound} for a strategy that the journal does not know */
  record: (of: string) => RunRecord;
}>;

/** Records by owner: `account`, `strategies` for all strategies together, or the id of one. */
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

/** Run whose history is requested: plain data, so that it can be sent to a thread. */
export type PastRun = Readonly<{
  /** File of the journal. */
  journal: string;
  kind: LiveIdentity['kind'];
  account: string;
  /** Parameters by strategy. */
  params: readonly (readonly [strategy: string, params: unknown])[];
  /** The config's exceptions to the calendar. */
  exceptions: readonly CalendarException[];
  /** Folder of saved records. */
  runs: string;
}>;
