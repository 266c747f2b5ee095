import { effect, useComputed, computed, signal } from '@preact/signals';
import { render } from 'preact';
import { browser, onNarrow, pageFolder, takeCode, onHash, readHash } from './browser.ts';
import { Fleet } from './connection/fleet.ts';
import { SignIn } from './connection/signIn.ts';
import { isNarrow, program } from './parts/words.tsx';
import './style/page.css';
import './style/lists.css';
import { Layout } from './layout.tsx';
import { SignInForm } from './parts/signInForm.tsx';
import { placeOf } from './place.ts';

const hash = signal(readHash());
onHash(() => (hash.value = readHash()));

/** Current place. */
const place = computed(() => placeOf(hash.value));

/** The page: the sign-in form, or the views of the daemons. */
function App({ signIn, fleet }: Readonly<{ signIn: SignIn; fleet: Fleet }>) {
  const isIn = useComputed(() => signIn.session.value?.role ?? null);
  const { problem, daemons } = fleet;
  if (signIn.session.value === null) return <p class="loading">{problem.value ?? 'Loading…'}</p>;
  if (isIn.value === null) return <SignInForm signIn={signIn} />;
  if (daemons.value.length === 0) return <p class="loading">{problem.value ?? 'Loading…'}</p>;
  return <Layout signIn={signIn} fleet={daemons.value} place={place.value} />;
}

onNarrow((value) => (isNarrow.value = value));
const signIn = new SignIn(browser);
effect(() => {
  program.value = signIn.session.value?.program ?? 'drover';
});
const fleet = new Fleet(signIn, browser);
const root = document.getElementById('page');
if (root) {
  root.replaceChildren();
  render(<App signIn={signIn} fleet={fleet} />, root);
}
void fleet.begin({ code: takeCode(), path: pageFolder() });
