import type { Clock } from '../core/clock.ts';
import type { Secrets } from '../core/secrets.ts';
import type { Environment } from './environment.ts';
import type { Keyboard, Terminal } from './terminal.ts';

/** Config files named on a command line. */
export type NamedConfig = Readonly<{
  /** The argument CONFIG, otherwise the first `--config FILE`, if given. */
  configFile?: string;
  /** Further files; their values replace those of earlier files. */
  configLayers?: readonly string[];
}>;

/** This user's folders on this machine that do not depend on the environment. */
export type MachineFolders = Readonly<{
  /** Home folder in the system's user list; null if this user is not in it, as in some containers. */
  home: string | null;
  /** Folder for temporary files that is shared by all programs on the machine. */
  shared: string;
}>;

/** Everything that a command may use of the process. */
export type CommandContext = NamedConfig &
  Readonly<{
    terminal: Terminal;
    keyboard: Keyboard;
    env: Environment;
    /** Secret variables that the system still shows to other programs of this user. Default none. */
    shownSecrets?: readonly string[];
    /** Folders of locks, nonce logs and registered daemons, besides those named by `env`. Default: the machine's. */
    machineFolders?: MachineFolders;
    /** Folder from which relative paths of the command line are resolved. */
    cwd: string;
    clock: Clock;
    secrets: Secrets;
    /** Id of this process. */
    pid: number;
    /** True for results as JSON on stdout, and nothing else there. */
    json: boolean;
    /** True for stack traces with errors. */
    verbose: boolean;
    /** The command being run, such as `orders place`. */
    commandName: string;
    /**
     * Aborted by SIGINT, SIGTERM and, except under `nohup`, SIGHUP once it has been read; until then they end the process. A
     * second signal always ends it, after calling `second`; the same one within half a second is not a second.
     */
    stopSignal: (second?: () => void) => AbortSignal;
    /** Registers a handler for uncaught errors, which returns the error to report. Returns a function to unregister it. */
    onCrash: (speak: (error: unknown) => unknown) => () => void;
    /** Freezes everything shared by code in this process, before third-party code runs in it: loading modules later may fail. */
    lockRealm: () => Promise<void> | void;
    /** Registers work for process exit, however it ends except by `kill -9`. */
    onExit: (act: () => void) => void;
    /** Stops output from waiting for a reader: unread text is dropped from then on. Returns a counter of lost lines. */
    detachOutput: () => () => number;
  }>;

/** Context of the process, before the command line is read. */
export type Process = Omit<CommandContext, 'json' | 'verbose' | 'commandName' | keyof NamedConfig>;
