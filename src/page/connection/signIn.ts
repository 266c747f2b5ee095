import { signal } from '@preact/signals';
import { VERSION } from '../../core/version.ts';
import type { FleetMember } from '../../ops/page/fleet.ts';
import type { SessionView } from '../../ops/page/signIn.ts';
import { ask } from './api.ts';
import type { Surroundings } from './surroundings.ts';

/** Sign-in of this browser at the server of the page: a daemon, or a gateway in front of several. */
export class SignIn {
  /** Null until known. If `role` is null, nobody is signed in. */
  readonly session = signal<SessionView | null>(null);
  /** Version of the page's server if it differs from the page's; null otherwise. */
  readonly otherVersion = signal<string | null>(null);
  /** Reason why the last code or token was refused; null if none was. */
  readonly refusal = signal<string | null>(null);
  readonly #surroundings: Pick<Surroundings, 'fetch'>;

  constructor(surroundings: Pick<Surroundings, 'fetch'>) {
    this.#surroundings = surroundings;
  }

  /** Requests who is signed in. @throws {ApiError} */
  async check(): Promise<SessionView> {
    const session = await ask<SessionView>(this.#surroundings, 'v1/session');
    this.otherVersion.value = session.version === VERSION ? null : session.version;
    this.session.value = session;
    return session;
  }

  /** Signs in, or records why that was refused. `path`: folder of the page. */
  async enter(proof: Readonly<{ code: string } | { token: string }>, path: string): Promise<void> {
    this.refusal.value = null;
    try {
      await ask(this.#surroundings, 'v1/session', { method: 'POST', body: { ...proof, path } });
      await this.check();
    } catch (error) {
      this.refusal.value = error instanceof Error ? error.message : 'Signing in failed.';
    }
  }

  /** Signs out. @throws {ApiError} */
  async leave(): Promise<void> {
    await ask(this.#surroundings, 'v1/session', { method: 'DELETE' });
    await this.check();
  }

  /** Records that the daemon no longer recognises this browser. */
  expire(): void {
    const { value } = this.session;
    if (value) this.session.value = { ...value, role: null, money: false, expires: null };
  }

  /** Daemons that the page shows. @throws {ApiError} */
  async fleet(): Promise<readonly FleetMember[]> {
    const { daemons } = await ask<{ daemons: readonly FleetMember[] }>(this.#surroundings, 'v1/fleet');
    return daemons;
  }
}
