import { ConfigError, SafetyError } from '../../../core/errors.ts';
import { BY_HAND } from '../../../domain/operator/command.ts';
import type { OrderId } from '../../../domain/orders/order.ts';
import type { TransferId } from '../../../domain/transfers/transfer.ts';
import type { DaemonClient } from '../../../ops/client.ts';
import type { CommandContext } from '../../../process/context.ts';
import { printResult } from '../../../process/output.ts';
import { confirm } from '../../../app/transfers/confirm.ts';
import { steering, type Session } from './beside.ts';
import type { SteerRequest } from './giving.ts';
import { noRun } from './trading.ts';

type Flags = Readonly<{ state?: string; yes?: boolean }>;
export type UnfreezeFlags = Flags & Readonly<{ symbol: string; reason: string; acceptTerms?: boolean }>;
export type AcceptFlags = Flags & Readonly<{ asset: string; reason: string; for?: string }>;
export type AcceptOrderFlags = Readonly<{ orders: readonly string[]; reason: string; state?: string }>;
export type ResolveFlags = Flags & Readonly<{ order: string; reason?: string }>;
export type AckFlags = Flags & Readonly<{ alarm?: string; reason?: string }>;

/** Handler of a command that submits `verb` with its arguments and options as fields; without a run, to the journal. */
export const decision =
  (verb: string) =>
  (flags: Flags, context: CommandContext): Promise<number> => {
    const { state: _state, yes: _yes, ...body } = flags;
    return steering({ flags, without: { needs: 'journal' } }, context, ({ client }) =>
      carryOut(client, { verb, body }, context),
    );
  };

/**
 * `drover unfreeze SUBJECT`: unfreezes a stock once ledger and venue agree on it. Changed terms of the venue are accepted only
 * with `--accept-terms`, after a person has seen them.
 */
export const unfreeze = (flags: UnfreezeFlags, context: CommandContext): Promise<number> =>
  steering({ flags, without: { needs: 'venue' } }, context, async ({ client }) => {
    const { symbol: subject, reason, acceptTerms = false, yes = false } = flags;
    const order = (accepted: boolean) => ({
      verb: 'unfreeze',
      body: { subject, reason, acceptTerms: accepted },
    });
    try {
      return await carryOut(client, order(false), context);
    } catch (error) {
      if (!acceptTerms || !(error instanceof SafetyError) || !error.message.includes('--accept-terms'))
        throw error;
      const facts = [['terms', error.message]] as const;
      confirm({ what: `Accept the new terms of ${subject}`, facts }, yes, context);
      return carryOut(client, order(true), context);
    }
  });

/** `drover accept ASSET`: accepts the venue's balance where the ledger differs. Without `--yes` it only shows it. */
export const accept = (flags: AcceptFlags, context: CommandContext): Promise<number> => {
  const { asset, reason, for: owner, yes = false } = flags;
  return steering({ flags, without: { needs: 'venue', keeps: yes } }, context, ({ client }) => {
    const preview = yes ? {} : { preview: true };
    const body = { asset, reason, ...preview, ...(owner === undefined ? {} : { for: owner }) };
    return carryOut(client, { verb: 'accept', body }, context);
  });
};

/**
 * `drover resolve ID`: closes an order or transfer with an unknown outcome on the operator's word. Without `--yes` it only shows
 * it.
 * @throws {SafetyError} when there is nothing to resolve, or the venue shows otherwise
 */
export const resolve = (flags: ResolveFlags, context: CommandContext): Promise<number> => {
  const { order: subject, reason = BY_HAND, yes = false } = flags;
  return steering({ flags, without: { needs: 'venue', keeps: yes } }, context, async (session) => {
    const { client, manual } = session;
    if (!manual && !yes) return showOrder(client, subject, context);
    const { text, result } = await client.steer('resolve', { subject, reason });
    const terms = manual && { terms: termsIn(manual, subject) };
    return printResult(context, { ...result, ...terms, resolved: yes }, yes ? text : previewOf(text));
  });
};

type Manual = NonNullable<Session['manual']>;

const termsIn = ({ accountState: { orders, transfers } }: Manual, id: string) =>
  (orders.get(id as OrderId) ?? transfers.of(id as TransferId)).terms;

/** The text without the decision: what can be closed, and how. */
const previewOf = (text: string): string =>
  text.replace(
    /^closed (.*); its money is free again$/m,
    "deadline, lists and balances allow closing it $1. Check the venue's own page too, then repeat with --yes",
  );

/**
 * `drover orders accept TX...`: accepts external orders as known and intended, each by its hash. Amounts locked by an open one count
 * towards the exposure; its fills are a separate difference (`drover accept`).
 */
export const acceptOrders = (flags: AcceptOrderFlags, context: CommandContext): Promise<number> =>
  steering({ flags, without: { needs: 'venue' } }, context, async ({ client, manual }) => {
    const { orders, reason } = flags;
    const texts: string[] = [];
    let left: unknown = [];
    for (const txHash of orders) {
      const { text, result } = await client.steer('accept-order', { txHash, reason });
      texts.push(text);
      left = result['left'];
    }
    const accepted = orders.map((txHash) => acceptedRow(manual, txHash.toLowerCase()));
    return printResult(context, { accepted, reason, left }, texts.join('\n'));
  });

/** The order as known without a daemon; with one, only its hash. */
const acceptedRow = (manual: Manual | null, txHash: string): object =>
  [...(manual?.accountState.externals.all.values() ?? [])].find(
    (external) => external.txHash.toLowerCase() === txHash,
  ) ?? { txHash };

/** Shows what would be resolved, without changing anything. @throws {ConfigError} for an id of no open order or transfer */
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
  return printResult(context, { order: id, strategy: order?.strategy ?? null, resolved: false }, text);
}

/** `drover ack [ALARM]`: marks one alarm, or all alarms, as seen. */
export const acknowledge = (flags: AckFlags, context: CommandContext): Promise<number> => {
  const without = () =>
    printResult(context, { acknowledged: [] }, `${noRun(flags)}, and alarms are those of a run`);
  return steering({ flags, without }, context, ({ client }) => {
    const { alarm, reason = BY_HAND } = flags;
    const body = { reason, ...(alarm === undefined ? {} : { alarm }) };
    return carryOut(client, { verb: 'acknowledge', body }, context);
  });
};

/** Submits a command to a run and prints its response. */
async function carryOut(
  client: DaemonClient,
  { verb, body }: SteerRequest,
  context: CommandContext,
): Promise<number> {
  const { text, result } = await client.steer(verb, body);
  return printResult(context, result, text);
}
