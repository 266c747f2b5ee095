import { join, relative, resolve, sep } from 'node:path';
import { isWithin } from './files.ts';

type Installation = Readonly<{
  /** The person's current folder. */
  cwd: string;
  /** Folder of this package. */
  packageFolder: string;
}>;

const MODULES = `${sep}node_modules${sep}`;

/** Command that starts this program from a folder: in a clone, in a project that has it installed, or anywhere else. */
export function programName({ cwd, packageFolder }: Installation): string {
  const place = resolve(packageFolder);
  const at = place.lastIndexOf(MODULES);
  if (at >= 0) return isAtOrWithin(cwd, place.slice(0, at)) ? 'npx drover' : 'drover';
  const script = join(place, 'dist', 'bin', 'main.js');
  return `node ${isAtOrWithin(cwd, place) ? relative(cwd, script) : script}`;
}

/** Start of a command: in backticks or quotes, or on its own indented line. */
const COMMAND = /(^ {4}|[`"])drover (?=[a-z])/gm;

/** Replaces `drover`, where it begins a command in a text for people, with the command that starts the program. */
export const withProgramName = (text: string, program: string): string =>
  program === 'drover' ? text : text.replace(COMMAND, (_, before: string) => `${before}${program} `);

const isAtOrWithin = (path: string, folder: string): boolean => path === folder || isWithin(path, folder);
