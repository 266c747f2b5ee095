import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tradingCalendar, type Session } from '../../src/calendar/index.ts';
import { epochMs } from '../../src/core/brand.ts';
import { seededRandom } from '../../src/core/random.ts';
import type { RunReport } from '../../src/engine/runner.ts';
import { drover, type Done } from '../e2e/cli.ts';
import { drawHardship, type Hardship } from './hardship.ts';
import { JournalSide } from './journalSide.ts';
import { judgeEnd, judgeSends, ordersOf, unproven, type Finding, type Sides } from './judge.ts';
import { liveAndDie, startDaemon, type Command } from './life.ts';
import { writeConfig, type Settings, type Submission } from './settings.ts';
import { Tally } from './tally.ts';
import { VenueProcess } from './venueProcess.ts';

/** Kills before all is wound down and compared in full. */
const RUNS_A_DAY = 50;
const MINUTE_MS = 60_000;
/** So long before the close the day's last run begins at the latest, */
const LAST_RUN_MS = 60 * MINUTE_MS;
/**
 * and so long before it the daemon is started once more, to end the day in peace. A start takes seconds, and so minutes at the
 * venue; one that comes too late for this close would wait for the next.
 */
const WIND_DOWN_MS = 20 * MINUTE_MS;
/** Fastest that the venue is then. */
const CALM_SPEED = 60;
/** A daemon that ends by itself so often in a row does not run at all. */
const FALSE_STARTS_MAX = 20;
/** With which it ends when the venue does not answer. */
const VENUE_CODE = 3;
/** Of so many days, the wallet sends by itself on one. */
const CALLDATA_DAYS = 4;
const FIRST_DAY = epochMs(Date.parse('2026-06-15T09:00:00Z'));

export type Listeners = Readonly<{
  onRun: (tally: Tally) => void;
  onFinding: (finding: Finding, journal: JournalSide) => void;
  onCrash: (done: Done) => void;
}>;

type Campaign = Omit<Settings, 'submission'> &
  Listeners &
  Readonly<{
    dir: string;
    venue: VenueProcess;
    tally: Tally;
    /** Read a little further after each run. */
    journal: JournalSide;
    /** What is done to each run, drawn in order from the seed. */
    next: (submission: Submission) => Hardship;
  }>;

/** Kills the daemon so many times over one venue that lives on. `dir` holds venue, journal and log. */
export async function torture(
  settings: Settings,
  listeners: Listeners,
): Promise<{ tally: Tally; dir: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'drover-torture-'));
  const { seed, speed, runs } = settings;
  const random = seededRandom(`torture ${seed}`);
  let session = tradingCalendar.nextSession(FIRST_DAY);
  const venue = await VenueProcess.open({ dir, seed, speed, start: epochMs(session.open + MINUTE_MS) });
  const tally = new Tally();
  const journal = new JournalSide(journalOf(dir));
  const campaign = {
    ...settings,
    ...listeners,
    dir,
    venue,
    tally,
    journal,
    next: (submission: Submission) => drawHardship(random, submission),
  };
  try {
    while (tally.runs < runs) {
      if (tally.days > 0) {
        session = tradingCalendar.nextSession(session.close);
        await venue.leap(epochMs(session.open + MINUTE_MS));
      }
      const today = { ...campaign, submission: submissionOf(settings, tally) };
      await day(today, session);
      await windDown(today, session);
    }
  } finally {
    await venue.close();
  }
  return { tally, dir };
}

/** The same all day: what a wallet has sent by itself, and no list shows yet, is found by those alone who read the chain. */
const submissionOf = ({ submission }: Settings, { days }: Tally): Submission =>
  submission !== 'mixed' ? submission : days % CALLDATA_DAYS === 1 ? 'calldata' : 'one-click';

const journalOf = (dir: string): string => join(dir, 'state', 'journal.sqlite');

type Today = Campaign & Readonly<{ submission: Submission }>;

async function day(campaign: Today, { close }: Session): Promise<void> {
  const { tally, venue, runs } = campaign;
  const last = Math.min(runs, tally.runs + RUNS_A_DAY);
  while (tally.runs < last && (await venue.now()) < close - LAST_RUN_MS) {
    await run(campaign, campaign.next(campaign.submission));
    await look(campaign);
    tally.runs++;
    campaign.onRun(tally);
  }
}

/** Lives until one of them was killed: one that ended by itself is followed by another, in a venue that is calm. */
async function run(campaign: Today, hardship: Hardship): Promise<void> {
  const { tally, venue, dir } = campaign;
  const { rules, indexerLagMs, names, fromStart } = hardship;
  const command = writeConfig(dir, venue.info, campaign);
  const begin = () => venue.faults({ rules, ...(indexerLagMs === null ? {} : { indexerLagMs }) });
  const nothing = () => Promise.resolve();
  if (fromStart) await begin();
  for (let tries = 0; tries < FALSE_STARTS_MAX; tries++) {
    const isFirst = tries === 0;
    const { killed, stopped, done } = await liveAndDie(command, hardship, isFirst ? begin : nothing);
    await venue.calm();
    if (stopped) tally.stops++;
    if (isFirst) tally.count(names);
    if (killed) {
      tally.kills++;
      return;
    }
    if (done.code === VENUE_CODE) tally.refusedStarts++;
    else {
      tally.crashes++;
      campaign.onCrash(done);
    }
  }
  throw new Error(`the daemon ends by itself again and again; its folder is ${dir}`);
}

/** What holds at every instant. The venue is asked first: what it has by then is in the journal by now. */
async function look({ venue, journal, dir, ...campaign }: Campaign): Promise<void> {
  const truth = await venue.truth();
  if (!existsSync(journalOf(dir))) return;
  journal.read();
  report(campaign, judgeSends({ truth, journal, userAddress: userOf(venue) }), journal);
}

/** The last minutes of the day in peace; then everything is compared with a journal that is read anew. */
async function windDown(campaign: Today, { close }: Session): Promise<void> {
  const { venue, tally, dir, onCrash, speed } = campaign;
  await venue.calm();
  await venue.leap(epochMs(Math.max(close - WIND_DOWN_MS, await venue.now())), Math.min(speed, CALM_SPEED));
  const command = writeConfig(dir, venue.info, campaign);
  const done = await startDaemon(command, '--until', 'close').done;
  tally.days++;
  const summary = summaryOf(done);
  if (!summary || (done.code !== 0 && summary.stop.left.unknown === 0)) {
    tally.crashes++;
    onCrash(done);
  }
  const truth = await venue.truth();
  const read = (): Sides => {
    const journal = new JournalSide(journalOf(dir));
    journal.read();
    return { journal, truth, userAddress: userOf(venue) };
  };
  tally.byHand += await resolveByHand(command, read());
  const sides = read();
  report(campaign, judgeEnd(sides), sides.journal);
  if (summary) tally.orders = summary.orders;
  tally.ordersAccepted = ordersOf(sides).length;
  tally.frozen = sides.journal.books.frozen.size;
}

/** Null for one that ended without a report. */
const summaryOf = ({ out }: Done): RunReport | null =>
  out.startsWith('{') ? (JSON.parse(out) as RunReport) : null;

/**
 * An account on which nothing more is sent proves nothing more: where every symbol and side waits for an answer, a person has
 * the last word, and has looked at the venue. An order that is there is left to the judge.
 */
async function resolveByHand({ file, env }: Command, sides: Sides): Promise<number> {
  const ids = unproven(sides);
  for (const id of ids) {
    const { code, err } = await drover(['orders', 'resolve', id, '--yes', '--config', file], env);
    if (code !== 0) throw new Error(`${id} cannot be resolved: ${err}`);
  }
  return ids.length;
}

function report(
  { tally, onFinding }: Pick<Campaign, 'tally' | 'onFinding'>,
  findings: readonly Finding[],
  journal: JournalSide,
): void {
  for (const finding of tally.add(findings)) onFinding(finding, journal);
}

function userOf({ info: { accounts } }: VenueProcess): string {
  return accounts[0]?.userAddress ?? '';
}
