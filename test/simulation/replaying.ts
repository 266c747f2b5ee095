import { tradingCalendar } from '../../src/calendar/index.ts';
import { toJson } from '../../src/core/json.ts';
import { Kernel } from '../../src/engine/kernel/kernel.ts';
import { replay } from '../../src/engine/runtime/replay.ts';
import type { Simulation } from './simulation.ts';

/** P8: strategies and kernel repeat their decisions from the journal, whatever happened on the way. */
export function decidesAgain({ plan, rules, disk, judge }: Simulation): void {
  const { strategies } = plan;
  const obstacles = { reason: () => null };
  const createKernel = () => new Kernel({ calendar: tradingCalendar, rules, strategies, obstacles });
  const { parting } = replay([...disk.entries()], createKernel);
  if (!parting) return;
  const texts = [parting.journal, parting.now].map((fact) => (fact === null ? 'nothing' : toJson(fact)));
  judge.accuse('P8', `replayed, entry ${parting.index + 1} of the journal parts: ${texts.join(' is now ')}`);
}
