import { ticker } from '../../../src/domain/instrument.ts';
import type { JournalEntry, JournalEvent } from '../../../src/domain/journalEvent.ts';
import type {
  CommandProgress,
  OperatorAnswer,
  OperatorCommand,
  OperatorRequest,
} from '../../../src/domain/operator/command.ts';
import type { Venue } from '../../../src/domain/venue.ts';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import { replay, type Divergence } from '../../../src/engine/runtime/replay.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { memoryJournal } from '../../store/memoryJournal.ts';
import type { FakeVenue } from '../fakeVenue.ts';
import { Stage, type StageOptions } from '../stage.ts';
import type { CommandId } from '../../../src/domain/operator/restriction.ts';

export const AAPL = ticker('AAPL');
export const MSFT = ticker('MSFT');

let count = 0;

export const requestOf = (
  command: OperatorCommand,
  id = `command-${++count}`,
  reason = 'a holiday',
): OperatorRequest => ({ id: id as CommandId, by: 'ann', reason, command });

/** Gives a command and waits for its answer. */
export const give = (stage: Stage, command: OperatorCommand, id?: string): Promise<OperatorAnswer> =>
  stage.runner.command(requestOf(command, id));

/** Progress of the only flatten of a stage. */
export function progressOf(stage: Stage): CommandProgress {
  const { all } = stage.runner.kernel.context.accountState.commands;
  const flatten = all.findLast(({ request }) => request.command.kind === 'flatten');
  const progress = flatten && stage.runner.progress(flatten.request.id);
  if (!progress) throw new Error('there is no flatten');
  return progress;
}

export const entriesOf = ({ lines }: Stage): JournalEntry[] => [...memoryJournal(lines).entries()];

export const eventsOf = <K extends JournalEvent['kind']>(
  stage: Stage,
  kind: K,
): Extract<JournalEvent, { kind: K }>[] =>
  entriesOf(stage).flatMap(({ fact }) => (fact.kind === kind ? [fact as never] : []));

/** Difference between a journal and the same decisions made again; null for none. */
export function partingOf(stage: Stage, options: StageOptions): Divergence | null {
  const { calendar, rules, strategies } = new Stage(options).options;
  const createKernel = () => new Kernel({ calendar, rules, strategies, obstacles: { reason: () => null } });
  return replay(entriesOf(stage), createKernel).parting;
}

/** Delays the sends of a venue by `ms` before their gate check. */
export const slow =
  (ms: number) =>
  (venue: FakeVenue, clock: Clock): Venue => {
    const place = venue.place.bind(venue);
    venue.place = async (terms, gate) => {
      await clock.sleep(ms);
      return place(terms, gate);
    };
    return venue;
  };
