import { closing } from '../../../core/errors.ts';
import { killFilesOf } from '../../../app/environment/killSwitch.ts';
import { epochMs, toIso } from '../../../core/brand.ts';
import { VERSION } from '../../../core/version.ts';
import { journalState } from '../../../ops/model/journalState.ts';
import type { Status } from '../../../ops/model/status.ts';
import { statusOf } from '../../../ops/model/statusOf.ts';
import { readJournal } from '../../../store/readJournal.ts';
import { calendarOf } from '../../../app/config/fields.ts';
import type { LoadedConfig } from '../../../app/config/load.ts';
import type { CommandContext } from '../../../process/context.ts';
import { journalOf } from '../../../app/environment/journal.ts';
import { accountIn, accountOf, modeOf } from '../../../app/environment/ownership.ts';
import { rulesOf } from '../../../app/environment/plan.ts';
import { sameFlags } from '../../../process/quotedCommand.ts';

/**
 * Status of a stopped run, from its journal. Prices are the last that the run saw.
 * @throws {ConfigError} when no folder is named, or it has no journal that can be read
 */
export function journalStatus(flags: Readonly<{ state?: string }>, context: CommandContext): Status {
  const { loaded, stateDir, file } = journalOf(flags, context);
  const { config } = loaded;
  const mode = modeOf(stateDir) ?? config.mode;
  const rules = rulesOf(config);
  // Without --config, the config is the default one, whatever the folder's run used.
  const isOfRun = context.configFile !== undefined || flags.state === undefined;
  return closing(readJournal(file), (reader) => {
    const setup = { calendar: calendarOf(config), rules, now: context.clock.now() };
    const { context: engine, differences, startedAt, lastAt, lastEnd } = journalState(reader, setup);
    // The clock of an emulated venue stands still between runs.
    const now = mode === 'emulator' ? (lastAt ?? setup.now) : setup.now;
    engine.begin(now);
    return statusOf({
      identity: {
        mode,
        account: accountIn(stateDir) ?? accountOf(loaded),
        version: VERSION,
        startedAt: toIso(startedAt ?? epochMs(0)),
        killFiles: killFilesOf(loaded, stateDir),
      },
      isRunning: false,
      context: engine,
      now,
      strategies: isOfRun ? idsOf(loaded) : null,
      differences,
      alarms: [],
      health: null,
      lastEnd,
      flags: sameFlags(context, flags.state),
    });
  });
}

/** Strategies of the config, without their data needs, which only a run loads. */
const idsOf = ({ config: { strategies } }: LoadedConfig) => strategies.map(({ id }) => ({ id, needs: {} }));
