import { useComputed, computed, signal } from '@preact/signals';
import type { Fleet } from './connection/fleet.ts';
import type { SignIn } from './connection/signIn.ts';
import { Layout } from './layout.tsx';
import { SignInForm } from './parts/signInForm.tsx';
import { onHash, readHash } from './browser.ts';
import { placeOf } from './place.ts';

/** The page: the form of the sign-in, or the views of the daemons. */
export function App({ signIn, fleet }: Readonly<{ signIn: SignIn; fleet: Fleet }>) {
  const isIn = useComputed(() => signIn.session.value?.role ?? null);
  const { problem, daemons } = fleet;
  if (signIn.session.value === null) return <p class="loading">{problem.value ?? 'Loading…'}</p>;
  if (isIn.value === null) return <SignInForm signIn={signIn} />;
  if (daemons.value.length === 0) return <p class="loading">{problem.value ?? 'Loading…'}</p>;
  return <Layout signIn={signIn} fleet={daemons.value} place={place.value} />;
}

const hash = signal(readHash());
onHash(() => (hash.value = readHash()));

/** Place that is shown. */
const place = computed(() => placeOf(hash.value));
