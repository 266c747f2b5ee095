import { planOf } from '../test/simulation/plan.ts';
import { Simulation } from '../test/simulation/simulation.ts';
import { floorOf, recorded } from './floor.ts';
import type { Result } from './result.ts';

/** Seeds; the first is not measured, because the code is not yet compiled. */
const SEEDS = [1, 2, 3, 4];
const SESSION_MS = 6.5 * 3_600_000;

/**
 * Measures sessions without faults per second of one core: runner, network and venue in this process, in virtual time.
 * Compares them with the number possible at the bare cost of their requests.
 */
export async function simulation(): Promise<Result[]> {
  const spent = { days: 0, micros: 0, floorMicros: 0 };
  for (const [index, seed] of SEEDS.entries()) {
    const day = await dayOf(seed);
    if (index === 0) continue;
    spent.days += day.days;
    spent.micros += day.micros;
    spent.floorMicros += day.floorMicros;
  }
  const [value, floor] = [spent.micros, spent.floorMicros].map((micros) => (spent.days * 1e6) / micros);
  if (value === undefined || floor === undefined) throw new Error('no day was simulated');
  return [
    { name: 'simulation', value, unit: 'days/s' },
    {
      name: 'simulation-floor',
      value: floor,
      unit: 'days/s',
      ratio: { vs: 'simulation', x: floor / value },
    },
  ];
}

/** Microseconds of processor time for the day, and for its requests alone. */
async function dayOf(seed: number) {
  const simulated = new Simulation(planOf(seed, { faults: false }), {});
  const { machine, key } = simulated.venue;
  const exchanges = recorded(machine);
  const from = process.cpuUsage();
  const { virtualMs } = await simulated.run();
  const { user, system } = process.cpuUsage(from);
  return { days: virtualMs / SESSION_MS, micros: user + system, floorMicros: floorOf(exchanges, key) };
}
