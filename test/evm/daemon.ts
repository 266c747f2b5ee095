import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { epochMs } from '../../src/core/brand.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { startEmulator, type EmulatorInfo, type Truth } from '../../src/emulator/index.ts';
import { freshDir, root, start, type Running } from '../e2e/cli.ts';
import { keysOf } from '../e2e/venue.ts';
import { NO_LIES } from '../simulation/allowances.ts';
import { JournalSide } from '../torture/journalSide.ts';
import { judgeEnd, type Finding } from '../torture/judge.ts';
import { startAnvil, type Anvil } from './anvil.ts';
import { Mirror, type Pair } from './mirror.ts';
import { startRelay, type Intercept } from './relay.ts';

/** Six minutes before the close of a Monday. */
const START = Date.parse('2026-06-15T19:54:00Z');
/** Times real speed. */
const SPEED = 40;
/** Between the first block of anvil and the first of the venue. */
const DEPLOYMENT_SECONDS = 3_600;
/** The gas of the emulator's contracts is a table of its own: up to three times what those on anvil need. */
const MARGIN_PERCENT = 200;
const ACCOUNT = 0;

export type DaemonStage = Readonly<{
  node: Anvil;
  info: EmulatorInfo;
  clock: VirtualClock;
  mirror: Mirror;
  daemon: Running;
  truth(): Promise<Truth>;
  /** Ends the run, and holds its journal against both chains. */
  judge(): Promise<Verdict>;
}>;

export type Verdict = Readonly<{
  code: number | null;
  /** What it printed: the final JSON object, and the rest. */
  out: string;
  err: string;
  findings: readonly Finding[];
  pairs: readonly Pair[];
  journal: JournalSide;
  truth: Truth;
}>;

/** Stands between daemon and node: made when both chains are there. */
export type FaceOf = (node: Anvil, mirror: Mirror) => Intercept;

/**
 * The built daemon on the emulator's venue and anvil's chain, until the venue's close.
 * @throws when the emulator or anvil does not start
 */
export async function openDaemonStage(faceOf: FaceOf): Promise<DaemonStage> {
  const clock = new VirtualClock({ start: epochMs(START), pace: SPEED });
  const { info, close } = await startEmulator({ clock, latency: { minMs: 0, maxMs: 0 } });
  onTestFinished(close);
  const truth = async () => (await (await fetch(`${info.controlUrl}/truth`)).json()) as Truth;
  const node = await startAnvil('--timestamp', String(START / 1000 - DEPLOYMENT_SECONDS));
  const mirror = new Mirror({ node, clock, info, truth });
  await mirror.start();
  onTestFinished(() => clock.stop());
  void clock.run();
  const rpcUrl = await startRelay(node.url, faceOf(node, mirror));
  const { user, env } = keysOf(info, ACCOUNT);
  const file = configFile(info, { user, rpcUrl });
  const daemon = start(['run', file, '--live', '--json', '--until', 'close'], env);
  onTestFinished(() => void daemon.child.kill('SIGKILL'));
  const judge = async (): Promise<Verdict> => {
    const { code, out, err } = await daemon.done;
    const pairs = await mirror.stop();
    const journal = new JournalSide(join(file, '../state/journal.sqlite'));
    journal.read();
    const at = await truth();
    const findings = judgeEnd({ journal, truth: at, userAddress: user, lies: NO_LIES });
    return { code, out, err, findings, pairs, journal, truth: at };
  };
  return { node, info, clock, mirror, daemon, truth, judge };
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
      params: { bought: [AAPL, MSFT, NVDA], rested: KO, everyMinutes: 0.75, bursts: 4 } }
`,
  );
  return file;
}
