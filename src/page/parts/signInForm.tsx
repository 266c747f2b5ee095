import { useSignal } from '@preact/signals';
import { pageFolder } from '../browser.ts';
import type { SignIn } from '../connection/signIn.ts';

/** Token form, shown to a browser that is not signed in. */
export function SignInForm({ signIn }: Readonly<{ signIn: SignIn }>) {
  const token = useSignal('');
  const isBusy = useSignal(false);
  const enter = async () => {
    isBusy.value = true;
    await signIn.enter({ token: token.value.trim() }, pageFolder());
    isBusy.value = false;
  };
  return (
    <main class="sign-in">
      <h1>Sign in</h1>
      <p>
        Run <code>drover dashboard</code> where the bot runs: it prints an address that signs this browser in.
        Or paste the read token or the operate token.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void enter();
        }}
      >
        <label>
          Token
          <input
            type="password"
            name="token"
            autocomplete="off"
            required
            value={token}
            onInput={({ currentTarget }) => (token.value = currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={isBusy}>
          Sign in
        </button>
      </form>
      <p role="alert" class="loss">
        {signIn.refusal}
      </p>
    </main>
  );
}
