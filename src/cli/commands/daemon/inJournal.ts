import { epochMs, type EpochMs } from '../../../core/brand.ts';
import { ConfigError, InvariantError, SafetyError } from '../../../core/errors.ts';
import { systemRandom } from '../../../core/random.ts';
import type { AccountState } from '../../../domain/account/accountState.ts';
import type { JournalEntry } from '../../../domain/journalEvent.ts';
import type {
  CommandId,
  OperatorAnswer,
  OperatorCommand,
  OperatorRequest,
} from '../../../domain/operator/command.ts';
import type { CommandContext } from '../../context.ts';
import { journalOf, withJournal } from '../../environment/journal.ts';
import { dormantKernel } from '../../environment/operatorSession.ts';
import { userName } from '../../userName.ts';

type Done = Extract<OperatorAnswer, { kind: 'done' }>;

/** A command for the journal of a run that is not on. */
type JournalCommand = Readonly<{
  state?: string;
  reason: string;
  command: OperatorCommand;
  /** Answer where the journal has it so already: nothing is written then; null where it has not. */
  already?: (accountState: AccountState) => Done | null;
}>;

/**
 * Carries out a command that needs no look at the venue, in the journal alone: the next run begins with it.
 * @throws {LockHeldError} while a run holds the journal
 * @throws {ConfigError} when the command names something that is not there
 */
export function commandInJournal(
  { reason, command, already, ...flags }: JournalCommand,
  context: CommandContext,
): Promise<Done> {
  const { loaded, stateDir } = journalOf(flags, context);
  return withJournal({ loaded, stateDir, context }, (journal) => {
    const kernel = dormantKernel();
    let last: EpochMs = epochMs(0);
    const noted = function* (entries: Iterable<JournalEntry>) {
      for (const entry of entries) {
        last = entry.at;
        yield entry;
      }
    };
    kernel.recover(noted(journal.entries()));
    const known = already?.(kernel.context.accountState) ?? null;
    if (known) return known;
    // The clock of an emulated venue stands still between its runs.
    const now = loaded.config.mode === 'emulator' ? last : epochMs(Math.max(context.clock.now(), last));
    const request: OperatorRequest = {
      id: systemRandom.uuid() as CommandId,
      by: userName(),
      reason,
      command,
    };
    const { facts, answers = [] } = kernel.handle({ kind: 'operator', ...request }, now);
    const done = doneOf(answers.find(({ id }) => id === request.id)?.answer);
    journal.commit(facts);
    return done;
  });
}

function doneOf(answer: OperatorAnswer | undefined): Done {
  if (!answer) throw new InvariantError('a command that reads nothing is answered at once');
  if (answer.kind === 'done') return answer;
  throw answer.because === 'usage' ? new ConfigError(answer.text) : new SafetyError(answer.text);
}
