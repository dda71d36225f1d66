import { createHmac, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the console derives from its key. Whoever knows the key can make none of the sessions that are in the database. */
export type ConsoleKeys = {
  /** The id under which a session is stored: of what its cookie holds. */
  readonly storedId: (cookie: string) => string
  readonly csrf: (cookie: string) => string
  /** 256 bits for the cookie that lasts while somebody signs in. */
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

const alreadyThere = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EEXIST'

/** A key of this DATA_DIR, made once: for where CONSOLE_SESSION_KEY is not set. */
export const keyOfDataDir = (dataDir: string): string => {
  const path = join(dataDir, 'console-key')
  try {
    writeFileSync(path, random(), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (!alreadyThere(error)) throw error
  }
  return readFileSync(path, 'utf8')
}

/** 256 random bits, as text. */
export const random = (): string => randomBytes(32).toString('base64url')

/** Of text that nobody can guess. */
export const hashOf = (text: string): string => hash('sha256', text, 'base64url')

/** Compares in constant time. */
export const isSame = (a: string, b: string): boolean => timingSafeEqual(Buffer.from(hashOf(a)), Buffer.from(hashOf(b)))
