import type { Clock } from '../core/clock.ts';
import type { Secrets } from '../core/secrets.ts';
import type { Environment } from './environment.ts';
import type { Keyboard, Terminal } from './terminal.ts';

/** Files of the config that a command line names. */
export type NamedConfig = Readonly<{
  /** The argument CONFIG, else the first `--config FILE`, where given. */
  configFile?: string;
  /** Further files: what they set replaces what those before them set. */
  configLayers?: readonly string[];
}>;

/** Folders of this user on this machine that do not depend on the environment. */
export type MachineFolders = Readonly<{
  /** Home folder by the system's list of users; null if this user is not in it, as in some containers. */
  home: string | null;
  /** Folder among the temporary files that all programs of the machine share. */
  shared: string;
}>;

/** Everything that a command may use of the process. */
export type CommandContext = NamedConfig &
  Readonly<{
    terminal: Terminal;
    keyboard: Keyboard;
    env: Environment;
    /** Variables with secrets that the system still shows to other programs of this user. Default none. */
    shownSecrets?: readonly string[];
    /** Folders of locks, logs of nonces and registered daemons, beside those that `env` names. Default: the machine's. */
    machineFolders?: MachineFolders;
    /** Folder at which relative paths of the command line start. */
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
    /**
     * Aborted by SIGINT, SIGTERM and, except under `nohup`, SIGHUP after it was first read; until then they end the process.
     * A second signal always ends it, after `second` has run; the same one again within half a second is not a second.
     */
    stopSignal: (second?: () => void) => AbortSignal;
    /** Registers the handler of an uncaught error, which returns the error to report. Returns the function that unregisters it. */
    onCrash: (speak: (error: unknown) => unknown) => () => void;
    /** Freezes what all code of this process shares, before code of others runs in it: what is still to be loaded may fail after it. */
    lockRealm: () => Promise<void> | void;
    /** Registers work for the end of the process, however it ends except by `kill -9`. */
    onExit: (act: () => void) => void;
    /** Has output wait for no reader from now on: what is not read is dropped. Returns the count of dropped lines. */
    detachOutput: () => () => number;
  }>;

/** Context of the process, before the command line is read. */
export type Process = Omit<CommandContext, 'json' | 'verbose' | 'commandName' | keyof NamedConfig>;
