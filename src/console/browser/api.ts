import type { SessionAnswer } from '../head.ts'
import { unavailableWords } from './words.ts'

/** The console's base path, also behind a proxy that adds a prefix: this script is in `files/VERSION/` below it. */
export const base = new URL('../..', import.meta.url).pathname

export type Trouble = {
  readonly isSignedOut: boolean
  readonly words: string
  /** A server does not answer for now: the same request may succeed later. Only of requests that change nothing. */
  readonly mayPass?: true
}
export type Result<A> = { readonly ok: true; readonly value: A } | { readonly ok: false; readonly trouble: Trouble }

/** The event that is sent to the window when the server responds that nobody is signed in. */
export const signedOutEvent = 'console-signed-out'

const session = { csrf: '' }

const failed = (words: string, isSignedOut = false): Result<never> => ({ ok: false, trouble: { words, isSignedOut } })

const wordsOf = (status: number, body: unknown): string => {
  const error = (body as { error?: { message?: unknown } } | undefined)?.error
  const said = typeof error?.message === 'string' ? error.message : undefined
  if (status === 403) return `You may not do this${said === undefined ? '.' : `: ${said}`}`
  if (status === 404) return said ?? 'This is not there, or not any more.'
  if (status === 503) return unavailableWords(said)
  return said ?? `The console answered with status ${status}.`
}

const troubleOf = async (response: Response): Promise<Result<never>> => {
  if (response.status === 401) {
    window.dispatchEvent(new Event(signedOutEvent))
    return failed('You are not signed in any more.', true)
  }
  return failed(wordsOf(response.status, await response.json().catch(() => undefined)))
}

const unreachable = failed('The console does not answer. Is the bridge running, and is the network there?')

/** The trouble of a request that changes nothing: it may pass, unless the request itself is too much. */
const passing = (result: Result<never>, mayPass: boolean): Result<never> =>
  result.ok || !mayPass ? result : { ok: false, trouble: { ...result.trouble, mayPass } }

const send = async (
  method: 'GET' | 'POST',
  path: string,
  body: unknown,
  signal: AbortSignal | undefined,
): Promise<Result<Response>> => {
  const headers = { 'X-CSRF-Token': session.csrf, 'Content-Type': 'application/json' }
  try {
    const response = await fetch(`${base}${path}`, {
      method,
      ...(method === 'POST' && { headers, body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
    // A query that takes too long is a 503 without this header: the same again would only be more work.
    const mayPass = method === 'GET' && response.status === 503 && response.headers.has('retry-after')
    return response.ok ? { ok: true, value: response } : passing(await troubleOf(response), mayPass)
  } catch {
    return passing(unreachable, method === 'GET')
  }
}

const parsed = async <A>(sent: Result<Response>): Promise<Result<A>> => {
  if (!sent.ok) return sent
  try {
    return { ok: true, value: (await sent.value.json()) as A }
  } catch {
    return failed('The answer of the console could not be read. It may have ended early.')
  }
}

type Written = { readonly session: SessionAnswer; readonly path?: string; readonly answer?: unknown }
/** What the server has written into the page: the answer of its first request too, which is used once. */
let written: Written | undefined

/** Requests JSON. The server's codecs are the contract, so the response is not checked again. */
export const get = async <A>(path: string, signal?: AbortSignal): Promise<Result<A>> => {
  if (written?.path !== path) return parsed<A>(await send('GET', `api/${path}`, undefined, signal))
  const { answer } = written
  written = undefined
  return { ok: true, value: answer as A }
}

/** Changes something, or requests data that the audit log records as a look. */
export const post = async <A>(path: string, body: unknown, signal?: AbortSignal): Promise<Result<A>> =>
  parsed<A>(await send('POST', `api/${path}`, body, signal))

/** Signs out. The path is not part of the API. */
export const signOut = (): Promise<Result<Response>> => send('POST', 'sign-out', {}, undefined)

const kept = (answer: Result<SessionAnswer>) => {
  if (answer.ok) session.csrf = answer.value.csrf
  return answer
}

export const loadSession = async (): Promise<Result<SessionAnswer>> => kept(await get<SessionAnswer>('session'))

/** The session that the server has written into the page. Without it the page requests it. */
export const firstSession = (): Result<SessionAnswer> | Promise<Result<SessionAnswer>> => {
  const text = document.getElementById('data')?.textContent ?? ''
  if (text === '') return loadSession()
  written = JSON.parse(text) as Written
  return kept({ ok: true, value: written.session })
}

/** The path of an account's route, such as `conversations/2037`. The parts must not be encoded yet. */
export const accountPath = (account: string, ...parts: ReadonlyArray<string>): string =>
  ['accounts', account, ...parts].map(encodeURIComponent).join('/')

/** Sends a body, and calls `onLine` with each line of JSON when it arrives. */
export const postLines = async <A>(
  path: string,
  body: unknown,
  onLine: (line: A) => void,
  signal: AbortSignal,
): Promise<Result<undefined>> => {
  const sent = await send('POST', `api/${path}`, body, signal)
  if (!sent.ok) return sent
  let rest = ''
  try {
    for await (const text of (sent.value.body ?? new Blob().stream()).pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line !== '') onLine(JSON.parse(line) as A)
    }
    return { ok: true, value: undefined }
  } catch {
    return failed(signal.aborted ? 'Stopped.' : 'The connection ended before the work was finished.')
  }
}

const saveFile = (content: Blob, name: string): void => {
  const url = URL.createObjectURL(content)
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Saves a value as a file of JSON. */
export const saveJson = (value: unknown, name: string): void =>
  saveFile(new Blob([JSON.stringify(value, null, 2)], { type: 'application/json' }), name)

/** Sends a body and saves the response as a file. */
export const postForFile = async (path: string, body: unknown, name: string): Promise<Result<undefined>> => {
  const sent = await send('POST', `api/${path}`, body, undefined)
  if (!sent.ok) return sent
  try {
    saveFile(await sent.value.blob(), name)
    return { ok: true, value: undefined }
  } catch {
    return failed('The file could not be read. The connection may have ended early.')
  }
}
