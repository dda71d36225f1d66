import { faultOf } from './fault.ts'

/**
 * The cause of an error for logs. Only plain errors, which the bridge itself throws, show their message. Of all others
 * it is the name, the code and the place in the bridge: a library's message may quote personal data.
 */
export const reasonOf = (error: unknown): string =>
  error instanceof Error && error.name === 'Error' && !('code' in error) ? error.message : faultOf(error)
