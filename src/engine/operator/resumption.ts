import type { OperatorRequest, CommandOf } from '../../domain/operator/command.ts';
import { describeScope, isRun, isSame } from '../../domain/operator/tradingState.ts';
import type { AccountState } from '../../domain/account/accountState.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { type Decision, type Evidence, Refused, refuseDifferences } from './decision.ts';
import { isHaltOfFlatten } from './flatten.ts';
import type { CommandId, Restriction, Scope } from '../../domain/operator/restriction.ts';
import type { EpochMs } from '../../core/brand.ts';
import { describeExternal, type External } from '../../domain/orders/reportMatching.ts';

type Trade = CommandOf<'trade'>;
type ResumeCommand = Readonly<{ id: CommandId; command: Trade }>;

/** Refuses to resume an unrestricted scope, or while a kill file exists that would halt trading again. @throws {Refused} */
export function refuseResumption(
  accountState: AccountState,
  { scope }: Trade,
  killFiles: readonly string[],
): void {
  if (killFiles.length > 0)
    throw new Refused(
      'safety',
      `trading stays halted: ${killFiles.map((file) => `the kill file ${file}`).join(' and ')} ` +
        `${killFiles.length === 1 ? 'is' : 'are'} there. To go on: rm ${killFiles.join(' ')}, and resume then`,
    );
  if (restrictionsOf(accountState, scope).length > 0) return;
  const others = accountState.trading.all.map(describeRestriction);
  const what = isRun(scope) ? 'trading' : `trading of ${describeScope(scope)}`;
  throw new Refused(
    'usage',
    `${what} is not halted${others.length === 0 ? '' : `. Resume by its own scope what is: ${others.join('; ')}`}`,
  );
}

/**
 * Refuses to lift a restriction set after the command to resume: whoever set it meant it to last.
 * @throws {Refused}
 */
export function refuseOvertaken({ trading, commands }: AccountState, { id, command }: ResumeCommand): void {
  const [later] = trading.setSince(commands.of(id)?.restrictions ?? Infinity, command.scope);
  if (!later) return;
  throw new Refused(
    'safety',
    `trading stays ${later.state}: it was restricted after this command, by ${later.by}: ${later.reason}. Nothing was lifted`,
  );
}

/**
 * Lifts the restrictions of exactly one scope. Freezes and other scopes stay and are named in the answer. `isStarting`:
 * no run has confirmed the journal at its start.
 * @throws {Refused} while ledger and venue differ, or a restored journal has not been confirmed
 */
export function resume(
  { accountState, isStarting }: Pick<EngineContext, 'accountState' | 'isStarting'>,
  { request: { by, reason }, command: { scope } }: Readonly<{ request: OperatorRequest; command: Trade }>,
  { mismatches }: Evidence,
): Decision {
  refuseDifferences(mismatches);
  const lifted = restrictionsOf(accountState, scope);
  const restored = lifted.find(({ cause }) => cause === 'restored');
  if (restored) refuseRestored(accountState, { isStarting, since: restored.since });
  const why = lifted[0]?.reason ?? '';
  const before = lifted[0]?.state ?? 'halted';
  const state = accountState.trading.over(scope, lifted)?.state ?? 'active';
  const still = [
    ...accountState.trading.all.filter((one) => !lifted.includes(one)).map(describeRestriction),
    ...[...accountState.frozen].filter(([symbol]) => (scope.symbol ?? symbol) === symbol).map(describeFreeze),
  ];
  const scoped = isRun(scope) ? '' : ` in ${describeScope(scope)}`;
  return {
    text: [
      `trading may go on${scoped}; it was ${before}: ${why}`,
      ...(lifted.some((one) => isHaltOfFlatten(accountState, one)) ? [FLATTEN_ENDS] : []),
      ...lifted.filter(({ cause }) => cause === 'drawdown').map(() => PEAK_ANEW),
      ...still.map((text) => `still ${text}`),
    ].join('\n'),
    result: { state, cancelled: 0, sold: 0, left: [], why, reason, resumed: true, still },
    events: lifted.map(({ cause }) => ({ kind: 'restrictionLifted', cause, scope, by, reason })),
  };
}

const FLATTEN_ENDS = 'the flatten ends with it: what has not been sold stays held';
const PEAK_ANEW = 'the drawdown counts from a new peak: what is there now';

/** Restrictions of exactly this scope, oldest first. */
const restrictionsOf = ({ trading }: AccountState, scope: Scope): readonly Restriction[] =>
  trading.all.filter((one) => isSame(one.scope, scope));

const describeRestriction = ({ scope, state, by, reason }: Restriction): string =>
  `${state}: ${describeScope(scope)}, by ${by}: ${reason}`;

const describeFreeze = ([symbol, why]: readonly [string, string]): string => `frozen: ${symbol}, ${why}`;

/** Longest time in ms by which the venue's clock may lag behind the journal's. */
const CLOCKS_APART_MS = 60_000;

/** Time of a backup's last entry, and whether a run on it has yet to confirm its start. */
type RestoredState = Readonly<{ isStarting: boolean; since: EpochMs }>;

/**
 * Refuses to lift the halt of a restored journal until a start has read the venue's orders back to the time of the
 * backup and each unknown one was accepted, and while an order waiting in the journal may be one of these: sent after
 * the backup, it would be sent again.
 * @throws {Refused}
 */
function refuseRestored(accountState: AccountState, { isStarting, since }: RestoredState): void {
  const { externals } = accountState;
  const unaccepted = [...externals.unaccepted.values()];
  if (unaccepted.length > 0)
    throw refused(
      `orders at the venue are not in it:${lines(unaccepted.map((one) => `order ${describeExternal(one)}`))}\n` +
        'Accept each that is yours: `drover orders accept TX --reason TEXT`',
    );
  if (isStarting)
    throw refused(
      'no run has read the orders since that backup. Start `drover run` (with --live in mode live), and resume beside it once it says that ledger and account agree',
    );
  const repeats = repeatsOf(accountState, since);
  if (repeats.length > 0)
    throw refused(
      `what waits in it may have been sent after the backup, and would be sent again:${lines(repeats)}\n` +
        'Cancel each, and place again what you still want',
    );
}

/** Waiting intents and synthetic orders on stocks for which the venue has an order sent after the backup, one per line. */
function repeatsOf({ externals, intents, synthetics }: AccountState, since: EpochMs): string[] {
  const sent = [...externals.all.values()].filter(
    ({ report }) => report === null || report.createdAt >= since - CLOCKS_APART_MS,
  );
  const waiting = [...intents.values(), ...[...synthetics.live.values()].map(({ order }) => order)];
  return waiting.flatMap(({ id, symbol }) => {
    const order = sent.find((one) => isOn(one, symbol));
    return order ? [`${id} on ${symbol}, as order ${describeExternal(order)}: \`drover cancel ${id}\``] : [];
  });
}

/** True for an order on this stock, or on an unknown one. */
const isOn = ({ report }: External, symbol: string): boolean => (report?.terms?.symbol ?? symbol) === symbol;

const lines = (texts: readonly string[]): string => texts.map((text) => `\n  ${text}`).join('');

const refused = (why: string): Refused =>
  new Refused('safety', `nothing was lifted: this journal was restored from a backup, and ${why}`);
