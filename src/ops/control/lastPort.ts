import { orElse } from '../../core/errors.ts';
import { lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PORT_FILE = 'control.port';

/** Port of the last run on a state folder, so that an open page finds the next one; 0 where it is not known. */
export const lastPort = (stateDir: string): number =>
  orElse(() => {
    const file = join(stateDir, PORT_FILE);
    const [, port = '0'] =
      (lstatSync(file).isFile() && /^(\d{1,5})\n$/.exec(readFileSync(file, 'utf8'))) || [];
    return Number(port) < 65_536 ? Number(port) : 0;
  }, 0);

/** Keeps the port of a run in its state folder, where that can be written: else the next run takes any. */
export const keepPort = (stateDir: string, port: number): void =>
  orElse(() => {
    const file = join(stateDir, PORT_FILE);
    rmSync(file, { force: true });
    writeFileSync(file, `${port}\n`, { flag: 'wx', mode: 0o600 });
  }, undefined);
