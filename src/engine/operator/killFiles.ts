import type { OperatorCommand, OperatorRequest } from '../../domain/operator/command.ts';
import { restrictionName } from '../../domain/operator/tradingState.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { KILL_FILE } from './flatten.ts';
import type { CommandId } from '../../domain/operator/restriction.ts';

/** Maximum length of a file's name in the id of a command. */
const NAME_MAX = 30;

/** Kill files: each new one halts the run. Removing it resumes nothing: an operator has to. */
export class KillFiles {
  readonly #context: EngineContext;
  /** Names of the existing kill files. */
  there: readonly string[] = [];

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** Applies the current kill files. Returns the command that `limits.onKill` requests for a new one, if any. */
  take(there: readonly string[]): OperatorRequest | null {
    const before = this.there;
    this.there = there;
    const appeared = there.filter((name) => !before.includes(name));
    if (appeared.length > 0) return this.#appeared(appeared);
    if (there.length === 0 && before.length > 0)
      this.#context.notify(
        'account',
        `${named(before)} is gone: trading stays halted until \`drover resume --reason TEXT\``,
      );
    return null;
  }

  /** Halts the run. If an earlier run has already halted for it, nothing changes. */
  #appeared(names: readonly string[]): OperatorRequest | null {
    const { accountState, isStarting, rules, now } = this.#context;
    const reason = `${named(names)} is there`;
    const scope = {};
    const known = accountState.trading.of({ cause: KILL_FILE, scope });
    const until = 'until it is removed and `drover resume --reason TEXT` is given';
    const text = `${named(names)} exists: no order is placed ${until}; cancels are still sent`;
    this.#context.alarm(restrictionName({ cause: KILL_FILE, scope }), text, { code: 'KILL_FILE' });
    if (isStarting && known) return null;
    this.#context.record({
      kind: 'restricted',
      state: 'halted',
      cause: KILL_FILE,
      scope,
      by: KILL_FILE,
      reason,
    });
    const { onKill = 'leave' } = rules;
    if (onKill === 'leave') return null;
    const command: OperatorCommand = { kind: onKill, scope };
    return { id: idOf(names, now), by: KILL_FILE, reason, command };
  }
}

const named = (names: readonly string[]): string =>
  names.map((name) => `the kill file ${name}`).join(' and ');

/** Id of a kill file's command, from its name and the time at which it was seen. */
function idOf(names: readonly string[], at: number): CommandId {
  const name = (names[0] ?? '').replace(/[^A-Za-z0-9]+/g, '-').slice(-NAME_MAX);
  return `kill-${at}${name.startsWith('-') ? '' : '-'}${name}` as CommandId;
}
