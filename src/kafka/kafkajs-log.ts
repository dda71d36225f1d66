import type { logCreator } from 'kafkajs'
import type { Log } from '../domain/ports.ts'

/** kafkajs's own words, for debugging: without stacks, keys or payloads. What matters is logged by this room itself. */
export const kafkajsLog =
  (log: Log): logCreator =>
  () =>
  ({ namespace, label, log: { message, broker, groupId, error } }) => {
    const detail = typeof error === 'string' ? { error } : {}
    log.debug({ kafkajs: namespace, level: label, broker, groupId, ...detail }, `kafkajs: ${message}`)
  }
