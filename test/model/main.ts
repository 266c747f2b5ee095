import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { campaign, differencesOf, run } from './campaign.ts';

const USAGE = 'usage: npm run model -- [--requests N] [--seed N] [--shrink]';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    shrink: { type: 'boolean', default: false },
  },
});
const [requests, seed] = [Number(values.requests), Number(values.seed)];
if (!Number.isInteger(requests) || !Number.isInteger(seed)) {
  console.error(USAGE);
  process.exit(2);
}

if (values.shrink) {
  // Throws with the smallest run that shows a difference.
  fc.assert(
    fc.property(run, (each) => {
      const differences = differencesOf(each);
      if (differences.length > 0) throw new Error(differences.join('\n'));
    }),
    { seed, numRuns: Math.ceil(requests / 90) },
  );
} else {
  const result = campaign(requests, seed);
  for (const { run: number, texts } of result.differences)
    for (const text of texts) console.log(`run ${number}: ${text}`);
  console.log(
    JSON.stringify({ runs: result.runs, differing: result.differences.length, tally: result.tally }, null, 2),
  );
  process.exitCode = result.differences.length > 0 ? 1 : 0;
}
