import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { z } from 'zod';
import type { Catcher, Edit, Mutant } from './mutant.ts';

/** Folders and files that tests and simulation read. */
const COPIED = [
  'src',
  'test',
  'bench',
  'strategies',
  'config',
  'docs',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'vitest.config.ts',
];
/** A mutant that makes something wait forever is caught as well. */
const LIMIT_MS = 300_000;
const VITEST = 'node_modules/vitest/vitest.mjs';
/** Hundreds of runs load nearly the same modules; and a failure caused by a bug need not be retried. */
const SPEED = ['--experimental.fsModuleCache', '--retry', '0'];
const OUTPUT_MAX_BYTES = 64 * 2 ** 20;

/** `by`: the test or the seed that failed first; null when all went well. */
export type Verdict = Readonly<{ by: string | null }>;

const testReport = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
});
const seedReport = z.object({
  violations: z.array(z.object({ seed: z.number(), promise: z.string() })),
});

/** A copy of the project in which bugs are seeded and taken out again. The working tree is not touched. */
export class Workshop {
  readonly #root: string;
  readonly #dir = mkdtempSync(join(tmpdir(), 'drover-mutate-'));

  constructor(root: string) {
    this.#root = root;
    for (const name of COPIED) cpSync(join(root, name), join(this.#dir, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(this.#dir, 'node_modules'));
  }

  /** @throws {Error} if a text does not occur exactly once in its file, or its tests cannot run */
  async judge({ edits, caughtBy }: Mutant): Promise<Verdict> {
    const files = [...new Set(edits.map(({ file }) => file))];
    try {
      for (const edit of edits) this.#seed(edit);
      return await this.run(caughtBy);
    } finally {
      for (const file of files) cpSync(join(this.#root, file), join(this.#dir, file));
    }
  }

  run(catcher: Catcher): Promise<Verdict> {
    return 'tests' in catcher ? this.#tests(catcher.tests) : this.#seeds(catcher.seeds);
  }

  close(): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }

  #seed({ file, find, replace }: Edit): void {
    const path = join(this.#dir, file);
    const parts = readFileSync(path, 'utf8').split(find);
    if (parts.length !== 2)
      throw new Error(`${file} has this ${parts.length - 1} times, not once: ${JSON.stringify(find)}`);
    writeFileSync(path, parts.join(replace));
  }

  async #tests(tests: readonly string[]): Promise<Verdict> {
    const report = join(this.#dir, 'report.json');
    rmSync(report, { force: true });
    const args = ['run', '--bail', '1', '--reporter', 'json', '--outputFile', report, ...SPEED, ...tests];
    const { code, output } = await this.#command(process.execPath, [VITEST, ...args]);
    if (code === 0) return { by: null };
    const results = testReport.parse(JSON.parse(readFileSync(report, 'utf8'))).testResults;
    for (const { name, assertionResults } of results)
      for (const { status, fullName } of assertionResults)
        if (status === 'failed') return { by: `${relative(this.#dir, name)} > ${fullName}` };
    throw new Error(`no test failed, and yet they did not pass:\n${output.slice(-2_000)}`);
  }

  async #seeds(seeds: string): Promise<Verdict> {
    const bundle = join(this.#dir, 'dist/simulation/main.js');
    const entry = 'test/simulation/main.ts';
    const bundling = ['--bundle', '--platform=node', '--format=esm', '--packages=external'];
    await this.#command('npx', ['--no-install', 'esbuild', entry, ...bundling, `--outfile=${bundle}`]);
    const { output } = await this.#command(process.execPath, [bundle, '--seeds', seeds, '--json']);
    const [first] = seedReport.parse(JSON.parse(output)).violations;
    return { by: first ? `seed ${first.seed} (${first.promise})` : null };
  }

  #command(command: string, args: readonly string[]): Promise<{ code: number; output: string }> {
    // The number of cases that `npm test` tries: a bug that needs more of them would pass it.
    const env = { FUZZ_RUNS: '20', ...process.env };
    const options = { cwd: this.#dir, env, timeout: LIMIT_MS, maxBuffer: OUTPUT_MAX_BYTES };
    return new Promise((resolve) => {
      execFile(command, args, options, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ code, output: stdout || stderr });
      });
    });
  }
}
