import { signal } from '@preact/signals';
import { VERSION } from '../core/version.ts';
import { reload, showTheme, showTitle, storedTheme, type Theme } from './browser.ts';
import type { Connection } from './connection/connection.ts';
import type { SignIn } from './connection/signIn.ts';
import { hashOf, type Place } from './place.ts';
import { Guard } from './parts/guard.tsx';
import { words } from './parts/words.tsx';
import { SteeringDialog } from './steering/dialog.tsx';
import { VIEWS } from './views/views.ts';

type LayoutProps = Readonly<{ signIn: SignIn; fleet: readonly Connection[]; place: Place }>;

/** Frame of every view: the daemon, its connection, the navigation. */
export function Layout({ signIn, fleet, place }: LayoutProps) {
  const daemon = fleet.find(({ base }) => base === place.base) ?? fleet[0];
  const view = VIEWS.find(({ name }) => name === place.view);
  if (daemon === undefined) return <p class="none">There is no daemon to show.</p>;
  showTitle(`${view?.title ?? 'drover'} · ${daemon.name}`);
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header>
        <Identity daemon={daemon} fleet={fleet} />
        <Tools signIn={signIn} />
      </header>
      <Navigation place={place} base={daemon.base} isFleet={fleet.length > 1} />
      <LinkState daemon={daemon} signIn={signIn} />
      <OtherVersion version={daemon.status.value?.version ?? VERSION} />
      <main id="content" tabIndex={-1}>
        {view ? (
          <Guard key={`${daemon.base} ${place.view}`} version={daemon.status.value?.version ?? null}>
            <view.Show daemon={daemon} place={place} fleet={fleet} />
          </Guard>
        ) : (
          <p class="none">There is no such view.</p>
        )}
      </main>
      <SteeringDialog />
    </>
  );
}

function Identity({ daemon, fleet }: Readonly<{ daemon: Connection; fleet: readonly Connection[] }>) {
  const status = daemon.status.value;
  return (
    <div class="identity">
      <h1>{words(daemon.name)}</h1>
      {status === null ? null : (
        <p class="of">
          <span class={status.mode === 'live' ? 'live' : ''}>{status.mode}</span> · {words(status.account)}
        </p>
      )}
      {fleet.length < 2 ? null : (
        <ul class="fleet" aria-label="Daemons">
          {fleet.map(({ name, base }) => (
            <li key={base}>
              <a
                href={hashOf({ base, view: 'now' })}
                aria-current={base === daemon.base ? 'true' : undefined}
              >
                {words(name)}
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const THEMES: Readonly<Record<Theme, Readonly<{ next: Theme; title: string }>>> = {
  auto: { next: 'light', title: 'Theme: as the system' },
  light: { next: 'dark', title: 'Theme: light' },
  dark: { next: 'auto', title: 'Theme: dark' },
};
const theme = signal<Theme>(storedTheme());

function Tools({ signIn }: Readonly<{ signIn: SignIn }>) {
  const session = signIn.session.value;
  const { next, title } = THEMES[theme.value];
  return (
    <div class="tools">
      <span class="of">{session?.role === 'read' ? 'may look' : 'may steer'}</span>
      <button
        type="button"
        onClick={() => {
          theme.value = next;
          showTheme(next);
        }}
      >
        {title}
      </button>
      {session === null || session.expires === null ? null : (
        <button type="button" onClick={() => void signIn.leave().catch(() => undefined)}>
          Sign out
        </button>
      )}
    </div>
  );
}

function Navigation({ place, base, isFleet }: Readonly<{ place: Place; base: string; isFleet: boolean }>) {
  return (
    <nav aria-label="Views">
      <ul>
        {VIEWS.filter(({ isOfMany }) => !isOfMany || isFleet).map(({ name, title }) => (
          <li key={name}>
            <a href={hashOf({ base, view: name })} aria-current={name === place.view ? 'page' : undefined}>
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Line that says whether what is shown is current. */
function LinkState({ daemon, signIn }: Readonly<{ daemon: Connection; signIn: SignIn }>) {
  const link = daemon.link.value;
  const text = {
    connecting: () => 'Connecting…',
    connected: () => 'Connected',
    reconnecting: () => reconnectingText(link),
    signedOut: () => 'Signed out',
    outdated: () => `Version ${signIn.otherVersion.value ?? ''} runs now: what is shown is from before.`,
  }[link.kind]();
  return (
    <p class={`link ${link.kind}`} role="status">
      {text}
      {link.kind === 'outdated' ? (
        <button type="button" onClick={reload}>
          Reload
        </button>
      ) : null}
    </p>
  );
}

/** Line above the views of a daemon that is of another version than this page. */
const OtherVersion = ({ version }: Readonly<{ version: string }>) =>
  version === VERSION ? null : (
    <p class="link outdated">
      This daemon is of version {words(version)}, this page of {VERSION}: something may be missing here.
    </p>
  );

function reconnectingText(link: Connection['link']['value']): string {
  if (link.kind !== 'reconnecting') return '';
  const since = new Date(link.since).toLocaleTimeString(undefined, { hourCycle: 'h23' });
  return `Reconnecting since ${since} (this computer's time): what is shown is from before. ${link.why}`;
}
