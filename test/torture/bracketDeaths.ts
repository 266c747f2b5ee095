import { bracketLife, type LifeEnd } from './bracketLife.ts';
import type { Death } from './dying.ts';

/** Output of the command. `violations` must be 0. */
export type DeathsReport = Readonly<{
  lives: number;
  kills: number;
  violations: number;
  /** Number of kills that each moment of the bracket has met. */
  killedWhile: Readonly<Record<string, number>>;
}>;

export type DeathsOptions = Readonly<{
  /** Distance between two commits at which it is killed: 1 for each of them. */
  every: number;
  /** First commit. Default 1. */
  from?: number;
  onLife?: (death: Death, end: LifeEnd) => void;
}>;

/** Kills a process before and after the commits of a bracket's life, each in a new life, until one reaches its end. */
export async function bracketDeaths({ every, from = 1, onLife }: DeathsOptions): Promise<DeathsReport> {
  let [lives, kills, violations] = [0, 0, 0];
  const killedWhile: Record<string, number> = {};
  for (const how of ['before', 'after'] as const)
    for (let [commit, died] = [from, true]; died; commit += every) {
      const end = await bracketLife({ commit, how });
      lives++;
      died = end.died;
      if (died) kills++;
      violations += end.faults.length;
      for (const moment of end.moments) killedWhile[moment] = (killedWhile[moment] ?? 0) + 1;
      onLife?.({ commit, how }, end);
    }
  return { lives, kills, violations, killedWhile };
}
