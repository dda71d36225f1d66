import * as E from 'fp-ts/lib/Either.js'
import { botReplies } from '../../../../contracts/topics.ts'
import { maxSeen } from '../../../../contracts/views/applied.ts'
import { identity } from '../../../../src/bridge/domain/identity.ts'
import { instead } from './instead.ts'

export const views = {
  'acknowledgement by a majority': [
    instead(
      () => import('../../../../src/bridge/mongo/client.ts'),
      ({ mongoClient }) => ({
        mongoClient: (location, others) =>
          mongoClient(location, { ...others, writeConcern: { w: 1, wtimeoutMS: 5_000 } }),
      }),
    ),
  ],
  'documents are read as a majority has them': [
    instead(
      () => import('../../../../src/bridge/mongo/store.ts'),
      ({ readPresent }) => ({ readPresent: (db) => readPresent(db, 'local') }),
    ),
  ],
  'an outage is told from a fault of the message': [
    instead(
      () => import('../../../../src/bridge/mongo/classify.ts'),
      ({ classify }) => ({ classify: (error) => ({ ...classify(error), kind: 'permanent' }) }),
    ),
  ],
  'the offsets in each document': [
    instead(
      () => import('../../../../src/bridge/views/applied.ts'),
      ({ advance, once }) => ({
        advance: (applied, position) => ({ ...applied, ...advance(undefined, position) }),
        once: (current, recorded, next) => {
          if (current === undefined) return once(current, recorded, next)
          const { [`${recorded.topic}/${recorded.partition}`]: _, ...applied } = current.applied
          const event = identity(recorded.event)
          const others = current.seen.filter((each) => each !== event)
          const after = once({ ...current, applied, seen: others }, recorded, next)
          return { ...after, seen: [...current.seen, event].slice(-maxSeen) }
        },
      }),
    ),
  ],
  'a repetition is known by its content': [
    instead(
      () => import('../../../../src/bridge/views/applied.ts'),
      ({ once }) => ({
        once: (current, recorded, next) => {
          if (current === undefined) return once(current, recorded, next)
          const { contentHash: _, ...others } = current
          return once(others as typeof current, recorded, next)
        },
      }),
    ),
  ],
  'what is read is folded early where the heap is nearly full': [
    instead(
      () => import('../../../../src/bridge/shared/heap.ts'),
      () => ({ hasRoom: () => true }),
    ),
  ],
  'a document forgets its oldest events': [
    instead(
      () => import('../../../../src/bridge/views/applied.ts'),
      ({ once }) => ({
        once: (current, recorded, next) => {
          if (current === undefined) return once(current, recorded, next)
          const newest = { ...current, seen: current.seen.slice(-maxSeen) }
          const after = once(newest, recorded, next)
          return after === newest ? current : { ...after, seen: [...current.seen, identity(recorded.event)] }
        },
      }),
    ),
  ],
  'dead letters': [
    instead(
      () => import('../../../../src/bridge/views/projector.ts'),
      ({ projector }) => ({
        projector: (deps) =>
          projector({
            ...deps,
            decode: (record) => {
              const decoded = deps.decode(record)
              if (E.isLeft(decoded) && record.topic !== botReplies.name) throw new Error('cannot be read')
              return decoded
            },
          }),
      }),
    ),
  ],
  'documents below 16 MiB': [
    instead(
      () => import('../../../../src/bridge/views/changes.ts'),
      ({ changesOfEvent }) => ({ changesOfEvent: (recorded) => changesOfEvent({ ...recorded, bytes: 0 }) }),
    ),
  ],
}
