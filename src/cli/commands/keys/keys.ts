import { ConfigError, SafetyError } from '../../../core/errors.ts';
import { secureBytes } from '../../../core/random.ts';
import {
  checkKeyName,
  labelOfKey,
  openKey,
  sealKey,
  type KeyKind,
  type StoredKey,
} from '../../../wallet/keyStore.ts';
import { isSecretText, placeOfVariable } from '../../../app/keys/credentials.ts';
import { SECRET_VARIABLES } from '../../../process/environment.ts';
import type { CommandContext } from '../../../process/context.ts';
import {
  addKeyFile,
  hasKey,
  keyNames,
  readKeyFile,
  removeKeyFile,
  replaceKeyFile,
  passwordFor,
} from '../../../app/keys/keyFolder.ts';
import { keyFolderOf } from '../../../process/files.ts';
import { printResult, table } from '../../../process/output.ts';

type KeyFlags = Readonly<{
  name: string;
  passwordFile?: string;
  newPasswordFile?: string;
  /** Name of the environment variable to import. */
  env?: string;
  secret?: boolean;
  yes?: boolean;
}>;

/**
 * A key as shown. `verified`: it was opened and the address derived from it; otherwise the address comes from its file,
 * which anyone with write access may have changed. The printed JSON is one of these; `list` prints an array.
 */
type KeyRow = Readonly<{ name: string; kind: KeyKind | null; address: string | null; verified: boolean }>;

const BY_FILE = { flag: '--password-file' } as const;

const folderOf = ({ env }: CommandContext): string => keyFolderOf(env);

/** `drover keys create NAME`: a new wallet key. */
export async function keysCreate(flags: KeyFlags, context: CommandContext): Promise<number> {
  const { walletOf } = await import('../../../wallet/account.ts');
  const value = `0x${Buffer.from(secureBytes(32)).toString('hex')}`;
  return storeKey({ flags, kind: 'wallet', value, address: walletOf(value).address }, context);
}

/** `drover keys import NAME`: imports a key from standard input, an environment variable, or a hidden prompt. */
export async function keysImport(flags: KeyFlags, context: CommandContext): Promise<number> {
  requireFree(flags.name, context);
  const value = context.secrets.register(importedText(flags, context));
  if (flags.secret) {
    if (!isSecretText(value)) throw new ConfigError('a secret must be one line of text without spaces');
    return storeKey({ flags, kind: 'secret', value, address: null }, context);
  }
  const { walletOf } = await import('../../../wallet/account.ts');
  return storeKey({ flags, kind: 'wallet', value, address: walletOf(value).address }, context);
}

function importedText({ env, name }: KeyFlags, { env: environment, keyboard }: CommandContext): string {
  if (env !== undefined) {
    const given = environment[env];
    if (given) return given;
    throw new ConfigError('the environment variable of --env is empty or not set');
  }
  const text = keyboard.present ? keyboard.ask(`The key for ${name}: `, { hidden: true }) : keyboard.piped();
  if (text.trim() !== '') return text.trim();
  throw new ConfigError(
    'no key was given. Pipe it into the command, or name an environment variable with --env',
  );
}

function requireFree(name: string, context: CommandContext): void {
  if (hasKey(folderOf(context), checkKeyName(name)))
    throw new ConfigError(`there is a key ${name} already. Use another name, or remove it first`, { name });
}

type NewKey = Readonly<{ flags: KeyFlags; kind: KeyKind; value: string; address: string | null }>;

function storeKey({ flags, kind, value, address }: NewKey, context: CommandContext): number {
  const { name, passwordFile: file } = flags;
  requireFree(name, context);
  context.secrets.register(value);
  const password = passwordFor(context, { what: `the new key ${name}`, file, fresh: true, ...BY_FILE });
  addKeyFile(
    folderOf(context),
    name,
    sealKey({ name, kind, address, value }, { password, bytes: secureBytes }),
  );
  context.terminal.err(
    `stored in ${folderOf(context)}. Without its password nobody can open it: keep copies of both`,
  );
  return printRow({ name, kind, address, verified: true }, context);
}

/** A key as stated in its file, unverified; without kind and address if the file names another key. */
function rowOf(name: string, context: CommandContext): KeyRow {
  const label = labelOfKey(readKeyFile(folderOf(context), name));
  return { ...(label?.name === name ? label : { name, kind: null, address: null }), verified: false };
}

function printRow({ name, kind, address, verified }: KeyRow, context: CommandContext): number {
  const doubt = verified
    ? ''
    : '  (unverified: as its file states; with the password it is derived from the key)';
  const text = `${name}  ${kind ?? 'unreadable'}  ${address ?? '-'}${doubt}`;
  return printResult(context, { name, kind, address, verified }, text);
}

/** `drover keys list` */
export function keysList(_flags: object, context: CommandContext): number {
  const rows = keyNames(folderOf(context)).map((name) => rowOf(name, context));
  const cells = rows.map(({ name, kind, address }) => [name, kind ?? 'unreadable', address ?? '-']);
  const text = table(['name', 'kind', 'address (unverified)'], cells);
  return printResult(context, rows, rows.length === 0 ? `no keys in ${folderOf(context)}` : text);
}

/** `drover keys show NAME`: shows its address, never the key. Opens it if the password is available, without prompting. */
export async function keysShow(flags: KeyFlags, context: CommandContext): Promise<number> {
  const { name, passwordFile } = flags;
  const hasPassword =
    passwordFile !== undefined || placeOfVariable(SECRET_VARIABLES.password, context.env) !== null;
  const row = hasPassword ? { ...(await opened(flags, context)), verified: true } : rowOf(name, context);
  return printRow(row, context);
}

/** @throws {ConfigError} when it cannot be opened, or the address in its file is not the key's */
async function opened({ name, passwordFile: file }: KeyFlags, context: CommandContext): Promise<StoredKey> {
  const text = readKeyFile(folderOf(context), name);
  const password = passwordFor(context, { what: `the key ${name}`, file, ...BY_FILE });
  const key = openKey(text, { name, password });
  if (key.kind === 'secret') return key;
  const { walletOf } = await import('../../../wallet/account.ts');
  const { address } = walletOf(key.value);
  if (address === key.address) return key;
  throw new ConfigError(
    `the key ${name} belongs to ${address}, and its file states another address. ` +
      'The file was not made by `drover keys`: find out who wrote it before you use the key',
    { name },
  );
}

/** Asks a person to confirm; without a terminal only `--yes` counts. @throws {SafetyError} when nobody has agreed */
function requireYes(what: string, { yes }: KeyFlags, { keyboard }: CommandContext): void {
  if (yes) return;
  if (keyboard.present && /^y(es)?$/i.test(keyboard.ask(`${what} [y/N] `))) return;
  throw new SafetyError(`nothing was done: ${what} Pass --yes if that is what you want`);
}

/** `drover keys export NAME`: the only command that prints a key. */
export async function keysExport(flags: KeyFlags, context: CommandContext): Promise<number> {
  requireYes(`Print the key ${flags.name} unencrypted?`, flags, context);
  const { name, kind, address, value } = await opened(flags, context);
  return printResult(context, { name, kind, address, value }, value);
}

/** `drover keys remove NAME` */
export function keysRemove(flags: KeyFlags, context: CommandContext): number {
  const row = rowOf(flags.name, context);
  requireYes(`Remove the key ${flags.name} for good?`, flags, context);
  removeKeyFile(folderOf(context), flags.name);
  return printRow(row, context);
}

/** `drover keys change-password NAME` */
export async function keysChangePassword(flags: KeyFlags, context: CommandContext): Promise<number> {
  const { name, newPasswordFile: file } = flags;
  const key = await opened(flags, context);
  context.secrets.register(key.value);
  const password = passwordFor(context, {
    what: `the key ${name} from now on`,
    file,
    fresh: true,
    variable: SECRET_VARIABLES.newPassword,
    flag: '--new-password-file',
  });
  replaceKeyFile(folderOf(context), name, sealKey(key, { password, bytes: secureBytes }));
  return printRow({ ...key, verified: true }, context);
}
