import type { Command } from '../../../src/emulator/machine/commands.ts';
import { faultPlan } from '../../../src/emulator/faults/plan.ts';
import type { Bench } from '../harness.ts';

/** A plan as the control port parses it. */
export const parsedPlan = (
  rules: Record<string, unknown> | readonly Record<string, unknown>[],
  rest: Record<string, unknown> = {},
): Command => ({
  kind: 'faults',
  body: faultPlan.parse({ rules: Array.isArray(rules) ? rules : [rules], ...rest }),
});

/** How often each rule in force has applied. */
export const strikes = ({ machine }: Bench): number[] => machine.state.faults.map(({ struck }) => struck);
