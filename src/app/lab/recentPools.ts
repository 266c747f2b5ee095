import type { TrialPool } from '../../lab/trials/trial.ts';

/** Number of studies whose bars and threads a worker keeps at once. */
const KEPT = 2;

export type RecentPools = Readonly<{
  get: (recipe: string) => Promise<TrialPool>;
  close: () => Promise<void>;
}>;

/** Pools of the most recently used recipes. One that is evicted finishes its slices first. */
export function recentPools(open: (recipe: string) => Promise<TrialPool>): RecentPools {
  const pools = new Map<string, Promise<TrialPool>>();
  const running = new Map<string, number>();
  const counted = (recipe: string, pool: TrialPool): TrialPool => ({
    ...pool,
    async run(tasks) {
      running.set(recipe, (running.get(recipe) ?? 0) + 1);
      try {
        return await pool.run(tasks);
      } finally {
        running.set(recipe, (running.get(recipe) ?? 1) - 1);
      }
    },
  });
  const makeRoom = async (): Promise<void> => {
    for (const [recipe, pool] of [...pools])
      if (pools.size >= KEPT && (running.get(recipe) ?? 0) === 0) {
        pools.delete(recipe);
        await (await pool).close();
      }
  };
  return {
    async get(recipe) {
      const known = pools.get(recipe);
      if (known) {
        pools.delete(recipe);
        pools.set(recipe, known);
        return known;
      }
      await makeRoom();
      const opened = open(recipe).then((pool) => counted(recipe, pool));
      pools.set(recipe, opened);
      // A load that failed is retried with the next slice.
      opened.catch(() => pools.delete(recipe));
      return opened;
    },
    async close() {
      for (const pool of pools.values())
        await pool.then(
          (open) => open.close(),
          () => undefined,
        );
    },
  };
}
