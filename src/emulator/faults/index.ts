export { isProcessed, spoil, type Around } from './corrupt.ts';
export { faultPlan, planView, setPlan, type FaultPlan } from './plan.ts';
export { limited, type RateLimit } from './trigger.ts';
export { disordered, ENDLESS_TOTAL, inventedRows, shiftOf, type Disorder } from './lists.ts';
export type { ChainLie, OrderLie } from './rules.ts';
export {
  faultRule,
  FORMS,
  type ChainRule,
  type FaultRule,
  type MessageRule,
  type OrderRule,
} from './rules.ts';
export { isNodeAtRisk, strike, type FaultCount, type Target } from './trigger.ts';
