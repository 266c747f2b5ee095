import { requireFill, type UserFill } from '../../backtest/ownFill.ts';
import { ConfigError, messageOf } from '../../core/errors.ts';
import type { FillQuestion } from '../../strategy/fills.ts';
import { privatePaths } from '../config/privatePaths.ts';
import type { CommandContext } from '../../process/context.ts';
import { guarded } from '../realm/realm.ts';
import { bundleLocator, bundleStrategy, entryOf, placedMessage, type Bundle } from './bundleStrategy.ts';
import { placeOf, runBundle, type Realm } from './loadStrategy.ts';

/** True for the name of a code file, where a flag also accepts fixed words. */
export const isCodeFile = (name: string): boolean => /[/\\]|\.[cm]?[jt]s$/.test(name);

/** Code of a file named by a flag, relative to the current folder. @throws {ConfigError} with the place of the problem */
export function bundleOfFlag(name: string, context: CommandContext, queuePassword?: string): Promise<Bundle> {
  const { cwd } = context;
  const kept = privatePaths(context, { folder: cwd, use: name, queuePassword });
  return bundleStrategy(entryOf(name, cwd), cwd, kept);
}

/** Fill model of the file given by `--fill`; no option if it names a built-in model, which `optionsOf` reads. */
export async function fillOption(
  fill: string | undefined,
  context: CommandContext,
  realm: Realm,
): Promise<Readonly<{ fill?: UserFill }>> {
  if (fill === undefined || !isCodeFile(fill)) return {};
  return { fill: await fillIn(await bundleOfFlag(fill, context), realm) };
}

/** Fill model of a bundle, in a compartment. @throws {ConfigError} when its code throws, or is not a fill model */
export async function fillIn(bundle: Bundle, realm: Realm): Promise<UserFill> {
  const { exported } = await runBundle(bundle, realm);
  const { file, hash: codeHash } = bundle;
  const copy = guarded(() =>
    typeof exported === 'object' && exported !== null ? { ...exported } : exported,
  )();
  try {
    requireFill(copy);
  } catch (cause) {
    throw new ConfigError(`${file}: ${messageOf(cause)}`, {}, { cause });
  }
  const { name, fill } = copy;
  const locate = bundleLocator(bundle);
  return {
    name,
    fill: guarded((asked: FillQuestion) => {
      const answer: unknown = fill(asked);
      return typeof answer === 'object' && answer !== null ? { ...answer } : answer;
    }) as UserFill['fill'],
    codeHash,
    place: placeText(bundle),
    explain: (thrown) => placedMessage(thrown, locate),
  };
}

/** Start of a model's function in its source. */
const FUNCTION = /\bfill\s*[(:=,]/;

/** Place of the function in its file; only the file name if it is not on this machine, as at a worker. */
function placeText(bundle: Bundle): string {
  const own = placeOf(bundle, FUNCTION);
  const { line, column, source } = FUNCTION.test(own.source) ? own : placeOf(bundle, /\bexport\s+default\b/);
  return source === '' ? bundle.file : `${bundle.file}:${line}:${column}`;
}
