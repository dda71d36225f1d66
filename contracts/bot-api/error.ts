import * as t from 'io-ts'
import { shape } from '../primitives.ts'

/** An error body of the bridge or the service (protocol, Errors). The service has also sent it with status 200. */
export const ErrorBody = t.type(
  {
    /** The error. */
    error: shape(
      {},
      {
        /** The error code (protocol, Errors). */
        code: t.string,
        /** The error in a sentence. */
        message: t.string,
      },
      'Error',
    ),
  },
  'ErrorBody',
)
export type ErrorBody = t.TypeOf<typeof ErrorBody>
