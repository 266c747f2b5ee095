import { planOf } from '../test/simulation/plan.ts';
import { Simulation } from '../test/simulation/simulation.ts';
import type { Result } from './result.ts';

/** The first is not measured: the code is not yet compiled then. */
const SEEDS = [1, 2, 3, 4];
const SESSION_MS = 6.5 * 3_600_000;

/** Sessions without faults in a second of one core: runner, network and venue in this process, in virtual time. */
export async function simulation(): Promise<Result[]> {
  let [days, from] = [0, process.cpuUsage()];
  for (const [index, seed] of SEEDS.entries()) {
    if (index === 1) [days, from] = [0, process.cpuUsage()];
    const { virtualMs } = await new Simulation(planOf(seed, { faults: false }), {}).run();
    days += virtualMs / SESSION_MS;
  }
  const { user, system } = process.cpuUsage(from);
  return [{ name: 'simulation', value: (days * 1e6) / (user + system), unit: 'days/s' }];
}
