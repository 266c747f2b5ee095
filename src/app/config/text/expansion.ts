import { NOTIFY_PREFIX, SECRET_VARIABLE_NAMES, type Environment } from '../../../process/environment.ts';
import type { Problem } from '../problems.ts';

/** Prefix of the variables that set a value of the config: `DROVER__LIMITS__DAYLOSS`. */
export const OVERRIDE_PREFIX = 'DROVER__';

/** `$${` is a literal `${`; `${NAME}` and `${NAME:-default}` are values from the environment. */
const REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g;
const NAME = /^([A-Za-z_]\w*)(?::-([^]*))?$/;

const isSecretVariable = (name: string): boolean =>
  SECRET_VARIABLE_NAMES.includes(name) || name.startsWith(NOTIFY_PREFIX);

/** True for a variable that sets a value of the config, or was meant to: `DROVER_LIMITS__DAYLOSS`, in any case. */
export const isOverride = (name: string): boolean =>
  /^drover_(?:_|.+__)/i.test(name) && !isSecretVariable(name);

/** A text with its variables replaced; those that cannot be are passed to `refuse` and left as they are. */
export const expanded = (
  text: string,
  env: Environment,
  refuse: (problem: Omit<Problem, 'path'>) => void = () => undefined,
): string =>
  text.replace(REFERENCE, (whole, inner?: string, end?: string) => {
    if (inner === undefined) return '${';
    const stays = (problem: string, remedy: string) => {
      refuse({ problem, remedy });
      return whole;
    };
    const [, name, fallback] = end === '' ? [] : (NAME.exec(inner) ?? []);
    if (name === undefined)
      return stays('a ${ must name a variable', 'Write ${NAME} or ${NAME:-default}; $${ is a plain ${');
    if (isSecretVariable(name))
      return stays(`${name} holds a secret, and must not be put in here`, 'drover reads it itself');
    const value = env[name];
    const given = value === undefined || (value === '' && fallback !== undefined) ? fallback : value;
    return given ?? stays(`the variable ${name} is not set`, `Set it, or write \${${name}:-default}`);
  });
