import { ConfigError } from '../../core/errors.ts';
import type { Secrets } from '../../core/secrets.ts';
import { openStoredKey, type SecretsContext } from '../keys/keyFolder.ts';
import { readPrivateFile } from '../../process/files.ts';
import type { ControlConfig } from './control.ts';
import { givenSecret, isSecretText } from '../keys/credentials.ts';
import { isLoopback } from './fields.ts';
import { SECRET_VARIABLES } from '../../process/environment.ts';

/** Token roles: `read` may only view, `operate` may also give commands. */
const ROLES = ['read', 'operate'] as const;
type Role = (typeof ROLES)[number];
type Tokens = Readonly<Partial<Record<Role, string>>>;

/** Shortest token, in characters: 128 bits in hex. */
const TOKEN_MIN = 32;

/**
 * Tokens of the control API by role, masked from now on wherever they could be printed. On loopback they are optional: without
 * tokens the codes of `drover dashboard` are the only way in.
 * @throws {ConfigError} when other machines can connect and none is set, one is too short, or both are the same
 * @throws {SafetyError} when others can read the file
 */
export function controlTokens(config: ControlConfig, source: SecretsContext): Tokens {
  const inFile = config.tokens === undefined ? {} : tokensIn(config.tokens, source.secrets);
  const read = tokenOf('read', { config, inFile }, source);
  const operate = tokenOf('operate', { config, inFile }, source);
  const isOpen = config.listen !== undefined && !isLoopback(`http://${config.listen.host}`);
  if (read === undefined && operate === undefined && isOpen)
    throw new ConfigError(
      'control.listen needs a token where other machines can connect, and there is none. Make one with `openssl rand -hex 32`, and put it into ' +
        `${SECRET_VARIABLES.controlRead} or ${SECRET_VARIABLES.controlOperate} in the environment, or a file named by control.tokens. ` +
        'Nothing was started',
    );
  if (read === operate && read !== undefined)
    throw new ConfigError(
      'the read token and the operate token are the same: make another. Nothing was started',
    );
  return { ...(read === undefined ? {} : { read }), ...(operate === undefined ? {} : { operate }) };
}

const VARIABLES: Readonly<Record<Role, string>> = {
  read: SECRET_VARIABLES.controlRead,
  operate: SECRET_VARIABLES.controlOperate,
};

type TokenPlaces = Readonly<{ config: ControlConfig; inFile: Tokens }>;

function tokenOf(role: Role, { config, inFile }: TokenPlaces, source: SecretsContext): string | undefined {
  const name = role === 'read' ? config.readTokenName : config.operateTokenName;
  const given = givenSecret(VARIABLES[role], source.env);
  if (given) return checked(source.secrets.register(given.text), given.where);
  const filed = inFile[role];
  if (filed !== undefined) return checked(filed, `the ${role} token in ${config.tokens ?? 'the file'}`);
  return name === undefined ? undefined : checked(openStoredKey(name, 'secret', source), `the key ${name}`);
}

function tokensIn(file: string, secrets: Secrets): Tokens {
  const tokens: Partial<Record<Role, string>> = {};
  for (const line of readPrivateFile(file, { whole: true }).split('\n')) {
    const [word, token, ...rest] = line.trim().split(/\s+/);
    if (word === '' || word?.startsWith('#')) continue;
    const role = ROLES.find((each) => each === word);
    if (token !== undefined) secrets.register(token);
    if (role === undefined || token === undefined || rest.length > 0)
      throw new ConfigError(`${file}: each line must be \`read TOKEN\` or \`operate TOKEN\``, { file });
    tokens[role] = token;
  }
  return tokens;
}

function checked(token: string, where: string): string {
  if (token.length >= TOKEN_MIN && isSecretText(token)) return token;
  throw new ConfigError(
    `${where} must have at least ${TOKEN_MIN} characters, without spaces: \`openssl rand -hex 32\` makes one. Nothing was started`,
    { where },
  );
}
