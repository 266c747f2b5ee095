import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bundled from '@sparticuz/chromium';
import { chromium, type Browser } from 'playwright-core';
import { systemClock } from '../../src/core/clock.ts';
import { holdLock, LockHeldError } from '../../src/store/stateFolder.ts';

/** Flags of the bundled browser that we drop: with them one crashed page would end all, and security would be off. */
const UNWANTED = ['--single-process', '--disable-web-security', '--allow-running-insecure-content'];

/**
 * Browser of tests, screenshots and benchmarks: the bundled one on Linux, elsewhere an installed Chrome; null where there is none.
 * @throws where the bundled one should run but does not
 */
export async function launchBrowser(): Promise<Browser | null> {
  if (process.platform === 'linux' && process.arch === 'x64') {
    const executablePath = await unpacked();
    const args = bundled.args.filter((flag) => !UNWANTED.includes(flag));
    return chromium.launch({ executablePath, args, headless: true });
  }
  return chromium.launch({ channel: 'chrome', headless: true }).catch(() => null);
}

/** Unpacks the bundled browser unless it is there: one process at a time, since each takes an existing file for a complete one. */
async function unpacked(): Promise<string> {
  for (;;) {
    const release = heldLock();
    if (release === null) {
      await systemClock.sleep(LOOK_MS);
      continue;
    }
    try {
      return await bundled.executablePath();
    } finally {
      release();
    }
  }
}

/** Time in ms between two checks of a lock that another process holds. */
const LOOK_MS = 50;

function heldLock(): (() => void) | null {
  try {
    return holdLock(join(tmpdir(), 'drover-browser.lock'), 'the browser of the tests');
  } catch (error) {
    if (error instanceof LockHeldError) return null;
    throw error;
  }
}
