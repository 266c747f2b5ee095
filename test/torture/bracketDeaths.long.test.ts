import { expect, test } from 'vitest';
import { bracketDeaths } from './bracketDeaths.ts';

test(
  'a process killed at commits of a bracket sells what the bracket has bought exactly once',
  { timeout: 600_000 },
  async () => {
    const faults: string[] = [];
    const report = await bracketDeaths({
      every: 6,
      from: 3,
      onLife: ({ commit, how }, end) =>
        faults.push(...end.faults.map((fault) => `${how} commit ${commit}: ${fault}`)),
    });
    expect(faults).toEqual([]);
    expect(report.kills).toBeGreaterThan(4);
  },
);
