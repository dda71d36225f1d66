import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { exactShape, Id } from '../../../../contracts/primitives.ts'
import { isReadBy } from '../../../bridge/kafka/offsets.ts'
import type { Backend } from '../../backend.ts'
import { everyone, ok, operators, page } from '../../page.ts'
import { readQuery } from '../../query.ts'
import { LetterAnswer, LettersAnswer, type LettersNeeds, lettersWith } from './letters.ts'

const ProcessedQuery = t.partial({ consumer: Id, topic: Id }, 'ProcessedQuery')

/**
 * Whether a consumer has processed everything that its topic has now, so that what was sent back has succeeded or has
 * failed again. Query: `consumer`, `topic`. It waits up to 10 s for that.
 */
export const ProcessedAnswer = exactShape({ isProcessed: t.boolean }, {}, 'ProcessedAnswer')
export type ProcessedAnswer = t.TypeOf<typeof ProcessedAnswer>

type Needs = LettersNeeds &
  Pick<Backend, 'groups'> & { readonly kafka: Pick<Backend['kafka'], 'ranges' | 'committedOffsets'> }

export const deadLetters = page({
  name: 'dead-letters',
  title: 'Dead letters',
  key: 'd',
  roles: everyone,
  routes: {
    'GET /api/accounts/:account/dead-letters': { answer: LettersAnswer },
    'GET /api/accounts/:account/dead-letters/processed': { answer: ProcessedAnswer, roles: operators },
    'POST /api/accounts/:account/dead-letters/show': { answer: LetterAnswer, roles: operators },
  },
  handlers: (backend: Needs) => {
    const { groups, kafka } = backend
    const { list, show } = lettersWith(backend).deadLetters
    return {
      'GET /api/accounts/:account/dead-letters': list,
      'POST /api/accounts/:account/dead-letters/show': show,
      // A consumer writes a dead letter before it commits the record. So once it has committed, the result is known.
      'GET /api/accounts/:account/dead-letters/processed': async ({ query, signal }) => {
        const asked = readQuery(ProcessedQuery, query)
        if (E.isLeft(asked)) return asked
        const { consumer, topic } = asked.right
        const name = groups.find(({ group }) => group === consumer)?.topics.find((each) => each === topic)
        if (consumer === undefined || name === undefined) return ok({ isProcessed: false })
        const isProcessed = await isReadBy(kafka)(consumer, name)(signal).catch(() => false)
        return ok({ isProcessed })
      },
    }
  },
})
