import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { ConfigError, messageOf } from '../../core/errors.ts';
import type { Secrets } from '../../core/secrets.ts';
import { socketOf } from '../../ops/control/socket.ts';
import { upstreamName, type Upstream } from '../../ops/page/gateway.ts';
import { readPrivateFile, readText } from '../../process/files.ts';
import { baseUrl, filePath } from './fields.ts';

const local = z.strictObject({ name: upstreamName, state: filePath() });
const remote = z.strictObject({ name: upstreamName, url: baseUrl(), tokenFile: filePath() });
const fleet = z.strictObject({
  daemons: z
    .array(z.union([local, remote]))
    .min(1)
    .max(100)
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'must not repeat a name'),
});
type Member = z.output<typeof fleet>['daemons'][number];

const FORM =
  'It is a list `daemons:` of { name, state: FOLDER } and { name, url: https://…, tokenFile: FILE }. Nothing was started';

/**
 * Daemons listed in a file, for a gateway. Paths are resolved from the folder of the file.
 * @throws {ConfigError} saying what is wrong with it
 * @throws {SafetyError} when others can read a token file
 */
export function fleetIn(file: string, secrets: Secrets): readonly Upstream[] {
  const { data, error } = fleet.safeParse(yamlIn(file));
  if (error) throw new ConfigError(`${file}: ${secrets.redact(z.prettifyError(error))}. ${FORM}`, { file });
  return data.daemons.map((member) => upstreamOf(member, dirname(file), secrets));
}

function yamlIn(file: string): unknown {
  try {
    return parse(readText(file)) as unknown;
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    throw new ConfigError(`${file}: ${messageOf(cause)}. ${FORM}`, { file }, { cause });
  }
}

function upstreamOf(member: Member, folder: string, secrets: Secrets): Upstream {
  const base = `d/${encodeURIComponent(member.name)}/`;
  if ('state' in member) return { name: member.name, base, reach: onSocketIn(resolve(folder, member.state)) };
  const token = secrets.register(readPrivateFile(resolve(folder, member.tokenFile)));
  const place = { url: member.url, token };
  return { name: member.name, base, reach: () => place };
}

/** Finds the socket of the daemon that currently runs on a state folder. */
export const onSocketIn =
  (stateDir: string): Upstream['reach'] =>
  () => {
    const socket = socketOf(stateDir);
    return socket === null ? null : { socket };
  };
