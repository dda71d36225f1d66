import type { Db } from 'mongodb'
import type { Health } from '../domain/ports.ts'
import { classify } from './classify.ts'
import { within } from './deadline.ts'

const answerMs = 1_000

/** Whether a primary answers within a second. */
export const checkMongo = async (db: Db): Promise<Health> => {
  try {
    await within(answerMs, db.command({ ping: 1, maxTimeMS: answerMs }))
    return { ok: true, reason: 'the primary answers' }
  } catch (error) {
    const { reason } = classify(error)
    return {
      ok: false,
      reason: `MongoDB does not answer: ${reason === 'Error' && error instanceof Error ? error.message : reason}`,
    }
  }
}
