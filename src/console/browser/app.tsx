import { render } from 'preact'
import { useEffect, useErrorBoundary, useState } from 'preact/hooks'
import type { SessionAnswer, StripAnswer } from '../head.ts'
import { ConversationPage } from '../pages/conversations/conversation.tsx'
import { views } from '../pages/views.tsx'
import { accountPath, base, firstSession, get, loadSession, type Result, signedOutEvent } from './api.ts'
import { againAfterMs, staleSince } from './current-state.ts'
import { showTimesIn } from './format.ts'
import { useLoad } from './hooks.ts'
import { focusWantedSearch, listenToKeys } from './keys.ts'
import { Help, Layout } from './layout.tsx'
import { pageOf, pagesFor } from './menu.ts'
import { followLinks, go, useAddress } from './navigation.ts'
import { type Children, Empty, TroubleBox } from './parts.tsx'
import { type PageProps, pathOf, type Route, routeOf } from './route.ts'
import { SignInPage } from './sign-in-page.tsx'
import { chosenTheme, showTheme } from './theme.ts'

const stripMs = 10_000

/** Shows an error in place of a page that throws. The other pages still work. */
const Guarded = ({ children }: Children) => {
  const [error, reset] = useErrorBoundary()
  if (error === undefined) return children
  const words = 'This page could not be drawn. That is a mistake in the console, or it is older than the bridge.'
  return <TroubleBox trouble={{ words, isSignedOut: false }} again={reset} />
}

/** The page of the address, or the first page of the first account. */
const Shown = ({
  session,
  route,
  isUnknown,
}: {
  readonly session: SessionAnswer
  readonly route: Route | undefined
  readonly isUnknown: boolean
}) => {
  const [isHelping, setHelping] = useState(false)
  const account = session.accounts.find(({ id }) => id === route?.account) ?? (route ? undefined : session.accounts[0])
  const page = route?.page ?? 'now'

  useEffect(
    () =>
      listenToKeys({
        open: (to) => {
          if (account !== undefined && pagesFor(account.roles).some(({ name }) => name === to))
            go(pathOf(account.id, to))
        },
        help: () => setHelping(true),
      }),
    [account],
  )
  useEffect(() => {
    document.title = `${route?.chat ? `Chat ${route.chat}` : pageOf(page).title} – livechat-bridge`
    // With the focus on the new page, a screen reader announces it.
    if (!focusWantedSearch()) document.querySelector('main')?.focus({ preventScroll: true })
  }, [page, route?.chat, account?.id])

  const strip = useLoad(
    account?.id ?? '',
    async (signal): Promise<Result<StripAnswer | undefined>> =>
      account === undefined
        ? { ok: true, value: undefined }
        : get<StripAnswer>(accountPath(account.id, 'strip'), signal),
    stripMs,
  )
  if (account !== undefined) showTimesIn(account.timeZone)

  if (account === undefined || isUnknown || !pagesFor(account.roles).some(({ name }) => name === page))
    return (
      <main tabindex={-1} class="sign-in">
        <h1>{isUnknown ? 'There is no such page' : 'No access'}</h1>
        <Empty
          title={
            isUnknown
              ? 'The address names no page of the console.'
              : 'Your roles do not include this page, or there is no such account.'
          }
        >
          {isUnknown ? 'Go' : 'Ask the person who maintains the accounts file for a role, or go'} to{' '}
          <a href={base}>the first page</a>.
        </Empty>
      </main>
    )
  const query = route?.query ?? new URLSearchParams()
  const shown = strip.of === account.id ? strip.value : undefined
  const props: PageProps = { account: account.id, roles: account.roles, page, query, session, strip: shown }
  const View = views[page]
  const isOneChat = route !== undefined && route.chat !== ''
  return (
    <>
      <Layout
        session={session}
        account={account}
        page={page}
        strip={shown}
        staleSince={strip.of === account.id ? staleSince(strip) : undefined}
        trouble={strip.trouble}
        help={() => setHelping(true)}
      >
        <Guarded key={`${account.id}/${page}/${route?.chat}`}>
          {isOneChat ? <ConversationPage {...props} chat={route.chat} /> : <View {...props} />}
        </Guarded>
      </Layout>
      {isHelping && <Help close={() => setHelping(false)} />}
    </>
  )
}

const App = ({ first }: { readonly first: Result<SessionAnswer> }) => {
  const [session, setSession] = useState(first.ok ? first.value : undefined)
  const [trouble, setTrouble] = useState(first.ok ? undefined : first.trouble)
  const [isSignedOut, setSignedOut] = useState(trouble?.isSignedOut === true)
  const { path, search } = useAddress()

  const load = async () => {
    const answer = await loadSession()
    setTrouble(answer.ok ? undefined : answer.trouble)
    if (answer.ok) {
      setSession(answer.value)
      setSignedOut(false)
    } else setSignedOut(answer.trouble.isSignedOut)
  }
  useEffect(() => {
    const onSignedOut = () => setSignedOut(true)
    window.addEventListener(signedOutEvent, onSignedOut)
    const stopFollowing = followLinks()
    return () => {
      window.removeEventListener(signedOutEvent, onSignedOut)
      stopFollowing()
    }
  }, [])

  // Without a session there is no menu. Once the server answers again, the page comes back by itself.
  const retryMs = session === undefined && !isSignedOut ? againAfterMs(0, trouble) : 0
  useEffect(() => {
    if (retryMs === 0) return
    const timer = setTimeout(load, retryMs)
    return () => clearTimeout(timer)
  }, [trouble, retryMs])

  if (isSignedOut) return <SignInPage again={load} wasSignedIn={session !== undefined} />
  if (session === undefined)
    return (
      <main class="sign-in">
        <h1>Console</h1>
        <TroubleBox trouble={trouble} again={load} />
        {trouble?.mayPass && (
          <p class="muted">
            Who is signed in is not known before. What an operator does first: look at <code>/readyz</code> of the
            bridge, which names what does not work, and check that MongoDB has a primary that it reaches.
          </p>
        )}
      </main>
    )
  return (
    <Shown
      session={session}
      route={routeOf(base, path, search)}
      isUnknown={path !== base && `${path}/` !== base && routeOf(base, path, search) === undefined}
    />
  )
}

showTheme(chosenTheme())
const place = document.getElementById('app')
if (place !== null) render(<App first={await firstSession()} />, place)
