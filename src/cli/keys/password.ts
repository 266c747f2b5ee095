import { ConfigError } from '../../core/errors.ts';
import type { Secrets } from '../../core/secrets.ts';
import { SECRET_VARIABLES, type Environment } from '../config/environment.ts';
import { readPrivateFile } from '../config/privateFile.ts';
import { requireNoDebugger } from '../debuggerPort.ts';
import type { Keyboard } from '../keyboard.ts';

export type PasswordSource = Readonly<{
  env: Environment;
  secrets: Secrets;
  keyboard?: Keyboard;
}>;

type Wanted = Readonly<{
  /** What the password is for, in the question. */
  what: string;
  variable?: string;
  file?: string | undefined;
  /** By which the command takes `file`, where it does. */
  flag?: string;
  /** Asked for twice: a slip could not be undone. */
  fresh?: boolean;
}>;

/**
 * The password: from the file that was named, the environment, or the person at the terminal. Masked from now on.
 * @throws {ConfigError} when there is none of them
 * @throws {SafetyError} while the debugger of this process is open
 */
export function passwordFor(source: PasswordSource, wanted: Wanted): string {
  requireNoDebugger();
  return source.secrets.register(readPassword(source, wanted));
}

function readPassword({ env, keyboard }: PasswordSource, wanted: Wanted): string {
  const { what, variable = SECRET_VARIABLES.password, file, flag, fresh = false } = wanted;
  if (file !== undefined) return readPrivateFile(file);
  const given = env[variable];
  if (given !== undefined && given !== '') return given;
  if (!keyboard?.present)
    throw new ConfigError(
      `${what} needs a password. Set ${variable} in the environment, or ` +
        (flag === undefined ? 'start this at a terminal, where it is asked for' : `name a file by ${flag}`),
    );
  const typed = keyboard.ask(`Password for ${what}: `, { hidden: true });
  if (fresh && keyboard.ask('The same again: ', { hidden: true }) !== typed)
    throw new ConfigError('the two are not the same. Nothing was done');
  return typed;
}
