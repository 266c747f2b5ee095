import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
  lstatSync,
  readlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pack } from '../e2e/tarball.ts';
import { root as project } from '../e2e/cli.ts';

/** A user without an entry in the user list. */
const USER = 54_321;

/** Null where this machine can run a container: root, own mounts and chroot; otherwise the reason why not. */
export function obstacle(): string | null {
  if (process.getuid?.() !== 0) return 'not root';
  const { status } = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']);
  return status === 0 ? null : 'no mounts of its own';
}

export type Process = Readonly<{
  pid: () => number;
  /** Resolves with the matching line of stdout or stderr. */
  line: (pattern: RegExp) => Promise<string>;
  ended: Promise<Readonly<{ code: number | null; out: string; err: string }>>;
  kill: (signal: NodeJS.Signals) => void;
}>;

const VOLUMES = ['var/lib/drover', 'run/drover', 'etc/drover', 'tmp'];

/** The tree of the image in a folder: `deploy/tree.sh` lays it out, as the Dockerfile does. */
export function imageTree(): string {
  const tree = mkdtempSync(join(tmpdir(), 'drover-image-'));
  chmodSync(tree, 0o755);
  execFileSync('sh', ['deploy/tree.sh', pack().file, 'package-lock.json', tree], { cwd: project });
  for (const folder of ['proc', 'dev', 'usr', 'etc', ...VOLUMES])
    mkdirSync(join(tree, folder), { recursive: true });
  for (const name of ['lib', 'lib64', 'bin'])
    if (lstatSync(`/${name}`, { throwIfNoEntry: false })?.isSymbolicLink())
      symlinkSync(readlinkSync(`/${name}`), join(tree, name));
  return tree;
}

/** A folder as a volume, owned by the container's user. */
export function volume(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drover-volume-'));
  chownSync(folder, USER, USER);
  chmodSync(folder, 0o700);
  return folder;
}

type Container = Readonly<{
  tree: string;
  /** By mount point: a volume for it. */
  volumes: Readonly<Record<string, string>>;
  env?: Readonly<Record<string, string>>;
}>;

/** Runs Node in the tree: its root read-only, as a numeric user, without a terminal, with only volumes to write to. */
export function runIn({ tree, volumes, env = {} }: Container, args: readonly string[]): Process {
  const node = realpathSync(process.execPath);
  const mounts = [
    `mount --bind ${tree} ${tree}`,
    `mount --rbind /usr ${tree}/usr`,
    `mount -t proc proc ${tree}/proc`,
    `mount --rbind /dev ${tree}/dev`,
    `mount -t tmpfs -o mode=1777 tmpfs ${tree}/tmp`,
    ...Object.entries(volumes).map(([at, folder]) => `mount --bind ${folder} ${tree}/${at}`),
    `mount -o remount,ro,bind ${tree}`,
    ...(node.startsWith('/usr/') ? [] : [`mount --bind ${dirname(node)} ${tree}/opt`]),
  ].join(' && ');
  const given = {
    PATH: '/usr/bin:/bin',
    HOME: '/var/lib/drover',
    XDG_RUNTIME_DIR: '/run/drover',
    DROVER__STATE: '/var/lib/drover/state',
    ...env,
  };
  const inside = `cd ${tree} && exec setsid chroot --userspec=${USER}:${USER} ${tree} /usr/bin/env -i -C /var/lib/drover "$@"`;
  const variables = Object.entries(given).map(([name, value]) => `${name}=${value}`);
  const child = spawn(
    'unshare',
    [
      '--mount',
      '--propagation',
      'private',
      'sh',
      '-c',
      `${mounts} && ${inside}`,
      'sh',
      ...variables,
      node,
      ...args,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let [out, err] = ['', ''];
  const looks = new Set<() => void>();
  const take = (add: (text: string) => void) => (chunk: Buffer) => {
    add(chunk.toString());
    for (const look of [...looks]) look();
  };
  child.stdout.on(
    'data',
    take((text) => (out += text)),
  );
  child.stderr.on(
    'data',
    take((text) => (err += text)),
  );
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, out, err }));
  });
  const line = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = `${out}\n${err}`.split('\n').find((text) => pattern.test(text));
        if (found === undefined) return;
        looks.delete(look);
        resolve(found);
      };
      looks.add(look);
      void ended.then(() => reject(new Error(`ended without ${String(pattern)}: ${out}${err}`)));
      look();
    });
  return { pid: () => child.pid ?? 0, line, ended, kill: (signal) => void child.kill(signal) };
}

/** Writes a file into the folder of configs of a container. */
export function configFolder(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'drover-config-'));
  chmodSync(folder, 0o755);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}
