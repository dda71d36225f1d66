import { base } from './api.ts'

/** Shown if nobody is signed in or the session has ended. The address keeps the open page for after the sign-in. */
export const SignInPage = ({ again, wasSignedIn }: { readonly again: () => void; readonly wasSignedIn: boolean }) => (
  <main class="sign-in">
    <h1>{wasSignedIn ? 'Your session has ended' : 'Sign in'}</h1>
    <p>
      {wasSignedIn
        ? 'A session lasts 8 hours, and may be ended earlier. Sign in again in any tab, then come back here.'
        : 'The console shows conversations only to people who are signed in.'}
    </p>
    <p>
      <a class="button primary" href={`${base}sign-in?next=${encodeURIComponent(location.pathname + location.search)}`}>
        Sign in
      </a>
    </p>
    <p>
      On the machine where the bridge runs, <code>npx livechat-bridge console link</code> prints a link that signs you
      in instead. It works once, within ten minutes.
    </p>
    <p>
      <button type="button" onClick={again}>
        I have signed in: try again
      </button>
    </p>
  </main>
)
