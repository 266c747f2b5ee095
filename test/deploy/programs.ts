import { spawnSync } from 'node:child_process';

/** True when a program of this name can be started here. */
export const isInstalled = (name: string): boolean =>
  spawnSync(name, ['--version'], { stdio: 'ignore' }).error === undefined;
