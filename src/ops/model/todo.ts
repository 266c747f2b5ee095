import { ownerName } from '../../domain/account/ledger.ts';
import { describeTerms, describeTransfer } from '../../domain/describe.ts';
import { plainOr, releaseName, subjectName } from '../../domain/account/pins.ts';
import { describeScope, resumeCommand } from '../../domain/operator/tradingState.ts';
import { isInDoubt, type Order } from '../../domain/orders/order.ts';
import type { Transfer } from '../../domain/transfers/transfer.ts';
import type { EngineContext } from '../../engine/state/engineContext.ts';
import type { AlarmView, Todo } from './status.ts';
import type { Restriction, RestrictionCause, Scope } from '../../domain/operator/restriction.ts';

/** A persisting difference between ledger and venue. `asset`: as named in commands. */
export type StandingDifference = Readonly<{ asset: string; text: string }>;

export type TodoSource = Readonly<{
  context: EngineContext;
  /** False without a daemon: a send in progress according to the journal may then have reached the venue. */
  isRunning: boolean;
  differences: readonly StandingDifference[];
  alarms: readonly AlarmView[];
  /** Flags with which a command finds the daemon, each preceded by a space. */
  flags: string;
}>;

/** Everything that needs a person: a plain sentence each, with the command that helps, if any. */
export function todoOf(source: TodoSource): Todo[] {
  const { context, differences, flags, alarms } = source;
  const because = (command: string): string => `${command} --reason TEXT${flags}`;
  const waiting = alarms.filter(({ acknowledged }) => !acknowledged).length;
  return [
    ...unknownOrders(source).map((order) => unknownOrder(order, because)),
    ...unknownTransfers(source).map((transfer) => unknownTransfer(transfer, because)),
    ...externalOrders(context, because),
    ...differences.map(({ asset, text }) => ({
      text: `ledger and venue differ in ${text}`,
      command: because(`drover accept ${plainOr(asset, 'ASSET')}`),
      action: { verb: 'accept', body: { asset } },
    })),
    ...frozenSymbols(context, because),
    ...changedTerms(context, because),
    ...context.accountState.trading.all.map((restriction) =>
      restricted(restriction, (scope) => resumeCommand(scope) + flags),
    ),
    ...stoppedParts(context),
    ...context.problems.all.map(({ text }) => ({ text, command: null, action: null })),
    ...(waiting === 0
      ? []
      : [
          {
            text: `${waiting} ${waiting === 1 ? 'alarm is' : 'alarms are'} not acknowledged`,
            command: `drover ack${flags}`,
            action: { verb: 'acknowledge', body: {} },
          },
        ]),
  ];
}

type Because = (command: string) => string;

/** Orders with an unknown state at the venue: without a response, or with a claimed end that is not confirmed yet. */
export const unknownOrders = ({ context, isRunning }: Pick<TodoSource, 'context' | 'isRunning'>): Order[] =>
  [...context.accountState.live.values()].filter((order) =>
    order.state.kind === 'sent' && !order.claim ? !isRunning : isInDoubt(order),
  );

/** Transfers that may or may not have been carried out. */
export const unknownTransfers = ({
  context,
  isRunning,
}: Pick<TodoSource, 'context' | 'isRunning'>): Transfer[] =>
  [...context.accountState.transfers.live.values()].filter(
    ({ state: { kind } }) => kind === 'unknown' || (kind === 'sent' && !isRunning),
  );

function unknownOrder({ id, terms, strategyId, claim }: Order, because: Because): Todo {
  const { side, symbol } = terms;
  const meanwhile = `the run looks for it, and sends no other ${side} of ${symbol} meanwhile`;
  const order = `order ${id} of ${ownerName(strategyId)} (${describeTerms(terms)})`;
  const text = claim
    ? `${order} is said to have ended, and the account does not show it: ${meanwhile}. If it has ended`
    : `${order} has no answer: ${meanwhile}. If the venue never got it`;
  return { text, command: because(`drover resolve ${id}`), action: resolution(id) };
}

const resolution = (id: string): Todo['action'] => ({ verb: 'resolve', body: { subject: id } });

const unknownTransfer = (transfer: Transfer, because: Because): Todo => ({
  text: `transfer ${transfer.id} (${describeTransfer(transfer)}) has no answer: the run looks for it. If it was never carried out`,
  command: because(`drover resolve ${transfer.id}`),
  action: resolution(transfer.id),
});

const externalOrders = ({ accountState }: EngineContext, because: Because): Todo[] =>
  [...accountState.externals.unaccepted.keys()].map((txHash) => ({
    text: `order ${txHash} is at the venue and not in the journal: nothing is sent until it is accepted`,
    command: because(`drover orders accept ${plainOr(txHash, 'TX')}`),
    action: { verb: 'accept-order', body: { txHash } },
  }));

const frozenSymbols = ({ accountState }: EngineContext, because: Because): Todo[] =>
  [...accountState.frozen].map(([symbol, why]) => ({
    text: `${symbol} is frozen, no order on it is sent: ${why}`,
    command: because(`drover unfreeze ${plainOr(symbol, 'SYMBOL')}`),
    action: { verb: 'unfreeze', body: { subject: symbol } },
  }));

const changedTerms = ({ accountState }: EngineContext, because: Because): Todo[] =>
  accountState.pins.departedSubjects.map((subject) => ({
    text: `the venue states other terms of ${subject} than were accepted`,
    command: because(`drover unfreeze ${releaseName(subject)} --accept-terms`),
    action: { verb: 'unfreeze', body: { subject: subjectName(subject), acceptTerms: true } },
  }));

function restricted(
  { state, cause, scope, by, reason }: Restriction,
  commandOf: (scope: Scope) => string,
): Todo {
  const text = `trading of ${describeScope(scope)} is ${state} by ${by}: ${reason}`;
  const first = FIRST[cause];
  const all = first === undefined ? text : `${text}. ${first}`;
  return { text: all, command: commandOf(scope), action: resumption(scope) };
}

/** Action to take before resuming, by the cause of the halt. */
const FIRST: Readonly<Partial<Record<RestrictionCause, string>>> = {
  restored: 'Compare first (`drover reconcile`), accept what happened since, and resume beside the run',
  fees: 'Raise limits.feeBps first if the fees are right',
  'kill file': 'First remove the file, if it is still there',
};

const resumption = ({ strategyId, symbol }: Scope): Todo['action'] => ({
  verb: 'trade',
  body: {
    state: 'active',
    ...(strategyId === undefined ? {} : { strategy: strategyId }),
    ...(symbol === undefined ? {} : { symbol }),
  },
});

/** Stopped strategies and parts of the run: they continue at the next start, once the cause is gone. */
function stoppedParts({ accountState, reads, holds }: EngineContext): Todo[] {
  const texts = [...accountState.stopped].map(
    ([id, error]) =>
      `strategy ${id} was stopped by its own error, and starts again with the next run: ${error}`,
  );
  const { stopped } = accountState.transfers;
  if (stopped !== null) texts.push(`the treasury has stopped, no transfer is sent: ${stopped}`);
  if (!reads.delegated) texts.push('One Click is off at the venue: nothing can be sent until it is on again');
  if (holds.everything !== null) texts.push(`nothing is sent for now: ${holds.everything}`);
  return texts.map((text) => ({ text, command: null, action: null }));
}
