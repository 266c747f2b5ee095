import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { epochMs } from '../../src/core/brand.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import type { EmulatorInfo } from '../../src/emulator/index.ts';
import { freshDir, root, start, type Done } from '../e2e/cli.ts';
import { keysOf } from '../e2e/venue.ts';
import { NO_LIES } from '../simulation/allowances.ts';
import { JournalSide } from '../torture/journalSide.ts';
import { judgeEnd, type Finding } from '../torture/judge.ts';
import { startAnvil, type Anvil } from './anvil.ts';
import { Mirror, type Pair } from './mirror.ts';
import { startRelay, type Intercept } from './relay.ts';
import { openVenue } from './venue.ts';

/** Seven minutes before the close of a Monday. */
const START = Date.parse('2026-06-15T19:53:00Z');
/** Times real speed. */
const SPEED = 40;
/** Seconds between the first block of anvil and the first of the venue. */
const DEPLOYMENT_SECONDS = 3_600;
/** The gas of the emulator's contracts is a table of its own: up to three times what those on anvil need. */
const MARGIN_PERCENT = 200;
const ACCOUNT = 0;

export type Verdict = Readonly<{
  /** Number of starts of the daemon. */
  lives: number;
  code: number | null;
  /** The final JSON object, as text. */
  out: string;
  err: string;
  findings: readonly Finding[];
  pairs: readonly Pair[];
  journal: JournalSide;
}>;

/** Control of a test's node over both sides. `kill` ends the daemon at once (SIGKILL); it is started again. */
export type Reach = Readonly<{ node: Anvil; mirror: Mirror; kill: () => void }>;

/** Stands between daemon and node; created once both chains exist. */
export type FaceOf = (reach: Reach) => Intercept;

/**
 * Runs the built daemon on the emulator's venue and anvil's chain until the venue's close, and compares its journal with
 * both. @throws when the emulator or anvil does not start, or the mirror has failed
 */
export async function playToTheClose(faceOf: FaceOf): Promise<Verdict> {
  const clock = new VirtualClock({ start: epochMs(START), pace: SPEED });
  onTestFinished(() => clock.stop());
  // Time stands still while a daemon loads, however busy the machine: from its first read on it follows its own count.
  let release = clock.hold();
  void clock.run();
  const venue = await openVenue(clock, () => release());
  const node = await startAnvil('--timestamp', String(START / 1000 - DEPLOYMENT_SECONDS));
  const mirror = new Mirror({ node, clock, venue });
  await mirror.start();
  let kill = (): void => undefined;
  const rpcUrl = await startRelay(node.url, faceOf({ node, mirror, kill: () => kill() }));
  const { user: userAddress, env } = keysOf(venue.info, ACCOUNT);
  const file = configFile(venue.info, { user: userAddress, rpcUrl });
  const live = (): Promise<Done> => {
    const daemon = start(['run', file, '--live', '--json', '--until', 'close', '--after-crashes'], env);
    kill = () => void daemon.child.kill('SIGKILL');
    return daemon.done;
  };
  onTestFinished(() => kill());
  let lives = 1;
  let done = await live();
  for (; done.signal === 'SIGKILL'; lives++) {
    release = clock.hold();
    done = await live();
  }
  const { code, out, err } = done;
  const pairs = await mirror.stop();
  const journal = new JournalSide(join(file, '../state/journal.sqlite'));
  journal.read();
  const findings = judgeEnd({ journal, truth: venue.truth(), userAddress, lies: NO_LIES });
  return { lives, code, out, err, findings, pairs, journal };
}

type Account = Readonly<{ user: string; rpcUrl: string }>;

function configFile(info: EmulatorInfo, { user, rpcUrl }: Account): string {
  const file = join(freshDir(), 'live.yaml');
  writeFileSync(
    file,
    `mode: live
submission: calldata
venue:
  baseUrl: ${info.baseUrl}
  chainId: ${info.chainId}
  product: ${info.product}
  userAddress: '${user}'
  clock: follow
  controlUrl: ${info.controlUrl}
  requestsPerMinute: 6000
  router: '${info.contracts.router}'
  rpcUrl: ${rpcUrl}
state: ./state
orders: { deadlineSeconds: 45 }
gas: { marginPercent: ${MARGIN_PERCENT} }
limits: { orderNotional: '5000', positionNotional: '10000', grossExposure: '20000', ordersPerMinute: 60,
          dayLoss: '500', priceBandBps: 4000, quoteAgeMs: 60000 }
strategies:
  - { id: burst, use: ${join(root, 'test/evm/burst.ts')}, capital: '8000',
      params: { bought: [AAPL, MSFT, NVDA], rested: KO, everyMinutes: 1, bursts: 4 } }
`,
  );
  return file;
}
