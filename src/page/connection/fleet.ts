import { effect, signal } from '@preact/signals';
import { Connection } from './connection.ts';
import type { SignIn } from './signIn.ts';
import type { Surroundings } from './surroundings.ts';

/** Delay in ms before the page retries its first requests. */
const AGAIN_MS = 2_000;

/** Every daemon of the page, with its connection. */
export class Fleet {
  readonly daemons = signal<readonly Connection[]>([]);
  /** Reason why the page cannot show anything yet; null if nothing is wrong. */
  readonly problem = signal<string | null>(null);
  readonly #signIn: SignIn;
  readonly #surroundings: Surroundings;

  constructor(signIn: SignIn, surroundings: Surroundings) {
    this.#signIn = signIn;
    this.#surroundings = surroundings;
  }

  /** Signs in with a code, if there is one, and connects to every daemon while the user is signed in. */
  async begin({ code, path }: Readonly<{ code: string | null; path: string }>): Promise<void> {
    if (code !== null) await this.#signIn.enter({ code }, path);
    await this.#until(() => this.#signIn.check());
    effect(() => {
      if ((this.#signIn.session.value?.role ?? null) === null) this.#disconnect();
      else void this.#connect();
    });
  }

  async #connect(): Promise<void> {
    if (this.daemons.peek().length === 0) {
      const members = await this.#until(() => this.#signIn.fleet());
      this.daemons.value = members.map((member) => new Connection(member, this.#signIn, this.#surroundings));
    }
    for (const daemon of this.daemons.peek()) daemon.open();
  }

  #disconnect(): void {
    for (const daemon of this.daemons.peek()) daemon.close();
  }

  /** Retries until there is a response, and shows in the meantime why there is none. */
  async #until<T>(act: () => Promise<T>): Promise<T> {
    for (;;)
      try {
        const value = await act();
        this.problem.value = null;
        return value;
      } catch (error) {
        this.problem.value = error instanceof Error ? error.message : 'This failed unexpectedly.';
        await new Promise<void>((resolve) => {
          this.#surroundings.after(AGAIN_MS, resolve);
        });
      }
  }
}
