import { intradayOf } from '../../../report/live/candles.ts';
import { LiveHistory } from '../../../report/live/liveHistory.ts';
import { liveRecord, type LiveIdentity } from '../../../report/live/liveRecord.ts';
import type { RecordOwner } from '../../../report/live/owner.ts';
import { ownerNamed, strategiesOf } from '../../../report/live/totals.ts';
import type { RunRecord } from '../../../report/runRecord.ts';
import { readJournal } from '../../../store/readJournal.ts';
import { ConfigError, closing } from '../../../core/errors.ts';
import { calendarOf } from '../../../app/config/fields.ts';
import type { LoadedConfig } from '../../../app/config/load.ts';
import type { CommandContext } from '../../../process/context.ts';
import { stateFlagOf } from '../../../app/environment/daemons.ts';
import { journalOf } from '../../../app/environment/journal.ts';
import { accountIn, accountOf, modeOf } from '../../../app/environment/ownership.ts';

type StateFlag = Readonly<{ state?: string }>;

/** The run on a state folder, as of the current end of its journal. */
type JournalRun = Readonly<{ history: LiveHistory; identity: LiveIdentity }>;

/**
 * Reads the run of a state folder, named by flags or config or else that of the only daemon. A daemon may be writing.
 * @throws {ConfigError} when none is named, or it has no journal that can be read
 */
export async function journalRun(flags: StateFlag, context: CommandContext): Promise<JournalRun> {
  const { loaded, stateDir, file } = journalOf(await stateFlagOf(flags, context), context);
  return closing(readJournal(file), (reader) => {
    const identity: LiveIdentity = {
      kind: modeOf(stateDir) ?? loaded.config.mode,
      account: accountIn(stateDir) ?? accountOf(loaded),
      params: paramsOf(loaded, context),
      calendar: calendarOf(loaded.config),
    };
    return { history: new LiveHistory(reader), identity };
  });
}

/**
 * Record of the run of a state folder. @param of `account`, `strategies` for all strategies together, or the id of one
 * @throws {ConfigError} as `journalRun` does, and for a strategy that the journal does not know
 */
export async function recordOfState(
  flags: StateFlag,
  of: string,
  context: CommandContext,
): Promise<RunRecord> {
  const { history, identity } = await journalRun(flags, context);
  return liveRecord(history, identity, namedIn(history, of));
}

/**
 * Records of a run by owner. @param of `account`, `strategies` for a record of each strategy, or the id of one
 * @throws {ConfigError} for a strategy that the journal does not know
 */
export function recordsOf({ history, identity }: JournalRun, of: string): ReadonlyMap<string, RunRecord> {
  const owner = namedIn(history, of);
  const drawn = (own: RecordOwner): RunRecord => {
    const record = liveRecord(history, identity, own);
    return { ...record, ...intradayOf(history, identity.calendar, record) };
  };
  return new Map(owner === null ? [[of, drawn(null)]] : owner.map((id) => [id, drawn([id])]));
}

function namedIn(history: LiveHistory, of: string): RecordOwner {
  const owner = ownerNamed(history, of);
  if (owner !== undefined) return owner;
  const known = strategiesOf(history, null);
  throw new ConfigError(
    `--of ${of}: write account, strategies, or a strategy of this journal: ${known.join(', ') || 'it has none'}`,
  );
}

/** Parameters of the strategies, if a config was given: the journal does not contain them. */
const paramsOf = ({ config }: LoadedConfig, { configFile }: CommandContext): ReadonlyMap<string, unknown> =>
  new Map(configFile === undefined ? [] : config.strategies.map(({ id, params }) => [id, params]));
