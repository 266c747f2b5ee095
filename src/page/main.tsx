import { render } from 'preact';
import { App } from './app.tsx';
import { browser, onNarrow, pageFolder, takeCode } from './browser.ts';
import { Fleet } from './connection/fleet.ts';
import { SignIn } from './connection/signIn.ts';
import { isNarrow } from './parts/narrow.ts';
import './style/page.css';
import './style/lists.css';

onNarrow((value) => (isNarrow.value = value));
const signIn = new SignIn(browser);
const fleet = new Fleet(signIn, browser);
const root = document.getElementById('page');
if (root) {
  root.replaceChildren();
  render(<App signIn={signIn} fleet={fleet} />, root);
}
void fleet.begin({ code: takeCode(), path: pageFolder() });
