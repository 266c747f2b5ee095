import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { ConfigError } from '../../../core/errors.ts';
import { shownText } from '../../../core/printable.ts';
import { stocks } from '../../../emulator/market/listings.ts';
import type { CommandContext } from '../../../process/context.ts';
import { atPath, makeFile, PACKAGE_FOLDER, readText } from '../../../process/files.ts';
import { printResult } from '../../../process/output.ts';
import { shellWord } from '../../../process/quotedCommand.ts';
import {
  botName,
  fillTemplate,
  packageJson,
  TEMPLATES,
  tsconfigJson,
  unitFile,
  unitText,
  type BotTerms,
} from './project.ts';
import { askFor, DEFAULTS, type Answers, type Checks } from './questions.ts';
import { droverSpec, packagesOf } from './source.ts';

type InitFlags = Readonly<{
  folder?: string;
  symbol?: string;
  capital?: string;
  drover?: string;
  yes?: boolean;
}>;

/**
 * `drover init [FOLDER]`: writes a bot into a new or empty folder: strategy, test, configs, package.json, service unit. Prompts for
 * anything that flags leave open, on a terminal and without `--yes` or `--json`.
 * @throws {ConfigError} when the folder is not empty or not writable, or a flag's value is invalid; nothing is written then
 */
export async function init(flags: InitFlags, context: CommandContext): Promise<number> {
  const { folder, terms } = await choicesOf(flags, context);
  const drover = droverSpec(flags.drover, context.cwd);
  const files = filesOf(terms, drover);
  writeAll(folder, files);
  const where = relative(context.cwd, folder);
  const steps = [
    ...unbuilt(drover),
    ...(where === '' ? [] : [`cd ${shellWord(where)}`]),
    'npm install',
    'npm start',
    'npm test',
  ];
  const names = [...files.keys()].sort();
  const lines = [
    `${terms.name} in ${folder}, with drover ${drover}:`,
    ...names.map((name) => `  ${name}`),
    `next (\`npm start\` trades ${terms.symbol} on the emulator, without a key or a network):`,
    ...steps.map((step) => `  ${step}`),
  ];
  return printResult(context, { folder, ...terms, drover, files: names, next: steps }, lines.join('\n'));
}

/** Extra first step for a bot that uses a clone: `npm start` there does not build what tests and editors need. */
function unbuilt(drover: string): string[] {
  const folder = /^file:(.*)$/.exec(drover)?.[1] ?? '';
  const isClone = existsSync(join(folder, 'src', 'index.ts'));
  return isClone && !existsSync(join(folder, 'dist', 'testing', 'index.d.ts'))
    ? [`npm run build --prefix ${shellWord(folder)}`]
    : [];
}

/** Folder and terms from flags, the person's answers, and defaults. */
async function choicesOf(
  flags: InitFlags,
  context: CommandContext,
): Promise<Readonly<{ folder: string; terms: BotTerms }>> {
  const { cwd, keyboard, json } = context;
  const { folder, symbol, capital, yes = false } = flags;
  const checks = checksFrom(cwd);
  const given = { folder, symbol, capital };
  for (const key of ['folder', 'symbol', 'capital'] as const) refuseWrong(given[key], checks[key]);
  const isAsked = keyboard.streams !== undefined && !yes && !json;
  if (!isAsked) refuseWrong(folder ?? DEFAULTS.folder, checks.folder);
  const answers: Answers = isAsked
    ? await askFor(given, checks, keyboard.streams)
    : {
        folder: folder ?? DEFAULTS.folder,
        symbol: symbol ?? DEFAULTS.symbol,
        capital: capital ?? DEFAULTS.capital,
      };
  const path = resolve(cwd, answers.folder);
  const terms = { name: botName(path), symbol: answers.symbol, capital: Number(answers.capital) };
  return { folder: path, terms };
}

const [CAPITAL_MIN, CAPITAL_MAX] = [100, 50_000];

/** Stocks that the emulator trades. */
const SYMBOLS = stocks.flatMap(({ listing }) => (listing.tradable ? [listing.symbol as string] : []));

const checksFrom = (cwd: string): Checks => ({
  folder: (text) => occupation(resolve(cwd, text)),
  symbol: (text) =>
    SYMBOLS.includes(text)
      ? undefined
      : `the emulator has no stock ${shownText(text, 40)}. Use one of ${SYMBOLS.join(', ')}; later, config/ accepts any symbol of the venue`,
  capital: (text) => {
    const isWhole = /^\d{1,9}$/.test(text);
    const isFitting = isWhole && Number(text) >= CAPITAL_MIN && Number(text) <= CAPITAL_MAX;
    return isFitting
      ? undefined
      : `the capital must be a whole number from ${CAPITAL_MIN} to ${CAPITAL_MAX}, not ${shownText(text, 40)}`;
  },
});

function refuseWrong(text: string | undefined, check: (text: string) => string | undefined): void {
  const problem = text === undefined ? undefined : check(text);
  if (problem !== undefined) throw new ConfigError(`${problem}. Nothing was written`);
}

/** Names that may exist in an empty folder: a repository without files. */
const IGNORED = ['.git'];
const SHOWN_NAMES = 5;

/** The reason why a folder cannot take a new bot; undefined if it is empty or does not exist. */
function occupation(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  if (!statSync(folder).isDirectory()) return `${folder} is a file. Name a new folder, such as my-bot`;
  const names = atPath(folder, { what: 'read', remedy: 'Name another folder' }, () => readdirSync(folder));
  const others = names.filter((name) => !IGNORED.includes(name)).sort();
  if (others.length === 0) return undefined;
  const shown = others.slice(0, SHOWN_NAMES).join(', ') + (others.length > SHOWN_NAMES ? ', …' : '');
  const own = [...Object.values(TEMPLATES), 'package.json', 'tsconfig.json', 'deploy/'];
  return `${folder} is not empty (${shown}), and \`drover init\` would write ${own.join(', ')}. Name a new folder, such as my-bot`;
}

/** Contents of all files of a new bot by path. */
function filesOf(terms: BotTerms, drover: string): ReadonlyMap<string, string> {
  const own = (...path: string[]) => readText(join(PACKAGE_FOLDER, ...path));
  return new Map([
    ['package.json', packageJson(terms, packagesOf(drover))],
    ['tsconfig.json', tsconfigJson()],
    ...Object.entries(TEMPLATES).map(
      ([template, path]) => [path, fillTemplate(own('templates', template), terms)] as const,
    ),
    [unitFile(terms.name), unitText(own('deploy', 'drover.service'), terms.name)],
  ]);
}

const PLACE = { what: 'written', remedy: 'Make room, let this user write there, or name another folder' };

/** Writes files into a folder without overwriting any; if one fails, removes the files and folders it created. */
function writeAll(folder: string, files: ReadonlyMap<string, string>): void {
  const written: string[] = [];
  try {
    for (const [path, text] of files) {
      const file = join(folder, path);
      atPath(file, PLACE, () => {
        const made = mkdirSync(dirname(file), { recursive: true });
        if (made !== undefined) written.push(made);
        makeFile(file, [text]);
      });
      written.push(file);
    }
  } catch (error) {
    for (const path of written) rmSync(path, { recursive: true, force: true });
    throw error;
  }
}
