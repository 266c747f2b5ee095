import type { Secrets } from '../../core/secrets.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that hold secrets, by secret. */
export const SECRET_VARIABLES = {
  apiKey: 'DROVER_API_KEY',
  apiSecret: 'DROVER_API_SECRET',
  walletKey: 'DROVER_WALLET_KEY',
  /** Opens the key store. */
  password: 'DROVER_KEYSTORE_PASSWORD',
  newPassword: 'DROVER_KEYSTORE_NEW_PASSWORD',
} as const;

/** Their names. */
export const SECRET_VARIABLE_NAMES: readonly string[] = Object.values(SECRET_VARIABLES);

/** Masks what the environment holds, before anything can print it. */
export function registerEnvironment({
  env,
  secrets,
}: Readonly<{ env: Environment; secrets: Secrets }>): void {
  for (const name of SECRET_VARIABLE_NAMES) secrets.register(env[name] ?? '');
}

/**
 * A copy of the environment of the process, out of which its secrets are taken: neither strategies nor children see them.
 * `eraseEnvironment` takes them out of what the system shows of the process.
 */
export function takeEnvironment(env: Record<string, string | undefined>): Environment {
  const own = { ...env };
  for (const name of SECRET_VARIABLE_NAMES) Reflect.deleteProperty(env, name);
  return own;
}
