import type { Handlers } from '../../handlers.ts'

let started: Handlers | undefined

/** Notes what a module gives to startBot. */
export const noteStarted = (handlers: Handlers): void => {
  started = handlers
}

/** What a module has given to startBot since the last call. */
export const takeStarted = (): Handlers | undefined => {
  const taken = started
  started = undefined
  return taken
}
