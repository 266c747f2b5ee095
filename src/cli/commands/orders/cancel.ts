import { NotSentError, OutcomeUnknownError, VenueRefusedError } from '../../../core/errors.ts';
import type { OrderRow } from '../../../api/convert.ts';
import { describeSynthetic, describeTerms } from '../../../domain/describe.ts';
import { hasEnded, type OrderId } from '../../../domain/orders/order.ts';
import { shortAmounts } from '../../../domain/shortAmounts.ts';
import { BY_HAND } from '../../../domain/operator/command.ts';
import { ownIdOf } from '../../../ops/control/commandRoutes.ts';
import { externalRowOf, sentRowOf } from '../../../ops/model/sentRow.ts';
import type { CommandContext } from '../../../process/context.ts';
import type { ManualRun } from '../../../app/environment/manualRun.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { confirm } from '../../../app/transfers/confirm.ts';
import {
  DOUBT_MS,
  followCancel,
  LOOK_MS,
  withCarrier,
  type Carrier,
  type SendFlags,
} from '../../../app/transfers/manualSends.ts';
import { checkOrderName, printOrder, unknownOrder } from '../../../app/transfers/orderRow.ts';
import { heldIn, heldText } from '../daemon/heldQuestions.ts';

type CancelFlags = SendFlags & Readonly<{ order: string }>;

/** `drover orders cancel ORDER`: cancels an open limit order by its own id, the venue's id, or the transaction hash. */
export const ordersCancel = (flags: CancelFlags, context: CommandContext): Promise<number> =>
  withCarrier({ kinds: ['cancel'], flags }, context, ({ manual, ...carrier }) =>
    manual ? cancelAlone(flags, { manual, context }) : cancelThrough(flags, { ...carrier, manual }),
  );

async function cancelThrough(flags: CancelFlags, carrier: Carrier): Promise<number> {
  const { client, context } = carrier;
  const { order, yes = false, reason = BY_HAND } = flags;
  const held = heldIn(await client.status(), {}, [order]).map(heldText);
  const facts = [...factsOf(order, held), ['through', 'the running daemon'] as const];
  confirm({ what: 'Cancel', facts }, yes, context);
  const given = await client.steer('cancel', { reason, orders: [order] });
  return followCancel(flags, { ...carrier, given });
}

/** Facts shown before a cancel is sent: the order, held orders that end with it, and that it may still fill. */
const factsOf = (order: string, held: readonly string[]) =>
  [
    ['order', order],
    ...held.map((one) => ['ends', one] as const),
    ['note', 'it may still fill before the cancel is mined'],
  ] as const;

/** Description of the held order that an order is a leg of. */
function parentText({ accountState: { orders, synthetics } }: ManualRun, id: string): string[] {
  const order = orders.get(id as OrderId);
  const parent = order && synthetics.live.get(synthetics.parentOf(order.intentId) ?? '');
  return parent
    ? [shortAmounts(`${describeSynthetic(parent.order)} of ${order.strategyId} (${parent.order.id})`)]
    : [];
}

/** State of an order to be cancelled. `refusal`: reason why it cannot be; `end`: null while it is open. */
type CancelState = Readonly<{
  text: string;
  row: OrderRow;
  refusal: string | null;
  end: 'cancelled' | 'other' | null;
  cancel: 'wanted' | 'sent' | 'answered';
}>;

/** Done once it has ended as cancelled. @throws {NotSentError} when it has ended, is not a limit order, or is being cancelled */
async function cancelAlone(
  { order: name, yes = false, wait = true, reason = BY_HAND }: CancelFlags,
  { manual, context }: Readonly<{ manual: ManualRun; context: CommandContext }>,
): Promise<number> {
  const { accountState, clock, client } = manual;
  const id = ownIdOf(accountState, name);
  const look = () => ownState(manual, id) ?? externalState(manual, id);
  const before = look();
  if (!before) throw unknownOrder(checkOrderName(name));
  const refusal = before.refusal ?? (manual.isDelegated() ? null : ONE_CLICK_OFF);
  if (refusal !== null) throw new NotSentError(`${refusal}. Nothing was sent`);
  confirm({ what: `Cancel: ${before.text}`, facts: factsOf(id, parentText(manual, id)) }, yes, context);
  const { text } = await client.steer('cancel', { reason, orders: [id] });
  context.terminal.err(`${text} …`);
  const signal = context.stopSignal();
  for (const began = clock.monotonic(); ;) {
    const { row, end, cancel } = look() ?? before;
    if (end !== null || signal.aborted || (!wait && cancel === 'answered')) {
      printOrder(row, context);
      if (end !== null) return end === 'cancelled' ? EXIT.done : EXIT.failed;
      return signal.aborted ? EXIT.interrupted : EXIT.done;
    }
    requireTaken(manual, id);
    if (clock.monotonic() - began > DOUBT_MS) throw unended(id);
    await clock.sleep(LOOK_MS, signal).catch(() => undefined);
  }
}

const ONE_CLICK_OFF =
  'One Click is off: `drover oneclick enable` turns it on, for which signing.allow must name delegation';

const UNDER_WAY = 'it is already being cancelled';

/** State of an order in the journal; null for any other. Its end counts once the venue reports it, as the account may not be read. */
function ownState({ accountState }: ManualRun, id: string): CancelState | null {
  const order = accountState.orders.get(id as OrderId);
  if (!order) return null;
  const { state, cancel, terms, claim } = order;
  const claimed = claim?.end.kind === 'reported' ? claim.end.report.status : null;
  const how = state.kind === 'closed' ? state.how : claimed;
  const row = {
    ...sentRowOf({ order }),
    ...(claim && how === 'cancelled' && { status: 'Canceled', state: 'closed' }),
  } as OrderRow;
  const isOver = hasEnded(order) || claim !== undefined;
  const refusal = isOver
    ? `the order has ended: ${state.kind}`
    : terms.type === 'market'
      ? 'only limit orders can be cancelled'
      : cancel.kind === 'sent' || cancel.kind === 'accepted'
        ? UNDER_WAY
        : null;
  return {
    text: describeTerms(terms),
    row,
    refusal,
    end: isOver ? (how === 'cancelled' ? 'cancelled' : 'other') : null,
    cancel: cancel.kind === 'wanted' || cancel.kind === 'sent' ? cancel.kind : 'answered',
  };
}

/** State of an order that the journal knows only from the venue's list; null if it is not there either. */
function externalState({ accountState: { externals } }: ManualRun, id: string): CancelState | null {
  const report = externals.open.get(id) ?? externals.all.get(id)?.report;
  if (!report) return null;
  const { status, rawStatus, terms } = report;
  const cancel = externals.cancels.get(id);
  const isOpen = externals.open.has(id);
  const refusal = !isOpen
    ? `the order has ended: ${rawStatus}`
    : terms?.type === 'market'
      ? 'only limit orders can be cancelled'
      : status === 'canceling'
        ? UNDER_WAY
        : null;
  return {
    text: [terms?.side, terms?.symbol, 'of another origin'].filter((word) => word).join(' '),
    row: externalRowOf(report) as OrderRow,
    refusal,
    end: isOpen ? null : status === 'cancelled' ? 'cancelled' : 'other',
    cancel: cancel?.kind === 'wanted' || cancel?.kind === 'sent' ? cancel.kind : 'answered',
  };
}

/** @throws {VenueRefusedError} if the venue refused the cancel of an external order, {NotSentError} if it was not sent */
function requireTaken({ accountState: { externals } }: ManualRun, id: string): void {
  const cancel = externals.cancels.get(id);
  if (cancel?.kind === 'refused')
    throw new VenueRefusedError(`the cancel was not accepted: ${cancel.reason}`);
  if (cancel?.kind === 'stopped') throw new NotSentError(`the cancel was not sent: ${cancel.reason}`);
}

const unended = (id: string): OutcomeUnknownError =>
  new OutcomeUnknownError(
    `order ${id} has not ended: the cancel may or may not have reached the venue. \`drover orders show\` shows it; the next run goes on`,
    { id },
  );
