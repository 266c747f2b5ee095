import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandContext } from '../../../process/context.ts';

/** Programs that open a file as the user's system wants it, by its name in Node. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['explorer'],
};
const XDG = ['xdg-open'] as const;

/** Variables that such a program needs; none of them holds a secret. */
const PASSED_ON =
  /^(PATH|HOME|USER|LANG|LC_\w+|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|SystemRoot|WSL\w*)$/;

/** Time in ms that a browser has to read the file. */
const READ_MS = 10_000;

/**
 * Opens an address in the browser of this machine. The address signs in whoever opens it first, and other users see the arguments of a
 * program: a private file leads there instead.
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
