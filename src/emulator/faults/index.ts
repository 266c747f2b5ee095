export { isProcessed, corrupt, type Corruption } from './corrupt.ts';
export { faultPlan, planView, setPlan, type FaultPlan } from './plan.ts';
export { limited } from './trigger.ts';
export { disordered, ENDLESS_TOTAL, inventedRows, shiftOf, type Disorder } from './corrupt.ts';
export type { ChainLie, OrderLie } from '../state/faultRules.ts';
export {
  faultRule,
  FORMS,
  type ChainRule,
  type FaultRule,
  type MessageRule,
  type OrderRule,
} from '../state/faultRules.ts';
export { isNodeAtRisk, triggeredRule, type Target } from './trigger.ts';
