import { ConfigError, SafetyError } from '../../../core/errors.ts';
import { BY_HAND } from '../../../domain/operator/command.ts';
import { ticker } from '../../../domain/instrument.ts';
import type { DaemonClient } from '../../../ops/client.ts';
import type { CommandContext } from '../../context.ts';
import { EXIT } from '../../exitCodes.ts';
import { printResult } from '../../output.ts';
import { confirm } from '../../transfers/confirm.ts';
import { adoptCommand, releaseSymbol } from '../journal/release.ts';
import {
  ordersAccept,
  ordersResolveCommand,
  type AcceptFlags as AcceptOrderFlags,
} from '../orders/resolve.ts';
import { steering } from './beside.ts';
import type { Steering } from './giving.ts';
import { noRun } from './trading.ts';
import { commandInJournal } from './inJournal.ts';

type Flags = Readonly<{ state?: string; yes?: boolean }>;
export type FreezeFlags = Flags & Readonly<{ symbol: string; reason: string }>;
export type UnfreezeFlags = FreezeFlags & Readonly<{ acceptTerms?: boolean }>;
export type AcceptFlags = Flags & Readonly<{ asset: string; reason: string; for?: string }>;
export type ResolveFlags = Flags & Readonly<{ order: string; reason?: string }>;
export type AckFlags = Flags & Readonly<{ alarm?: string; reason?: string }>;

/** `drover freeze SYMBOL`: no order on a stock until it is unfrozen. */
export const freeze = (flags: FreezeFlags, context: CommandContext): Promise<number> => {
  const { reason } = flags;
  const symbol = flags.symbol.toUpperCase();
  return steering(flags, context, {
    beside: (client) => carryOut(client, { verb: 'freeze', body: { symbol, reason } }, context),
    without: async () => {
      const command = { kind: 'freeze', symbol: ticker(symbol) } as const;
      const { text, result } = await commandInJournal({ ...flags, command }, context);
      printResult(context, result, text);
      return EXIT.done;
    },
  });
};

/**
 * `drover unfreeze SUBJECT`: unfreezes a stock once ledger and venue agree on it. Changed terms of the venue are accepted with
 * `--accept-terms`, and only after a person has seen them.
 */
export const unfreeze = (flags: UnfreezeFlags, context: CommandContext): Promise<number> =>
  steering(flags, context, {
    beside: async (client) => {
      const { symbol: subject, reason, acceptTerms = false, yes = false } = flags;
      const order = (accepted: boolean) => ({
        verb: 'unfreeze',
        body: { subject, reason, acceptTerms: accepted },
      });
      if (!acceptTerms || yes) return carryOut(client, order(acceptTerms), context);
      try {
        return await carryOut(client, order(false), context);
      } catch (error) {
        if (!(error instanceof SafetyError) || !error.message.includes('--accept-terms')) throw error;
        confirm(
          { what: `Accept the new terms of ${subject}`, facts: [['terms', error.message]] },
          yes,
          context,
        );
        return carryOut(client, order(true), context);
      }
    },
    without: () => releaseSymbol(flags, context),
  });

/** `drover accept ASSET`: accepts the venue's balance where the ledger differs. Without `--yes` it is only shown. */
export const accept = (flags: AcceptFlags, context: CommandContext): Promise<number> =>
  steering(flags, context, {
    beside: (client) => {
      const { asset, reason, for: owner, yes = false } = flags;
      const preview = yes ? {} : { preview: true };
      const body = { asset, reason, ...preview, ...(owner === undefined ? {} : { for: owner }) };
      return carryOut(client, { verb: 'accept', body }, context);
    },
    without: () => adoptCommand(flags, context),
  });

/**
 * `drover resolve ID`: closes an order or transfer of unknown fate, on the operator's word. Without `--yes` it is only shown.
 */
export const resolve = (flags: ResolveFlags, context: CommandContext): Promise<number> =>
  steering(flags, context, {
    beside: async (client) => {
      const { order: subject, reason = BY_HAND, yes = false } = flags;
      if (!yes) return showOrder(client, subject, context);
      return carryOut(client, { verb: 'resolve', body: { subject, reason } }, context);
    },
    without: () => ordersResolveCommand(flags, context),
  });

/** `drover orders accept TX...`: accepts external orders as known and intended. */
export const acceptOrders = (flags: AcceptOrderFlags, context: CommandContext): Promise<number> =>
  steering(flags, context, {
    beside: async (client) => {
      const { orders, reason } = flags;
      const texts: string[] = [];
      let left: unknown = [];
      for (const txHash of orders) {
        const { text, result } = await client.steer('accept-order', { txHash, reason });
        texts.push(text);
        left = result['left'];
      }
      const accepted = orders.map((txHash) => ({ txHash: txHash.toLowerCase() }));
      printResult(context, { accepted, reason, left }, texts.join('\n'));
      return EXIT.done;
    },
    without: () => ordersAccept(flags, context),
  });

/**
 * Shows what would be resolved, and changes nothing.
 * @throws {ConfigError} for an id that is of no open order or transfer
 */
async function showOrder(client: DaemonClient, id: string, context: CommandContext): Promise<number> {
  const { orders, todo } = await client.status();
  const order = orders.find((one) => one.id === id);
  const isAdvised = todo.some(({ command }) => command?.split(' ').includes(id));
  if (!order && !isAdvised)
    throw new ConfigError(
      `${id} is not known: no open order and no transfer of the run has that id. Nothing was changed. \`drover status\` lists them`,
    );
  const what = order ? `${id} of ${order.strategy}: ${order.text}, ${order.status}` : id;
  const text = `${what}\nnothing was changed: check the venue's own page, then repeat with --yes`;
  printResult(context, { order: id, strategy: order?.strategy ?? null, resolved: false }, text);
  return EXIT.done;
}

/** `drover ack [ALARM]`: marks an alarm as seen, or all of them. */
export const acknowledge = (flags: AckFlags, context: CommandContext): Promise<number> =>
  steering(flags, context, {
    beside: (client) => {
      const { alarm, reason = BY_HAND } = flags;
      const body = { reason, ...(alarm === undefined ? {} : { alarm }) };
      return carryOut(client, { verb: 'acknowledge', body }, context);
    },
    without: () => {
      printResult(context, { acknowledged: [] }, `${noRun(flags)}, and alarms are those of a run`);
      return EXIT.done;
    },
  });

/** Gives a command to the daemon and prints its answer. */
async function carryOut(
  client: DaemonClient,
  { verb, body }: Steering,
  context: CommandContext,
): Promise<number> {
  const { text, result } = await client.steer(verb, body);
  printResult(context, result, text);
  return EXIT.done;
}
