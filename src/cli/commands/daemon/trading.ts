import { ConfigError, NotSentError } from '../../../core/errors.ts';
import { oneLine } from '../../../core/printable.ts';
import { BY_HAND } from '../../../domain/operator/command.ts';
import { sameFlags } from '../../../process/quotedCommand.ts';
import { describeScope, resumeCommand } from '../../../domain/operator/tradingState.ts';
import { shortAmounts } from '../../../domain/shortAmounts.ts';
import { scopeOf } from '../../../ops/control/steering.ts';
import { saleTime } from '../../../ops/model/saleTime.ts';
import type { Status } from '../../../ops/model/status.ts';
import type { DaemonClient } from '../../../ops/client.ts';
import type { LockHeldError } from '../../../store/stateFolder.ts';
import { configOf, stateOverride } from '../../../app/config/load.ts';
import type { CommandContext } from '../../../process/context.ts';
import { isTemporaryState } from '../../../app/environment/temporaryState.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { printResult } from '../../../process/output.ts';
import { confirm, type Plan } from '../../../app/transfers/confirm.ts';
import { haltSilentRun, resumeSilentRun, withoutKillFile } from '../journal/halt.ts';
import { hasEnded, heldBySilent, steering } from './beside.ts';
import { exitOf, give, LOOK_MS, type Outcome, type SteerRequest } from './giving.ts';
import {
  confirmEnd,
  haltedText,
  haltOrReduce,
  heldIn,
  heldOrNone,
  heldText,
  unwatchedField,
  unwatchedText,
} from './heldQuestions.ts';
import { clockText, money, shares, spanText } from './screenText.ts';

/** Flags of the commands that control trading. `timeout`: in s. */
export type TradingFlags = Readonly<{
  state?: string;
  strategy?: string;
  symbol?: string;
  reason?: string;
  cancel?: boolean;
  unallocated?: boolean;
  yes?: boolean;
  timeout?: number;
}>;

/** Default wait for a command's cancels and sells, in s. */
const PATIENCE_S = 120;

/** `drover pause`: stops all orders and transfers from now on, across restarts. */
export const pause = (flags: TradingFlags, context: CommandContext): Promise<number> =>
  restrict('halted', flags, context);

/** `drover reduce`: allows only orders that make a position smaller. */
export const reduce = (flags: TradingFlags, context: CommandContext): Promise<number> =>
  restrict('reducing', flags, context);

/** Restricts trading. If a run holds the state folder and does not respond, a halt of everything creates its kill file. */
function restrict(
  state: 'reducing' | 'halted',
  flags: TradingFlags,
  context: CommandContext,
): Promise<number> {
  const { cancel = false, reason = BY_HAND, yes = false } = flags;
  const body = { state, cancel, reason, ...scopeFields(flags) };
  const isHaltOfAll = state === 'halted' && !hasScope(flags);
  const cannotCancel = () => {
    throw nothingCancelled('--cancel', flags);
  };
  return unlessSilent(
    steering(
      { flags, without: cancel ? cannotCancel : { needs: 'journal' } },
      context,
      async ({ client, manual, status }) => {
        const holds = state === 'halted' && manual?.accountState.synthetics.live.size !== 0;
        const held = holds ? await heldOrNone(status, scopeFields(flags)) : [];
        if (manual) return restrictForNext(client, { body, held }, { flags, context });
        const wanted = state === 'halted' ? haltOrReduce(held, { yes, cancel }, context) : state;
        return steer(client, { verb: 'trade', body: { ...body, state: wanted } }, { flags, context });
      },
    ),
    isHaltOfAll ? (held) => haltSilentRun({ reason, ...stateOf(flags) }, context, held) : null,
  );
}

/** Restricts trading of the next run on the state folder. */
async function restrictForNext(
  client: DaemonClient,
  { body, held }: Readonly<{ body: Readonly<{ state: string }>; held: Parameters<typeof haltedText>[0] }>,
  { flags, context }: ShowOptions,
): Promise<number> {
  const { text } = await client.steer('trade', body);
  if (held.length > 0) context.terminal.err(haltedText(held));
  const result = { state: body.state, cancelled: 0, sold: 0, left: [], ...unwatchedField(held) };
  const resume = resumeCommand(scopeOf(scopeFields(flags))) + sameFlags(context, flags.state);
  const lines = [
    `${noRun(flags)}; the next one begins with it: ${text}. \`${resume}\` ends that`,
    ...endedTemporary(flags, context),
  ];
  return printResult(context, { ...result, ...legacyOf(flags, context) }, lines.join('\n'));
}

/** Warning about the temporary state folder of an ended run without `--state`: no run will use it again. */
function endedTemporary(flags: TradingFlags, context: CommandContext): readonly string[] {
  const { state } = configOf(context, stateOverride(flags)).config;
  if (state === undefined || !isTemporaryState(state)) return [];
  return [
    `nothing runs there any more: ${state} belongs to a run without --state, and the next such run removes it`,
  ];
}

/** `drover resume`: lifts every restriction of exactly this scope, once ledger and venue agree. */
export const resume = (
  flags: TradingFlags & Readonly<{ reason: string }>,
  context: CommandContext,
): Promise<number> =>
  unlessSilent(
    steering({ flags, without: { needs: 'venue' } }, context, async ({ client, manual }) => {
      const body = { state: 'active', reason: flags.reason, ...scopeFields(flags) };
      const resumed = () => steer(client, { verb: 'trade', body }, { flags, context });
      return manual
        ? withoutKillFile(flags, { context, manual, isOfAll: !hasScope(flags) }, resumed)
        : resumed();
    }),
    hasScope(flags) ? null : (held) => resumeSilentRun(flags, context, held),
  );

/** Runs `instead`, if given, when a process holds the state folder and does not respond. */
async function unlessSilent(
  work: Promise<number>,
  instead: ((held: LockHeldError) => number) | null,
): Promise<number> {
  try {
    return await work;
  } catch (error) {
    const held = heldBySilent(error);
    if (instead === null || held === null) throw error;
    return instead(held);
  }
}

/** `drover cancel [ORDER...]`: cancels open orders: all, those of a scope, or those named. */
export const cancelOrders = (
  flags: TradingFlags & Readonly<{ orders: readonly string[] }>,
  context: CommandContext,
): Promise<number> => {
  const without = () => {
    throw nothingCancelled('this', flags);
  };
  return steering({ flags, without }, context, async ({ client }) => {
    const { orders, reason = BY_HAND, yes = false } = flags;
    confirmEnd(heldIn(await client.status(), scopeFields(flags), orders), yes, context);
    const body = { reason, ...scopeFields(flags), ...(orders.length > 0 ? { orders } : {}) };
    return steer(client, { verb: 'cancel', body }, { flags, context });
  });
};

const nothingCancelled = (what: string, flags: TradingFlags): NotSentError =>
  new NotSentError(
    `${noRun(flags)}, and ${what} needs one. Nothing was cancelled. \`drover orders cancel ID\` cancels one order by hand, ` +
      '`drover orders` lists them; held orders can only be cancelled through a run',
  );

/**
 * `drover flatten`: halts, cancels, and sells what strategies hold; unallocated shares only with `--unallocated`.
 * @throws {NotSentError} without a run, which would be needed to sell
 */
export const flatten = (flags: TradingFlags, context: CommandContext): Promise<number> => {
  const without = () => {
    throw new NotSentError(
      `${noRun(flags)}, and only a run sells. Nothing was sent, and nothing has changed. Start the run and repeat; ` +
        '`drover pause` before that keeps its strategies from trading',
    );
  };
  return steering({ flags, without }, context, async ({ client }) => {
    const { unallocated = false, reason = BY_HAND, yes = false } = flags;
    if (unallocated && flags.strategy !== undefined)
      throw new ConfigError(
        'unallocated stock belongs to no strategy: give --unallocated without --strategy. Nothing was sent',
      );
    confirm(sales(await client.status(), flags), yes, context);
    const body = { unallocated, reason, ...scopeFields(flags) };
    return steer(client, { verb: 'flatten', body }, { flags, context });
  });
};

/** Maximum number of characters of a freeze's reason in a plan. */
const WHY_MAX = 200;

/** Plan of a flatten: all positions and open orders that it closes. @throws {ConfigError} when there are none */
function sales(status: Status, flags: TradingFlags): Plan {
  const { strategy, symbol } = scopeFields(flags);
  const isMeant = (one: Readonly<{ symbol: string }>) => symbol === undefined || one.symbol === symbol;
  const holders = [
    ...status.strategies.filter(({ id }) => strategy === undefined || id === strategy),
    ...(flags.unallocated && strategy === undefined ? [{ ...status.unallocated, id: 'unallocated' }] : []),
  ];
  const frozen = new Map(status.frozen.map((one) => [one.symbol, one.why]));
  const waitOf = (stock: string) =>
    frozen.has(stock)
      ? `; it waits while ${stock} is frozen: ${oneLine(frozen.get(stock) ?? '', WHY_MAX)}`
      : '';
  const sold = holders.flatMap(({ id, positions }) =>
    positions
      .filter(isMeant)
      .map((one): Plan['facts'][number] => [
        'sell',
        `${shares(one.shares)} ${one.symbol} of ${id}, worth ${money(one.value)} mUSD${waitOf(one.symbol)}`,
      ]),
  );
  const cancelled = status.orders
    .filter((one) => isMeant(one) && (strategy === undefined || one.strategy === strategy))
    .map((one): Plan['facts'][number] => ['cancel', shortAmounts(`${one.text} (${one.id})`)]);
  const when = saleTime(status, clockText).replace(/\.$/, '');
  const ended = heldIn(status, scopeFields(flags)).map((one): Plan['facts'][number] => [
    'end',
    heldText(one),
  ]);
  return {
    what: `Flatten ${describeScope(scopeOf(scopeFields(flags)))} and leave it halted`,
    facts: [
      ...sold,
      ...(sold.length === 0 ? [] : [['when', when] as const]),
      ...ended,
      ...cancelled,
      ['then', `halted until \`${resumeCommand(scopeOf(scopeFields(flags)))}\``],
    ],
  };
}

/** `drover stop`: shuts the run down as a signal would, and waits for its end. Exit 1 if it has not ended in time. */
export const stop = (flags: TradingFlags, context: CommandContext): Promise<number> => {
  const without = () => {
    throw new ConfigError(`${noRun(flags)}, so there is nothing to stop`);
  };
  return steering({ flags, without }, context, async ({ client, stateDir, status }) => {
    const { cancel = false, reason = BY_HAND, timeout = PATIENCE_S } = flags;
    const held = await heldOrNone(status, {});
    const { text } = await client.steer('stop', { cancel, reason });
    if (held.length > 0) context.terminal.err(unwatchedText(held));
    const ended = await awaitEnd(stateDir, timeout * 1_000, context);
    const how = ended ? 'it has ended' : `it has not ended after ${spanText(timeout * 1_000)}`;
    printResult(context, { stopping: true, ended, ...unwatchedField(held) }, `${text}; ${how}`);
    return ended ? EXIT.done : EXIT.failed;
  });
};

/** True if the run ends within a time. One that merely does not respond has not ended. */
async function awaitEnd(stateDir: string, patienceMs: number, context: CommandContext): Promise<boolean> {
  const { clock } = context;
  const began = clock.monotonic();
  while (clock.monotonic() - began < patienceMs) {
    if (await hasEnded(stateDir, context)) return true;
    await clock.sleep(LOOK_MS);
  }
  return false;
}

type ShowOptions = Readonly<{ flags: TradingFlags; context: CommandContext }>;

/** Submits a command to the daemon, waits for its cancels and sells, and prints the result. */
async function steer(
  client: DaemonClient,
  given: SteerRequest,
  { flags, context }: ShowOptions,
): Promise<number> {
  const patienceMs = (flags.timeout ?? PATIENCE_S) * 1_000;
  const outcome = await give(client, { steering: given, patienceMs }, context);
  const { values, cancelled, sold, left } = outcome;
  const result = { state: values['state'] ?? given.body['state'] ?? 'halted', cancelled, sold, left };
  printResult(context, { ...result, ...legacyOf(flags, context, values) }, textOf(outcome, patienceMs));
  return exitOf(outcome);
}

function textOf({ text, sold, left }: Outcome, patienceMs: number): string {
  const done = sold === 0 ? [] : [`${sold} ${sold === 1 ? 'sell has' : 'sells have'} ended`];
  const rest =
    left.length === 0
      ? []
      : [
          `left after ${spanText(patienceMs)}; the run continues with it, and \`drover status\` shows it:`,
          ...left.map((one) => `  ${one}`),
        ];
  return shortAmounts([text, ...done, ...rest].join('\n'));
}

/** Text for a state folder without a run, with its name, which may be misspelt. */
export const noRun = ({ state }: Readonly<{ state?: string }>): string =>
  `no run is active${state === undefined ? '' : ` in ${state}`}`;

/** Legacy fields in the JSON of `halt` and `resume`. */
function legacyOf(
  { reason = BY_HAND }: TradingFlags,
  { commandName }: CommandContext,
  { why = null }: Readonly<Record<string, unknown>> = {},
): object {
  if (commandName === 'halt') return { reason, halted: true };
  return commandName === 'resume' ? { why, reason, resumed: true } : {};
}

const stateOf = ({ state }: TradingFlags) => (state === undefined ? {} : { state });

const hasScope = ({ strategy, symbol }: TradingFlags): boolean =>
  strategy !== undefined || symbol !== undefined;

/** Scope fields as the daemon's endpoints expect them. */
const scopeFields = ({ strategy, symbol }: TradingFlags): { strategy?: string; symbol?: string } => ({
  ...(strategy === undefined ? {} : { strategy }),
  ...(symbol === undefined ? {} : { symbol: symbol.toUpperCase() }),
});
