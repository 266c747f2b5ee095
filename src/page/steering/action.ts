import type { Status, Todo } from '../../ops/model/status.ts';

/** A command of the API without id and reason: `POST /v1/<verb>`. */
export type Action = NonNullable<Todo['action']>;

/** Strategy and symbol that a command is limited to; everything if neither is named. */
export type Scope = Readonly<{ strategy?: string; symbol?: string }>;

export const trade = (state: Status['state']['trading'], scope: Scope = {}, cancel = false): Action => ({
  verb: 'trade',
  body: { state, ...scope, ...(cancel ? { cancel } : {}) },
});
export const cancelOrders = (orders: readonly string[]): Action => ({ verb: 'cancel', body: { orders } });
export const CANCEL_ALL: Action = { verb: 'cancel', body: {} };
export const flatten = (scope: Scope = {}): Action => ({ verb: 'flatten', body: scope });
export const acknowledge = (alarm: string): Action => ({ verb: 'acknowledge', body: { alarm } });

/** Verb on the button of an action. */
export function buttonOf({ verb, body }: Action): string {
  if (verb === 'trade' && body['cancel'] === true) return 'Pause and cancel';
  if (verb === 'trade')
    return { active: 'Resume', reducing: 'Reduce', halted: 'Pause' }[String(body['state'])] ?? 'Set';
  if (verb === 'accept-order') return 'Accept order';
  if (verb === 'unfreeze' && body['acceptTerms'] === true) return 'Accept terms';
  return verb.charAt(0).toUpperCase() + verb.slice(1);
}

/** Title of an action with its scope: `Pause strategy trend`. */
export function titleOf(action: Action): string {
  const { verb, body } = action;
  const button = buttonOf(action);
  if (verb === 'cancel' && Array.isArray(body['orders']))
    return `${button} order ${body['orders'].join(', ')}`;
  const named = body['subject'] ?? body['asset'] ?? body['txHash'] ?? body['alarm'];
  if (named !== undefined) return `${button} ${typeof named === 'string' ? named : ''}`;
  if (verb === 'cancel' && scopeText(scopeOf(action)) === 'everything') return `${button} all orders`;
  if (verb === 'acknowledge') return `${button} all alarms`;
  return `${button} ${scopeText(scopeOf(action))}`;
}

/** Scope in words. */
export function scopeText({ strategy, symbol }: Scope): string {
  if (strategy === undefined) return symbol ?? 'everything';
  return symbol === undefined ? `strategy ${strategy}` : `${symbol} of strategy ${strategy}`;
}

/** Scope of an action. */
export const scopeOf = ({ body }: Action): Scope => ({
  ...(typeof body['strategy'] === 'string' ? { strategy: body['strategy'] } : {}),
  ...(typeof body['symbol'] === 'string' ? { symbol: body['symbol'] } : {}),
});

/** True if the command line requires a reason as well. */
export const needsReason = ({ verb, body }: Action): boolean =>
  ['accept', 'accept-order', 'resolve', 'unfreeze'].includes(verb) || body['state'] === 'active';
