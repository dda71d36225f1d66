import { createHmac, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import { madeOnce } from '../../bridge/shared/private-files.ts'

/** What the console derives from its key. The key and the stored sessions are not enough to make a session cookie. */
export type ConsoleKeys = {
  /** The stored id of a session, derived from the value of its cookie. */
  readonly storedId: (cookie: string) => string
  readonly csrf: (cookie: string) => string
  /** A 256-bit key that encrypts the cookie of a sign-in in progress. */
  readonly transaction: Uint8Array
}

const derive = (key: string, purpose: string) => Buffer.from(hkdfSync('sha256', key, '', `console ${purpose}`, 32))

export const consoleKeys = (key: string): ConsoleKeys => {
  const [ofSessions, ofCsrf] = [derive(key, 'session'), derive(key, 'csrf')]
  const hmac = (secret: Buffer, text: string) => createHmac('sha256', secret).update(text).digest('base64url')
  return {
    storedId: (cookie) => hmac(ofSessions, cookie),
    csrf: (cookie) => hmac(ofCsrf, cookie),
    transaction: derive(key, 'transaction'),
  }
}

/** The key of this DATA_DIR, made once. Used if CONSOLE_SESSION_KEY is not set. */
export const keyOfDataDir = (dataDir: string): string => madeOnce(join(dataDir, 'console-key'), random)

/** 256 random bits, as text. */
export const random = (): string => randomBytes(32).toString('base64url')

/** Only for text that cannot be guessed: the hash has no salt. */
export const hashOf = (text: string): string => hash('sha256', text, 'base64url')

/** Compares in constant time. */
export const isSame = (a: string, b: string): boolean => timingSafeEqual(Buffer.from(hashOf(a)), Buffer.from(hashOf(b)))
