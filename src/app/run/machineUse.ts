import { readdirSync, statfsSync, statSync } from 'node:fs';
import type { MachineUse } from '../../ops/metrics.ts';
import { orElse } from '../../core/errors.ts';

const MICROSECONDS = 1e6;

/** Current use of this process and of the disk with its state folder. */
export function machineUse(stateDir: string, journal: string): MachineUse {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const disk = orElse(() => statfsSync(stateDir), null);
  // Some file systems report no size.
  const isSized = disk !== null && disk.blocks > 0;
  const sizes = ['', '-wal'].map((suffix) => orElse(() => statSync(`${journal}${suffix}`).size, 0));
  return {
    cpuSeconds: (user + system) / MICROSECONDS,
    residentBytes: rss,
    heapBytes: heapUsed,
    openFiles: orElse(() => readdirSync('/proc/self/fd').length, null),
    diskFreeBytes: isSized ? disk.bavail * disk.bsize : null,
    diskSizeBytes: isSized ? disk.blocks * disk.bsize : null,
    journalBytes: sizes.reduce((sum, size) => sum + size, 0) || null,
  };
}
