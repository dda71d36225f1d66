import * as t from 'io-ts'
import { shape } from '../primitives.ts'

/** An error body, ours and the service's (protocol, Errors). It was seen beside a 200, too. */
export const ErrorBody = t.type(
  {
    /** What is wrong. */
    error: shape(
      {},
      {
        /** A word for it (protocol, Errors). */
        code: t.string,
        /** The same in a sentence. */
        message: t.string,
      },
      'Error',
    ),
  },
  'ErrorBody',
)
export type ErrorBody = t.TypeOf<typeof ErrorBody>
