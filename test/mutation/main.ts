import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { messageOf } from '../../src/core/errors.ts';
import type { Mutant } from './mutant.ts';
import { MUTANTS } from './mutants.ts';
import { Workshop } from './workshop.ts';

/** Test files per check without a mutant: few enough to end well within the time limit of one command. */
const HEALTH_FILES = 20;

const groupsOf = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );

const USAGE = 'usage: npm run mutate -- [--only NAME] [--json]';

/** `by`: what caught it, or why it could not be judged. */
type Result = Readonly<{
  name: string;
  what: string;
  outcome: 'caught' | 'survived' | 'error';
  by: string | null;
  seconds: number;
}>;

function chosen(argv: readonly string[]): { mutants: readonly Mutant[]; json: boolean } | null {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: { only: { type: 'string', multiple: true }, json: { type: 'boolean' } },
    });
    const { only, json = false } = values;
    const mutants = only ? MUTANTS.filter(({ name }) => only.includes(name)) : MUTANTS;
    // npm takes options it knows for itself unless `--` precedes them.
    const wantsJson = json || process.env['npm_config_json'] === 'true';
    return mutants.length === (only?.length ?? MUTANTS.length) ? { mutants, json: wantsJson } : null;
  } catch {
    return null;
  }
}

async function judge(workshop: Workshop, mutant: Mutant): Promise<Result> {
  const { name, what } = mutant;
  const from = performance.now();
  const since = () => Math.round((performance.now() - from) / 100) / 10;
  try {
    const { by } = await workshop.judge(mutant);
    return { name, what, outcome: by === null ? 'survived' : 'caught', by, seconds: since() };
  } catch (error) {
    return { name, what, outcome: 'error', by: messageOf(error), seconds: since() };
  }
}

/** Without a bug everything must pass: otherwise a mutant would be caught by an existing failure. */
async function requireHealth(workshop: Workshop, mutants: readonly Mutant[]): Promise<void> {
  const tests = new Set(mutants.flatMap(({ caughtBy }) => ('tests' in caughtBy ? caughtBy.tests : [])));
  const seeds = new Set(mutants.flatMap(({ caughtBy }) => ('seeds' in caughtBy ? [caughtBy.seeds] : [])));
  const healthy = [
    ...groupsOf([...tests], HEALTH_FILES).map((group) => ({ tests: group })),
    ...[...seeds].map((each) => ({ seeds: each })),
  ];
  for (const catcher of healthy) {
    const { by } = await workshop.run(catcher);
    if (by !== null) throw new Error(`without any mutant this fails already: ${by}`);
  }
}

const asked = chosen(process.argv.slice(2));
if (asked === null) {
  console.error(USAGE);
  console.error(`mutants: ${MUTANTS.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}
const { mutants, json } = asked;
const workshop = new Workshop(fileURLToPath(new URL('../..', import.meta.url)));
const results: Result[] = [];
try {
  await requireHealth(workshop, mutants);
  for (const mutant of mutants) {
    const result = await judge(workshop, mutant);
    results.push(result);
    const line = `${result.outcome.padEnd(8)} ${result.name.padEnd(30)} ${result.by ?? result.what}`;
    (json ? console.error : console.log)(line);
  }
} finally {
  workshop.close();
}
const counted = (outcome: Result['outcome']) => results.filter((result) => result.outcome === outcome).length;
const counts = { mutants: results.length, caught: counted('caught'), survived: counted('survived') };
console.log(
  json
    ? JSON.stringify({ ...counts, errors: counted('error'), results })
    : `${counts.caught} of ${counts.mutants} mutants caught, ${counts.survived} survived, ${counted('error')} could not be judged`,
);
process.exitCode = counts.caught === results.length ? 0 : 1;
