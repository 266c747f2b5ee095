import { basename } from 'node:path';

/** Choices of the person creating a bot. */
export type BotTerms = Readonly<{
  /** Name of package, strategy and service: lower-case letters, digits and hyphens. */
  name: string;
  symbol: string;
  /** Whole mUSD. */
  capital: number;
}>;

/** Packages of the new folder, each with the version range for its package.json. */
export type Packages = Readonly<{
  dependencies: Readonly<Record<string, string>>;
  devDependencies: Readonly<Record<string, string>>;
  engines: Readonly<Record<string, string>>;
}>;

/** Template names, and the files made from them. */
export const TEMPLATES: Readonly<Record<string, string>> = {
  'README.md': 'README.md',
  gitignore: '.gitignore',
  'strategy.ts': 'strategy.ts',
  'strategy.test.ts': 'strategy.test.ts',
  'config/emulator.yaml': 'config/emulator.yaml',
  'config/dry-run.yaml': 'config/dry-run.yaml',
  'config/live.yaml': 'config/live.yaml',
};

/** Terms in the templates themselves, so that a hand-made copy works too. */
export const TEMPLATE_TERMS: BotTerms = { name: 'my-bot', symbol: 'SPY', capital: 10_000 };

const NAME_MAX = 40;

/** Packages in the folder: npm does not install one into a package of the same name. */
const TAKEN = ['drover', 'zod', 'tsx', 'typescript'];

/** Name of a bot derived from its folder: `My Bot` gives `my-bot`; the template's name if no character is usable. */
export function botName(folder: string): string {
  const words = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, NAME_MAX)
    .replace(/^-+|-+$/g, '');
  if (words === '') return TEMPLATE_TERMS.name;
  return TAKEN.includes(words) ? `${words}-bot` : words;
}

/** Path of the systemd unit in a bot's folder. */
export const unitFile = (name: string): string => `deploy/${name}.service`;

/** A template with a bot's terms filled in: orders up to twice its capital, at most a tenth lost per day. */
export function fillTemplate(text: string, { name, symbol, capital }: BotTerms): string {
  const own = TEMPLATE_TERMS;
  const amounts: Readonly<Record<string, string>> = {
    [`'${own.capital}'`]: `'${capital}'`,
    [`'${2 * own.capital}'`]: `'${2 * capital}'`,
    [`'${own.capital / 10}'`]: `'${capital / 10}'`,
  };
  return text
    .replace(/'\d+'/g, (amount) => amounts[amount] ?? amount)
    .replaceAll(own.name, name)
    .replaceAll(`'${own.symbol}'`, `'${symbol}'`)
    .replaceAll(`generate ${own.symbol} `, `generate ${symbol} `);
}

/** The systemd unit of the package, for a bot in `/opt/NAME` with its state in `/var/lib/NAME`. */
export const unitText = (unit: string, name: string): string =>
  unit
    .replace(/^#.*\n#.*\n/, header(name))
    .replaceAll(
      '/etc/drover/live.yaml --live',
      `/opt/${name}/config/live.yaml --live --state /var/lib/${name}/state`,
    )
    .replaceAll('/etc/drover/', `/etc/${name}/`)
    .replaceAll('/opt/drover/', `/opt/${name}/`)
    .replaceAll('/var/lib/drover', `/var/lib/${name}`)
    .replaceAll('StateDirectory=drover', `StateDirectory=${name}`)
    .replaceAll('=drover trading daemon', `=${name}, a drover trading daemon`);

const header = (name: string): string =>
  `# ${name} as a service of systemd: this folder in /opt/${name}, and the user drover.\n` +
  `# node_modules/drover/docs/service.md has the steps, and says why each line is as it is.\n`;

/** `package.json`: prevents npm from running two packages' install scripts, and from warning that it did not. */
export function packageJson({ name }: BotTerms, packages: Packages): string {
  return json({
    name,
    private: true,
    type: 'module',
    scripts: {
      start: 'drover run config/emulator.yaml --until close',
      test: 'tsx --test *.test.ts',
      types: 'tsc --noEmit',
    },
    ...packages,
    allowScripts: { '@photostructure/sqlite': false, esbuild: false },
  });
}

/** `tsconfig.json` for the editor and `npm run types`; drover itself does not need one. */
export const tsconfigJson = (): string =>
  json({
    compilerOptions: {
      target: 'es2023',
      lib: ['es2023'],
      module: 'nodenext',
      types: ['node'],
      strict: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
    },
    include: ['*.ts'],
  });

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
