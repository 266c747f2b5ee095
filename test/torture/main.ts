import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Done } from '../e2e/cli.ts';
import { bracketDeaths } from './bracketDeaths.ts';
import { torture } from './campaign.ts';
import type { Finding } from './judge.ts';
import type { JournalSide } from './journalSide.ts';
import type { Settings } from './settings.ts';

const USAGE =
  'usage: npm run torture -- --runs N [--seed N] [--speed N] [--submission one-click|calldata|mixed] [--lies] [--json]\n' +
  '       npm run torture -- --bracket [--every N]';
/** Lines of output shown for a daemon that broke. */
const LAST_LINES = 30;

function settingsOf(argv: readonly string[]): (Settings & { json: boolean }) | null {
  const [text, flag] = [{ type: 'string' }, { type: 'boolean' }] as const;
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: { runs: text, seed: text, speed: text, submission: text, lies: flag, json: flag },
    });
    const whole = (given: string) => (/^[1-9]\d{0,8}$/.test(given) ? Number(given) : NaN);
    const { submission = 'one-click' } = values;
    const [runs = 0, seed = 0, speed = 0] = [
      values.runs ?? '',
      values.seed ?? '1',
      values.speed ?? '100',
    ].map(whole);
    if (Number.isNaN(runs + seed + speed)) return null;
    if (submission !== 'mixed' && submission !== 'one-click' && submission !== 'calldata') return null;
    const { lies = false, json = false } = values;
    return { runs, seed, speed, submission, lies, json };
  } catch {
    return null;
  }
}

/** Prints the first finding in full, and only the kind of the others. */
function describe({ kind, text, order, truth }: Finding, journal: JournalSide, isFirst: boolean): string {
  const line = `VIOLATION ${kind}: ${text}`;
  if (!isFirst) return line;
  const history = order === undefined ? [] : ['in the journal:', ...journal.history(order)];
  return [line, ...(truth ? ['at the venue:', JSON.stringify(truth)] : []), ...history].join('\n  ');
}

const lastWords = ({ code, signal, err }: Done): string =>
  [`THE DAEMON ENDED with ${code ?? signal ?? '?'}:`, ...err.trimEnd().split('\n').slice(-LAST_LINES)].join(
    '\n  ',
  );

/** Distance of the commits at which the life of a bracket is cut off; null for any other command. */
function everyOf(argv: readonly string[]): number | null {
  const [command, name, every = '1', ...rest] = argv;
  const isKnown = name === undefined || (name === '--every' && /^[1-9]\d{0,3}$/.test(every));
  return command === '--bracket' && isKnown && rest.length === 0 ? Number(every) : null;
}

/** Kills a process at the commits of a bracket's life, and exits: 1 if something was wrong. */
async function killBrackets(every: number): Promise<never> {
  const report = await bracketDeaths({
    every,
    onLife({ commit, how }, { faults, dir }) {
      for (const fault of faults)
        console.error(`VIOLATION ${how} commit ${commit}: ${fault}\n  kept in ${dir}`);
    },
  });
  console.log(JSON.stringify(report));
  process.exit(report.violations === 0 ? 0 : 1);
}

const every = everyOf(process.argv.slice(2));
if (every !== null) await killBrackets(every);
const settings = settingsOf(process.argv.slice(2));
if (settings === null) {
  console.error(USAGE);
  process.exit(2);
}
const { stderr } = process;
// npm takes options it knows for itself unless `--` precedes them.
const json = settings.json || process.env['npm_config_json'] === 'true';
const from = performance.now();
let told = 0;
const say = (text: string) => stderr.write(`${stderr.isTTY ? '\r' : ''}${text}\n`);
const { tally, dir } = await torture(settings, {
  onRun({ runs, kills, findings }) {
    if (stderr.isTTY)
      stderr.write(`\r${runs} of ${settings.runs} runs, ${kills} kills, ${findings.size} violations `);
  },
  onFinding: (finding, journal) => say(describe(finding, journal, told++ === 0)),
  onCrash: (done) => say(lastWords(done)),
});
const report = tally.report(settings.seed, (performance.now() - from) / 1_000);
if (stderr.isTTY) stderr.write('\n');
if (json) console.log(JSON.stringify(report));
else
  for (const [name, value] of Object.entries(report))
    console.log(`${name.padEnd(15)} ${JSON.stringify(value)}`);
if (tally.isSound) rmSync(dir, { recursive: true, force: true });
else say(`venue, journal and log are kept in ${dir}`);
process.exitCode = tally.isSound ? 0 : 1;
