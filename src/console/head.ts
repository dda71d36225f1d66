import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { Count, exactShape } from '../../contracts/primitives.ts'
import { ConsoleRole } from '../bridge/domain/accounts.ts'
import { countOf } from '../bridge/mongo/source.ts'
import { dayMs } from '../bridge/shared/time.ts'
import { rolesFor } from './access/grants.ts'
import type { Backend } from './backend.ts'
import { healthState, healthWords, isWrong } from './health.ts'
import { everyone, ok, part } from './page.ts'
import { type LettersSources, unresolvedOf } from './pages/dead-letters/letters.ts'
import { waitingClients, waitingForAgent } from './pages/now/page.ts'

/** The person who is signed in, and what the session may see. */
export const SessionAnswer = exactShape(
  {
    who: t.string,
    /** The header `X-CSRF-Token` of every request other than GET must have this value. */
    csrf: t.string,
    expiresAt: t.string,
    /** The accounts that this session may see, and its roles for each. */
    accounts: t.array(
      t.strict({
        id: t.string,
        /** The IANA time zone of its days. The pages show all times in it. */
        timeZone: t.string,
        roles: t.array(ConsoleRole),
      }),
    ),
  },
  {
    /** A URL of a trace, with `{traceId}` in place of its id. */
    traceUrlTemplate: t.string,
  },
  'SessionAnswer',
)
export type SessionAnswer = t.TypeOf<typeof SessionAnswer>

/** What every page shows above it. A count is null while it is not known. */
export const StripAnswer = exactShape(
  {
    /** What does not work by itself, in words for users: without what waits for Kafka or MongoDB. */
    wrong: t.array(
      t.strict({ name: t.string, state: t.keyof({ degraded: null, down: null, off: null }), words: t.string }),
    ),
    /** Clients who wait for a reply. Null if it could not be read, as also below. */
    waiting: t.union([Count, t.null]),
    /** Clients who have a reply and wait for an agent. */
    waitingForAgent: t.union([Count, t.null]),
  },
  {
    /** Dead letters, and requests in quarantine, of the account that are unresolved. Absent until first counted. */
    letters: t.union([Count, t.null]),
    quarantined: t.union([Count, t.null]),
  },
  'StripAnswer',
)
export type StripAnswer = t.TypeOf<typeof StripAnswer>

/** As for the page System: with less time the strip would call a server down that the page calls well. */
const withinMs = 3_000
/** Both topics are read to their ends for these counts, so all sessions share them for a while. */
const freshMs = 30_000

type Letters = Pick<StripAnswer, 'letters' | 'quarantined'>

type Needs = LettersSources &
  Pick<Backend, 'timeZoneOf' | 'traceUrlTemplate' | 'readiness' | 'read' | 'now' | 'monotonic'> & {
    readonly accounts: ReadonlyArray<{ readonly id: string }>
  }

/** What every page needs: the session, and above the page what is not well. */
export const head = part({
  routes: {
    'GET /api/session': { answer: SessionAnswer, roles: everyone, withoutMongo: true },
    'GET /api/accounts/:account/strip': { answer: StripAnswer, roles: everyone, withoutMongo: true },
  },
  handlers: (backend: Needs) => {
    const { accounts, traceUrlTemplate, timeZoneOf, readiness, read, now, monotonic } = backend
    const known = new Map<string, { readonly at: number; letters: Letters }>()
    const reading = new Set<string>()
    const refresh = async (accountId: string) => {
      if (reading.has(accountId)) return
      reading.add(accountId)
      const letters = await unresolvedOf(backend, accountId).catch(() => ({ letters: null, quarantined: null }))
      known.set(accountId, { at: monotonic(), letters })
      reading.delete(accountId)
    }
    /** The last known counts. Nobody waits for newer ones: a topic can be long, and Kafka unavailable. */
    const lettersOf = (accountId: string): Letters => {
      const last = known.get(accountId)
      if (last === undefined || monotonic() - last.at >= freshMs) void refresh(accountId)
      return last?.letters ?? {}
    }
    return {
      'GET /api/session': async ({ session: { who, csrf, expiresAt, grants } }) => {
        const seen = accounts.map(({ id }) => ({
          id,
          timeZone: timeZoneOf(id),
          roles: [...rolesFor(grants, id)],
        }))
        const answer: SessionAnswer = {
          who,
          csrf,
          expiresAt: expiresAt.toISOString(),
          accounts: seen.filter(({ roles }) => roles.length > 0),
          ...(traceUrlTemplate !== undefined && { traceUrlTemplate }),
        }
        return ok(answer)
      },
      'GET /api/accounts/:account/strip': async ({ accountId }) => {
        const lately = new Date(Date.parse(now()) - dayMs)
        const [{ checks }, waiting, forAgent] = await Promise.all([
          readiness(withinMs),
          read(waitingClients(accountId, lately)),
          read(waitingForAgent(accountId, lately)),
        ])
        const wrong = Object.entries(checks).flatMap(([name, health]) => {
          const state = healthState(name, health, checks)
          return isWrong(state) ? [{ name, state, words: healthWords(name, state) }] : []
        })
        const answer: StripAnswer = {
          wrong,
          waiting: E.isRight(waiting) ? countOf(waiting.right) : null,
          waitingForAgent: E.isRight(forAgent) ? countOf(forAgent.right) : null,
          ...lettersOf(accountId),
        }
        return ok(answer)
      },
    }
  },
})
