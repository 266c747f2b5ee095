import type { LookaheadCheck } from '../../../backtest/lookahead.ts';
import { turnOver } from '../../../core/clock.ts';
import type { BacktestFlags } from '../../backtest/flags.ts';
import { givenStrategies } from '../../backtest/strategies.ts';
import type { CommandContext } from '../../context.ts';
import { EXIT } from '../../exitCodes.ts';
import { toJson } from '../../output.ts';

export type LookaheadFlags = BacktestFlags & Readonly<{ histories?: number }>;

const HISTORIES = 50;

/**
 * `drover lookahead-check`: whether a strategy decides the same when it cannot know what comes. Exit 1 when it does not, or nothing
 * was checked.
 */
export async function lookaheadCheckCommand(flags: LookaheadFlags, context: CommandContext): Promise<number> {
  const { terminal, json } = context;
  const [given, { dataOf, optionsOf }, { checkLookahead }] = await Promise.all([
    givenStrategies(flags, context),
    import('../../backtest/flags.ts'),
    import('../../../backtest/lookahead.ts'),
  ]);
  const options = { ...given, ...optionsOf(flags) };
  const data = await dataOf(flags, options, context);
  const check = await checkLookahead({ ...options, ...data }, flags.histories ?? HISTORIES);
  await turnOver();
  terminal.out(json ? toJson(check) : textOf(check));
  return check.found || check.histories === 0 ? EXIT.failed : EXIT.done;
}

function textOf({ decisions, histories, found }: LookaheadCheck): string {
  if (!found && histories === 0)
    return 'nothing was checked: no shorter history ends between the first bar and the last one that are played';
  if (!found) return `no look-ahead: ${decisions} decisions are the same in ${histories} shorter histories`;
  const { strategy, at, withFuture, withoutFuture } = found;
  return [
    `${strategy} knows what comes: its first decision that differs is of ${at}`,
    `  with later bars      ${withFuture ?? 'nothing'}`,
    `  at the end of them   ${withoutFuture ?? 'nothing'}`,
    'What a strategy keeps outside its hooks, or draws by chance, is what to look for.',
  ].join('\n');
}
