import { useState } from 'preact/hooks'
import type { SessionAnswer, StripAnswer } from '../head.ts'
import { base, signedOutEvent, signOut, type Trouble } from './api.ts'
import { badgeOf, waitsText } from './current-state.ts'
import { keyHelp } from './keys.ts'
import { type PageName, pagesFor } from './menu.ts'
import { go } from './navigation.ts'
import { type Children, Dialog, valueOfField } from './parts.tsx'
import { pathOf } from './route.ts'
import { Strip } from './strip.tsx'
import { chooseTheme, chosenTheme, nextTheme } from './theme.ts'

type Account = SessionAnswer['accounts'][number]

const ThemeButton = () => {
  const [theme, setTheme] = useState(chosenTheme)
  const change = () => {
    const next = nextTheme(theme)
    chooseTheme(next)
    setTheme(next)
  }
  return (
    <button type="button" class="quiet" onClick={change}>
      Theme: {theme}
    </button>
  )
}

const leave = async () => {
  if ((await signOut()).ok) window.dispatchEvent(new Event(signedOutEvent))
}

type Props = Children & {
  readonly session: SessionAnswer
  readonly account: Account
  readonly page: PageName
  readonly help: () => void
  readonly strip: StripAnswer | undefined
  /** Since when the strip is out of date. */
  readonly staleSince: number | undefined
  /** Why the newest request for the strip failed. */
  readonly trouble: Trouble | undefined
}

type BadgeProps = {
  readonly words: string | undefined
  readonly isStale: boolean
  readonly title: string | undefined
}

const MenuBadge = ({ words, isStale, title }: BadgeProps) =>
  words === undefined ? null : (
    <span
      class={isStale ? 'badge stale' : 'badge warn'}
      title={words === '?' ? 'It could not be counted' : isStale ? 'Out of date' : title}
    >
      {words}
    </span>
  )

/** The parts of every page: the accounts, the pages that the roles allow, and the name of the user. */
export const Layout = ({ session, account, page, help, strip, staleSince, trouble, children }: Props) => (
  <>
    <a class="skip" href="#main">
      Skip to the page
    </a>
    <header class="side">
      <p class="brand">
        <a href={`${base}${pathOf(account.id, 'now')}`}>livechat-bridge</a>
      </p>
      {session.accounts.length > 1 ? (
        <label class="field account">
          <span>Account</span>
          <select value={account.id} onChange={(event: Event) => go(pathOf(valueOfField(event), 'now'))}>
            {session.accounts.map(({ id }) => (
              <option key={id} value={id} selected={id === account.id}>
                {id}
              </option>
            ))}
          </select>
        </label>
      ) : (
        <p class="account">
          <span class="muted">Account</span> <strong>{account.id}</strong>
        </p>
      )}
      <nav aria-label="Pages">
        <ul>
          {pagesFor(account.roles).map(({ name, title }) => (
            <li key={name}>
              <a href={`${base}${pathOf(account.id, name)}`} aria-current={name === page ? 'page' : undefined}>
                {title}{' '}
                <MenuBadge
                  words={badgeOf(name, strip)}
                  isStale={staleSince !== undefined}
                  title={name === 'conversations' && strip ? waitsText(strip) : undefined}
                />
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="side-foot">
        <p class="who">
          <span class="muted">Signed in as</span> <bdi>{session.who}</bdi>
        </p>
        <p class="muted roles">{account.roles.join(', ')}</p>
        <div class="row">
          <ThemeButton />
          <button type="button" class="quiet keys-button" onClick={help}>
            Keys <kbd>?</kbd>
          </button>
          <button type="button" class="quiet" onClick={leave}>
            Sign out
          </button>
        </div>
      </div>
    </header>
    <main id="main" tabindex={-1}>
      <Strip account={account.id} timeZone={account.timeZone} strip={strip} staleSince={staleSince} trouble={trouble} />
      {children}
    </main>
  </>
)

export const Help = ({ close }: { readonly close: () => void }) => (
  <Dialog title="Keys" close={close}>
    <dl class="keys">
      {keyHelp.map(([keys, what]) => (
        <div key={keys}>
          <dt>
            <kbd>{keys}</kbd>
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
    <form method="dialog">
      <button type="submit" class="primary">
        Close
      </button>
    </form>
  </Dialog>
)
