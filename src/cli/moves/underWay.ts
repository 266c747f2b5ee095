import type { CommandContext } from '../context.ts';

/**
 * Waits for a send, which the first Ctrl-C does not end and the second one does: each tells what that means. `look`: how to
 * find out what became of it.
 */
export async function underWay<T>(
  { terminal, stopSignal }: CommandContext,
  look: string,
  send: () => Promise<T>,
): Promise<T> {
  const signal = stopSignal(() =>
    terminal.err(
      `ended in the middle of the send. It may have been taken or not: look with ${look} for some minutes, and do not ` +
        'send it again before you know',
    ),
  );
  const tell = () =>
    terminal.err(
      'the send is under way and is waited for. A second Ctrl-C ends the program without knowing what became of it',
    );
  signal.addEventListener('abort', tell, { once: true });
  try {
    return await send();
  } finally {
    signal.removeEventListener('abort', tell);
    stopSignal();
  }
}
