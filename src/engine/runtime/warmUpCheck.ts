import { newYorkClock, newYorkDate } from '../../calendar/index.ts';
import { ConfigError } from '../../core/errors.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Notify } from '../state/notice.ts';
import { completeAt, gapsNow, gapText, type WarmUpGap } from '../strategy/warmUp.ts';
import type { RunnerOptions } from './runOptions.ts';

/**
 * Strategies that wait until their warm-up bars are complete; each is reported. After an earlier run, even a strategy that
 * requires its warm-up waits: a run that refused to start would watch nothing, and would stop the other strategies too.
 * @throws {ConfigError} naming the series of a strategy that requires its warm-up, at the first start of a state folder
 */
export function awaitedAtStart(
  { context, lastRun }: Pick<Kernel, 'context' | 'lastRun'>,
  { strategies, calendar }: Pick<RunnerOptions, 'strategies' | 'calendar'>,
  notify: Notify,
): string[] {
  const { market, now } = context;
  const awaited: string[] = [];
  for (const setup of strategies) {
    const { id, warmUp: policy = 'allow' } = setup;
    const gaps = gapsNow(market, setup);
    if (gaps.length === 0) continue;
    const when = whenText(completeAt(setup, gaps, { now, calendar }));
    if (policy === 'require' && lastRun.seenUntil === null) throw incomplete(id, gaps, when);
    if (policy !== 'allow') awaited.push(id);
    notify('strategy', policy === 'allow' ? allowedText(gaps) : waitText(gaps, when), { strategyId: id });
  }
  return awaited;
}

const listed = (gaps: readonly WarmUpGap[]): string => gaps.map(gapText).join(', ');

const whenText = (at: ReturnType<typeof completeAt>): string =>
  at === null
    ? 'not within five years'
    : `at ${newYorkClock(at)} in New York on ${newYorkDate(at)} if no bar is left out`;

const allowedText = (gaps: readonly WarmUpGap[]): string =>
  `starts with an incomplete warm-up (warmUp: allow): ${listed(gaps)}`;

const waitText = (gaps: readonly WarmUpGap[], when: string): string =>
  `waits for its warm-up: ${listed(gaps)}; complete ${when}. Until then it receives only bars, and its orders are ignored`;

const incomplete = (id: string, gaps: readonly WarmUpGap[], when: string): ConfigError =>
  new ConfigError(
    `${id} needs more warm-up than there is: ${listed(gaps)} at the venue; complete ${when}. No order was sent. ` +
      'Start later, let its data() ask for fewer bars, or set warmUp in its entry of the config: wait, or allow',
    { strategy: id },
  );
