import { signal } from '@preact/signals';
import { VERSION } from '../core/version.ts';
import { LOOKS, reload, showLook, showTitle, storedLook, type LookName } from './browser.ts';
import type { Connection } from './connection/connection.ts';
import type { SignIn } from './connection/signIn.ts';
import { hashOf, type Place } from './place.ts';
import { words } from './parts/words.tsx';
import { SteeringDialog } from './steering/dialog.tsx';
import { VIEWS } from './views/views.ts';
import { Component, type ComponentChildren } from 'preact';

type LayoutProps = Readonly<{ signIn: SignIn; fleet: readonly Connection[]; place: Place }>;

/** Frame of every view: the daemon, its connection, and the navigation. */
export function Layout({ signIn, fleet, place }: LayoutProps) {
  const daemon = fleet.find(({ base }) => base === place.base) ?? fleet[0];
  const view = VIEWS.find(({ name }) => name === place.view);
  if (daemon === undefined) return <p class="none">There is no daemon to show.</p>;
  const shown = view?.isOfMany === true ? null : daemon;
  showTitle([view?.title ?? 'drover', ...(shown === null ? [] : [shown.name])].join(' · '));
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header>
        <Identity daemon={shown} fleet={fleet} />
        <Tools signIn={signIn} daemon={shown} />
      </header>
      <div class="bar">
        <Navigation place={place} base={daemon.base} isFleet={fleet.length > 1} />
        {shown === null ? null : <Trouble daemon={shown} signIn={signIn} />}
      </div>
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

/** Name of the daemon shown, or of all (null), with links to the others. */
function Identity({ daemon, fleet }: Readonly<{ daemon: Connection | null; fleet: readonly Connection[] }>) {
  const status = daemon?.status.value ?? null;
  return (
    <div class="identity">
      <h1>{daemon === null ? 'Fleet' : words(daemon.name)}</h1>
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
                aria-current={base === daemon?.base ? 'true' : undefined}
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

const looks = { theme: signal(storedLook('theme')), gains: signal(storedLook('gains')) };

/** Button that switches an appearance setting to its next value. */
function LookButton({ name, title }: Readonly<{ name: LookName; title: string }>) {
  const { value } = looks[name];
  const all: readonly string[] = LOOKS[name];
  const next = all[all.indexOf(value) + 1] ?? LOOKS[name][0];
  return (
    <button
      type="button"
      onClick={() => {
        looks[name].value = next;
        showLook(name, next);
      }}
    >
      {title}: {value}
    </button>
  );
}

function Tools({ signIn, daemon }: Readonly<{ signIn: SignIn; daemon: Connection | null }>) {
  const session = signIn.session.value;
  return (
    <div class="tools">
      <span class="of" role="status">
        {daemon === null ? '' : (CALM[daemon.link.value.kind] ?? '')}
      </span>
      <span class="of role">{session?.role === 'read' ? 'may look' : 'may steer'}</span>
      <LookButton name="theme" title="Theme" />
      <LookButton name="gains" title="Gains" />
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

/** Connection states that need no attention. */
const CALM: Readonly<Partial<Record<LinkKind, string>>> = {
  connecting: 'Connecting…',
  connected: 'Connected',
};
type LinkKind = Connection['link']['value']['kind'];

/** Lines that explain why the data shown is outdated or incomplete. */
function Trouble({ daemon, signIn }: Readonly<{ daemon: Connection; signIn: SignIn }>) {
  const link = daemon.link.value;
  const version = daemon.status.value?.version ?? VERSION;
  return (
    <>
      <p class={`link ${link.kind}`} role="status">
        {link.kind === 'signedOut' ? 'Signed out' : reconnectingText(link)}
        {link.kind === 'outdated' ? (
          <>
            Version {signIn.otherVersion.value ?? ''} is now running: the page shows old values.
            <button type="button" onClick={reload}>
              Reload
            </button>
          </>
        ) : null}
      </p>
      {version === VERSION ? null : (
        <p class="link outdated">
          This daemon is of version {words(version)}, this page of {VERSION}: something may be missing here.
        </p>
      )}
    </>
  );
}

function reconnectingText(link: Connection['link']['value']): string {
  if (link.kind !== 'reconnecting') return '';
  const since = new Date(link.since).toLocaleTimeString(undefined, { hourCycle: 'h23' });
  return `Reconnecting since ${since} (this computer's time): the page shows old values. ${link.why}`;
}

type GuardProps = Readonly<{ children: ComponentChildren; version: string | null }>;
type GuardState = Readonly<{ error: string | null }>;

/** Error boundary around a view: if it fails, it says so, and the rest of the page continues. `version`: of the daemon shown. */
class Guard extends Component<GuardProps, GuardState> {
  override state: GuardState = { error: null };

  static override getDerivedStateFromError(error: unknown): GuardState {
    return { error: error instanceof Error ? error.message : 'unknown' };
  }

  override render({ children, version }: GuardProps, { error }: GuardState): ComponentChildren {
    if (error === null) return children;
    return (
      <p role="alert" class="loss">
        This view failed and shows nothing: {error}. The daemon ({version ?? 'of an unknown version'}) goes
        on; `drover status` shows the same in a terminal.
      </p>
    );
  }
}
