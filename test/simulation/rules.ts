import { dividendRulesOf } from '../../src/domain/corporateAction.ts';
import { DOCUMENTED_FEES } from '../../src/domain/fees.ts';
import { QUOTE_PHASES } from '../../src/domain/instrument.ts';
import type { TradingRules } from '../../src/domain/limits.ts';
import { limitsOf } from './exposure.ts';
import { STATE_AGE_MS } from './judge.ts';
import { dividendsOf, type Plan } from './plan.ts';

const ON_KILL = ['leave', 'cancel', 'flatten'] as const;

/** Rules of a run, as its config would have them. */
export const rulesOf = (plan: Plan): TradingRules => ({
  limits: limitsOf(plan),
  ...(plan.nights && { trade: { run: new Set(QUOTE_PHASES), strategies: new Map(), stocks: new Map() } }),
  ownLimits: new Map(),
  collarBps: 50,
  deadlineMs: 90_000,
  stateAgeMs: STATE_AGE_MS,
  confirmsBalance: true,
  failureSpacingMs: 30_000,
  readsChain: plan.submission !== 'one-click',
  fees: DOCUMENTED_FEES,
  dividends: {
    ...dividendRulesOf({ dividends: dividendsOf(plan) }),
    ...(plan.tokens && { begins: plan.tokens.begins }),
  },
  onKill: ON_KILL[plan.seed % ON_KILL.length] ?? 'leave',
  ...(plan.assumeGoneAfterMs === null ? {} : { assumeGoneAfterMs: plan.assumeGoneAfterMs }),
});
