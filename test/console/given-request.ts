import * as E from 'fp-ts/lib/Either.js'
import type { ConsoleRequest, Session } from '../../src/console/page.ts'

const session: Session = {
  who: 'kim@example.com',
  grants: [],
  csrf: 'c',
  expiresAt: new Date('2999-01-01'),
  unmasked: [],
  unmask: async () => {},
}

/** A request whose session and role have been checked. */
export const given = (
  asked: Partial<Omit<ConsoleRequest, 'query'>> & { readonly query?: string } = {},
): ConsoleRequest => ({
  session,
  accountId: 'acme',
  chatId: '',
  body: undefined,
  signal: new AbortController().signal,
  ...asked,
  query: new URLSearchParams(asked.query),
})

/** The topic audit in memory. While `isAway` is true, nothing can be recorded. */
export const auditTopic = () => {
  const state = { isAway: false, actions: [] as object[] }
  const recordActionOf = (who: string) => async (action: object) => {
    if (state.isAway) return E.left({ kind: 'transient' as const, reason: 'the broker is away' })
    return E.right(void state.actions.push({ who, ...action }))
  }
  return { state, recordActionOf }
}

export const isUnrecorded = (answered: E.Either<unknown, unknown>): boolean =>
  E.isLeft(answered) &&
  /cannot be recorded/.test(JSON.stringify(answered.left)) &&
  /"status":503/.test(JSON.stringify(answered.left))
