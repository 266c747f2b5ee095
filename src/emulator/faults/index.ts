export { isProcessed, spoil, type Around } from './answers.ts';
export { faultPlan, planView, setPlan, type FaultPlan } from './plan.ts';
export { limited, type RateLimit } from './rateLimit.ts';
export { disordered, ENDLESS_TOTAL, inventedRows, shiftOf, type Disorder } from './lists.ts';
export type { ChainLie, OrderLie } from './lies.ts';
export {
  faultRule,
  FORMS,
  type ChainRule,
  type FaultRule,
  type MessageRule,
  type OrderRule,
} from './rules.ts';
export { isNodeAtRisk, strike, type FaultCount, type Target } from './strike.ts';
