import { kafkaReasonOf } from '../bridge/kafka/errors.ts'
import { mongoReasonOf } from '../bridge/mongo/classify.ts'

/** The text of an error of a server that may be shown. */
export const serverReasonOf = (error: unknown): string =>
  error instanceof Error && error.name.startsWith('Kafka') ? kafkaReasonOf(error) : mongoReasonOf(error)
