import type { Clock } from '../core/clock.ts';
import type { Secrets } from '../core/secrets.ts';
import type { Environment } from './config/environment.ts';
import type { Keyboard } from './terminal.ts';

/** Where a command's words go. Every secret is masked on the way. */
export interface Terminal {
  /** A line, or several, on stdout: results. */
  out(text: string): void;
  /** A line, or several, on stderr: everything that is not a result. */
  err(text: string): void;
  /** Shows how far long work is, on one line of stderr that the next words take back; absent where that is no terminal. */
  readonly status?: (text: string) => void;
  /** Whether stdout takes colours: a terminal, and NO_COLOR is not set. */
  readonly colour: boolean;
}

/** All that a command may use of the process. */
export type CommandContext = Readonly<{
  terminal: Terminal;
  keyboard: Keyboard;
  env: Environment;
  /** Variables with secrets that the system still shows to other programs of this user. Default none. */
  shownSecrets?: readonly string[];
  /** Where relative paths of the command line start. */
  cwd: string;
  clock: Clock;
  secrets: Secrets;
  /** Number of this process. */
  pid: number;
  /** Results as JSON on stdout, and nothing else there. */
  json: boolean;
  /** Stack traces with errors. */
  verbose: boolean;
  /** The command that was called, such as `orders place`. */
  commandName: string;
  /** `--config FILE`, where given. */
  configFile?: string;
  /**
   * Aborted by SIGINT, SIGTERM and, but under `nohup`, SIGHUP from the first call on; until then they end the process. The
   * second one ends it in any case, after `second` has run; the same one again within half a second is not a second.
   */
  stopSignal: (second?: () => void) => AbortSignal;
  /** Has the last word when an error that nobody caught ends the process: what to tell. Gives back how to take that back. */
  onCrash: (speak: (error: unknown) => unknown) => () => void;
  /** Has the last task of all, at whatever end of the process but a `kill -9`. */
  onExit: (act: () => void) => void;
}>;

/** What the process gives before the command line is read. */
export type Process = Omit<CommandContext, 'json' | 'verbose' | 'commandName' | 'configFile'>;
