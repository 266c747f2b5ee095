import { resolve, join } from 'node:path';
import { machine, untilAborted } from '../../../core/clock.ts';
import { ConfigError, closingAfter } from '../../../core/errors.ts';
import { silentLog } from '../../../core/log.ts';
import { secureBytes } from '../../../core/random.ts';
import type { DaemonClient } from '../../../ops/client.ts';
import type { Upstream } from '../../../ops/page/gateway.ts';
import type { CommandContext } from '../../../process/context.ts';
import { findDaemon } from '../../../app/environment/daemons.ts';
import { isLogged, wordsFor } from '../../../app/environment/invitation.ts';
import { lockFolders } from '../../../app/environment/locks.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { PACKAGE_FOLDER, PAGE_FOLDER } from '../../../process/files.ts';
import { printResult } from '../../../process/output.ts';
import { programName } from '../../../process/programName.ts';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';

type DashboardFlags = Readonly<{
  state?: string;
  fleet?: string;
  open?: boolean;
  readOnly?: boolean;
  signOut?: boolean;
}>;

const roleOf = ({ readOnly }: DashboardFlags): 'read' | 'operate' => (readOnly ? 'read' : 'operate');

/** URL that signs a browser in once, valid for `expiresInMs`. */
type Invitation = Readonly<{ url: string; expiresInMs: number }>;

/**
 * `drover dashboard`: prints the URL of the page with a one-time code. For a run that does not listen on TCP, and for several daemons,
 * it serves the page itself until stopped.
 * @throws {ConfigError} when no daemon runs, or several do and none is named
 */
export async function dashboard(flags: DashboardFlags, context: CommandContext): Promise<number> {
  if (flags.signOut && flags.fleet !== undefined)
    throw new ConfigError(
      '--sign-out is for one run: name it with --state. The page of a fleet ends when its command ends',
    );
  if (flags.fleet !== undefined) {
    const { fleetIn } = await import('../../../app/config/fleet.ts');
    const upstreams = fleetIn(resolve(context.cwd, flags.fleet), context.secrets);
    return serve({ upstreams, stateDir: null, flags }, context);
  }
  const found = await findDaemon(flags, context);
  if (!found?.client)
    throw new ConfigError(
      'there is no run to look at: start one with `drover run`, or name its state folder with --state',
    );
  const { client, stateDir } = found;
  return closingAfter(client, async () => {
    if (flags.signOut) {
      await client.endSessions();
      return printResult(
        context,
        { signedOut: true },
        'every browser is signed out, and all one-time codes are void',
      );
    }
    const { code, url, expiresInMs } = await client.sessionCode(roleOf(flags));
    if (url === null) return serveOne({ stateDir, client, flags }, context);
    const { inviteTo } = await import('../../../ops/page/signIn.ts');
    await show({ url: inviteTo(url, code), expiresInMs }, flags, context);
    return EXIT.done;
  });
}

type Single = Readonly<{ stateDir: string; client: DaemonClient; flags: DashboardFlags }>;

/** Serves the page of a run that does not serve it itself. */
async function serveOne({ stateDir, client, flags }: Single, context: CommandContext): Promise<number> {
  const [{ onSocketIn }, { fleetSchema }] = await Promise.all([
    import('../../../app/config/fleet.ts'),
    import('../../../ops/page/fleet.ts'),
  ]);
  const { daemons } = await client.get('/v1/fleet', fleetSchema);
  const upstream = { name: daemons[0]?.name ?? stateDir, base: '', reach: onSocketIn(stateDir) };
  return serve({ upstreams: [upstream], stateDir, flags }, context);
}

type DashboardParts = Readonly<{
  upstreams: readonly Upstream[];
  stateDir: string | null;
  flags: DashboardFlags;
}>;

/** Serves the page on loopback until stopped. */
async function serve(
  { upstreams, stateDir, flags }: DashboardParts,
  context: CommandContext,
): Promise<number> {
  const { openGateway } = await import('../../../ops/page/gateway.ts');
  const signal = context.stopSignal();
  const gateway = await openGateway({
    upstreams,
    listen: { host: '127.0.0.1', port: 0 },
    stateDir,
    folder: PAGE_FOLDER,
    program: programName({ cwd: context.cwd, packageFolder: PACKAGE_FOLDER }),
    bytes: secureBytes,
    clock: context.clock,
    host: machine,
    secrets: context.secrets,
    log: silentLog,
  });
  await closingAfter(gateway, async () => {
    await show(gateway.invite(roleOf(flags)), flags, context);
    context.terminal.err('This command serves the page until Ctrl-C. The run continues without it.');
    await untilAborted(signal);
  });
  return EXIT.done;
}

async function show(
  invitation: Invitation,
  { open }: DashboardFlags,
  context: CommandContext,
): Promise<void> {
  const { url, expiresInMs } = invitation;
  const rule = `It signs one browser in, once, within ${expiresInMs / 60_000} minutes.`;
  if (isLogged(context)) {
    const [folder = ''] = lockFolders(context);
    const words = wordsFor(url, folder);
    printResult(context, { url: null, expiresInMs, text: words }, `${words}. ${rule}`);
  } else printResult(context, invitation, `${url}\n${rule}`);
  if (!open) return;
  await openInBrowser(invitation.url, context);
}

/** Programs that open a file with the user's default application, by Node's name of the system. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['explorer'],
};
const XDG = ['xdg-open'] as const;

/** Environment variables that such a program needs; none of them holds a secret. */
const PASSED_ON =
  /^(PATH|HOME|USER|LANG|LC_\w+|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|SystemRoot|WSL\w*)$/;

/** Time in ms for a browser to read the file. */
const READ_MS = 10_000;

/**
 * Opens a URL in the browser of this machine. The URL signs in whoever opens it first, and other users can see a program's arguments,
 * so it is passed through a private file.
 */
export async function openInBrowser(url: string, context: CommandContext): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-page-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  context.onExit(remove);
  const file = join(folder, 'open.html');
  writeFileSync(file, `<!doctype html>\n<meta http-equiv="refresh" content="0; url=${url}">\n`, {
    mode: 0o600,
  });
  const [program, ...flags] = OPENERS[platform()] ?? XDG;
  const env = Object.fromEntries(Object.entries(context.env).filter(([name]) => PASSED_ON.test(name)));
  const isOpened = await new Promise<boolean>((resolve) => {
    execFile(program, [...flags, file], { env, timeout: READ_MS }, (error) => resolve(error === null));
  });
  if (isOpened) await context.clock.sleep(READ_MS, context.stopSignal()).catch(() => undefined);
  else context.terminal.err('No browser could be opened: open the address yourself.');
  remove();
}
