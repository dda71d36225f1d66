import type { Behaviour } from './behaviour.ts'
import { errorBody } from './refusal.ts'

const taken = { result: 'ok' }

/** What the service can do with a request: process it, answer it, answer it in two halves, cut its connection. */
export type Means = {
  readonly apply: () => void
  readonly answer: (status: number, body: object, headers?: Readonly<Record<string, string>>) => void
  readonly answerSlowly: (status: number, body: object, ms: number) => Promise<void>
  readonly drop: () => void
  readonly sleep: (ms: number) => Promise<void>
}

/** Performs a behaviour. After most behaviours a client cannot know whether the service processed the request. */
export const perform = async (behaviour: Behaviour, { apply, answer, answerSlowly, drop, sleep }: Means) => {
  switch (behaviour.kind) {
    case 'regular':
      apply()
      return answer(200, taken)
    case 'delay':
      await sleep(behaviour.ms)
      apply()
      return answer(200, taken)
    case 'late':
      apply()
      await sleep(behaviour.ms)
      return answer(200, taken)
    case 'slow-body':
      apply()
      return answerSlowly(200, taken, behaviour.ms)
    case 'too-many-requests':
      return answer(429, errorBody({ code: 'invalid_request', message: 'request limit exceeded' }), {
        'Retry-After': String(behaviour.retryAfterSeconds),
      })
    case 'error':
      if (behaviour.applied) apply()
      return answer(behaviour.status, errorBody({ code: 'invalid_request', message: 'something went wrong' }))
    case 'drop':
      if (behaviour.applied) apply()
      return drop()
    case 'error-in-200':
      return answer(200, errorBody({ code: 'invalid_request', message: 'the chat is not available' }))
  }
}
