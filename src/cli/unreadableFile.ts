import { codeOf, ConfigError, messageOf } from '../core/errors.ts';

const CAUSES: Readonly<Record<string, Readonly<{ why: string; remedy?: string }>>> = {
  ENOENT: { why: 'there is no such file' },
  ENOTDIR: { why: 'there is no such file' },
  EISDIR: { why: 'is a folder', remedy: 'Name a file in it' },
  EACCES: {
    why: 'this user may not read it',
    remedy: 'Give this user the right to (chmod u+r), or name another file',
  },
};

/**
 * The error for a file named by the user that cannot be read.
 * @param remedy what to do when there is none
 */
export function unreadableFile(file: string, cause: unknown, remedy = 'Correct the path'): ConfigError {
  const known = CAUSES[codeOf(cause) ?? ''];
  const why = known?.why ?? `cannot be read: ${messageOf(cause)}`;
  return new ConfigError(`${file}: ${why}. ${known?.remedy ?? remedy}`, { file }, { cause });
}
