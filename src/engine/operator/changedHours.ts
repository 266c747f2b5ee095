import { newYorkClock, type Session } from '../../calendar/index.ts';
import type { EpochMs } from '../../core/brand.ts';
import { describeIntent, describeSynthetic } from '../../domain/describe.ts';
import type { EngineContext } from '../state/engineContext.ts';

/**
 * Raises an alarm for orders with a time that a session has lost by a reload of the calendar: they keep it, and would act in a later
 * session, or not at all.
 */
export function warnOfLostTimes(context: EngineContext, before: Session): void {
  const { calendar, accountState, now } = context;
  const after = calendar.sessionOn(before.date);
  const close = after?.close ?? now;
  const lost = (times: readonly (EpochMs | null | undefined)[]) =>
    times.find((at) => at !== null && at !== undefined && at > close && at <= before.close);
  const named = (text: string, at: EpochMs | null | undefined) =>
    at ? [`${text} (${newYorkClock(at)})`] : [];
  const intents = [...accountState.intents.values()].flatMap((intent) =>
    named(describeIntent(intent), lost([intent.notBefore])),
  );
  const held = [...accountState.synthetics.live.values()].flatMap(({ order, exitAt }) => {
    const until = order.terms.kind === 'work' ? order.terms.until : null;
    return named(describeSynthetic(order), lost([order.notBefore, order.expires, exitAt, until]));
  });
  const all = [...intents, ...held];
  if (all.length === 0) return;
  const hours = after ? `closes at ${newYorkClock(after.close)}` : 'is closed';
  context.notify(
    'alarm',
    `the session of ${before.date} ${hours} now, and these orders keep their times after it: ${all.join(', ')}. ` +
      'What must not be held over night is to be sold by hand: `drover flatten`, or `drover orders place`',
    { code: 'TIMERS_MISSED' },
  );
}
