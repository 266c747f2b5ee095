import { lstatSync } from 'node:fs';

/**
 * Whether the file that stops all sends is there, a link that leads nowhere included. Looked at before every send. Where
 * nobody may look for it, it counts as there.
 */
export const killSwitch = (file: string) => (): boolean => {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
};
