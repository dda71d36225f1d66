import { isLoopback } from '../bridge/http/client-address.ts'
import type { ConsoleSettings } from './console.ts'

/** Why the console must not listen at `host`. Undefined if it may. */
export const notSafe = ({ oidc }: ConsoleSettings, host: string): string | undefined =>
  oidc !== undefined || isLoopback(host)
    ? undefined
    : 'ADMIN_HOST is not loopback, and CONSOLE_OIDC_ISSUER is not set: without it anybody could try to sign in to the console. Set the variables CONSOLE_OIDC_*, CONSOLE_URL and CONSOLE_SESSION_KEY, or ADMIN_HOST to 127.0.0.1'
