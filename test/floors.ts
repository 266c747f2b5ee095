import { dirname, join } from 'node:path';
import ts from 'typescript';

/** Floors from the ground up: a folder imports from floors below its own, and from itself. */
const FLOORS = [
  ['core'],
  ['calendar', 'domain'],
  ['strategy', 'statistics'],
  ['figures', 'api', 'wallet', 'sim', 'market', 'store'],
  ['venue', 'engine'],
  ['backtest', 'report', 'emulator', 'testing'],
  ['lab'],
  ['ops'],
  ['process'],
  ['app'],
  ['cli', 'page'],
];

/** Rooms of a folder, from the ground up: each imports from those before it. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  engine: [
    'state',
    'risk',
    'intents',
    'synthetic',
    'account',
    'treasury',
    'orders',
    'strategy',
    'operator',
    'kernel',
    'runtime',
  ],
  app: [
    'keys',
    'config',
    'realm',
    'strategies',
    'isolation',
    'environment',
    'doctor',
    'transfers',
    'data',
    'backtest',
    'lab',
    'run',
  ],
  emulator: ['market', 'state', 'faults', 'trading', 'chain', 'views', 'routes', 'rpc', 'machine', 'http'],
};
/** Folders whose own files put the rooms together. */
const ASSEMBLED = ['emulator'];

/** Packages that the page is built with. */
export const IN_THE_BROWSER = ['preact', 'preact/hooks', '@preact/signals'];

/** Every module that a source imports: static, `import type`, `export from`, `import()` of value or type. */
export const importsOf = (source: string): string[] =>
  ts.preProcessFile(source, true, true).importedFiles.map(({ fileName }) => fileName);

export const floorOf = (folder: string) => FLOORS.findIndex((folders) => folders.includes(folder));

/** Problem of `file` importing `target`, or null. */
export function wrongImport(file: string, target: string): string | null {
  const [root = '', folder = ''] = file.split('/');
  if (root === 'strategies')
    return ['drover/strategy', 'zod'].includes(target)
      ? null
      : 'a strategy imports drover/strategy and zod alone';
  if (/^drover(\/|$)/.test(target)) return 'the package does not import itself by name';
  if (folder === 'page' && !target.startsWith('.'))
    return IN_THE_BROWSER.includes(target) ? null : 'the page imports preact alone';
  if (!target.startsWith('.')) return null;
  if (folder === 'page' && target.endsWith('.css')) return null;
  if (!/\.tsx?$/.test(target)) return 'a relative import names its file';
  const [toRoot = '', to = '', ...inside] = join(dirname(file), target).split('/');
  if (toRoot !== 'src') return 'the product imports nothing beside it';
  if (file === 'src/index.ts') return null;
  if (to === folder) return wrongRoom(file, inside);
  if (inside.length === 0) return 'nothing imports the public face of the package';
  if (folder === 'emulator' && (to === 'sim' || (to === 'api' && inside[0] === 'endpoints'))) return null;
  const [from, onto] = [floorOf(folder), floorOf(to)];
  if (from < 0 || onto < 0) return 'a folder stands on a floor';
  return onto < from ? null : `${folder} does not stand on ${to}`;
}

/** Problem of a file importing `target`, a path inside its own folder, or null. */
function wrongRoom(file: string, [to = '']: readonly string[]): string | null {
  const [, folder = '', room = ''] = file.split('/');
  const rooms = ROOMS[folder];
  if (!rooms || (room.endsWith('.ts') && ASSEMBLED.includes(folder))) return null;
  const [from, onto] = [rooms.indexOf(room), rooms.indexOf(to)];
  if (from < 0 || onto < 0) return `a file of ${folder} is in one of its rooms`;
  return onto <= from ? null : `${folder}/${room} does not stand on ${folder}/${to}`;
}
