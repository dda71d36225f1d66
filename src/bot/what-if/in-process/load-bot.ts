import { registerHooks } from 'node:module'
import { extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isObject } from '../../../bridge/shared/json.ts'
import type { Handlers } from '../../handlers.ts'

const root = new URL('../../../../', import.meta.url).href
const extension = extname(import.meta.url)
const kit = new URL(`kit${extension}`, import.meta.url).href
const kitOfTheBridge = `${root}src/bot/index${extension}`
const names = ['livechat-bridge-contracts/bot', 'livechat-bridge/bot']
const parameter = 'what-if'

/** The bridge's own modules and packages keep no state of a bot, so all chats share them. */
const isShared = (url: string): boolean =>
  !url.startsWith('file:') ||
  url.includes('/node_modules/') ||
  ['src/', 'contracts/'].some((folder) => url.startsWith(`${root}${folder}`) && !url.includes('/guides/examples/'))

const chatOf = (url: string | undefined): string | null =>
  url === undefined ? null : (URL.parse(url)?.searchParams.get(parameter) ?? null)

/** Each chat loads the bot's own files anew: they have no state of another chat. */
export const installFreshModules = (): void => {
  registerHooks({
    resolve: (specifier, context, next) => {
      if (names.includes(specifier)) return { url: kit, shortCircuit: true }
      const found = next(specifier, context)
      if (found.url === kitOfTheBridge) return { ...found, url: kit }
      const chat = chatOf(context.parentURL)
      if (chat === null || isShared(found.url) || chatOf(found.url) !== null) return found
      const url = new URL(found.url)
      url.searchParams.set(parameter, chat)
      return { ...found, url: url.href }
    },
  })
}

let started: Handlers | undefined

/** Notes what a module gives to startBot. */
export const noteStarted = (handlers: Handlers): void => {
  started = handlers
}

/** What a module has given to startBot since the last call. */
const takeStarted = (): Handlers | undefined => {
  const taken = started
  started = undefined
  return taken
}

const isHandlers = (value: unknown): value is Handlers =>
  isObject(value) &&
  (('onMessage' in value && typeof value.onMessage === 'function') ||
    ('onTurn' in value && typeof value.onTurn === 'function'))

const extensions = ['.ts', '.mts', '.js', '.mjs', '.cjs']

const load = async (path: string, chat: string): Promise<Handlers> => {
  if (!extensions.includes(extname(path))) {
    throw new TypeError('expected a module in TypeScript or JavaScript; try a bot in another language with --group')
  }
  const url = pathToFileURL(path)
  url.searchParams.set(parameter, chat)
  const loaded: { readonly default?: unknown; readonly bot?: unknown } = await import(url.href)
  const bot = [takeStarted(), loaded.default, loaded.bot].find(isHandlers)
  if (bot !== undefined) return bot
  throw new TypeError('expected a default export, an export `bot`, or a call of startBot, with onMessage or onTurn')
}

let last: Promise<unknown> = Promise.resolve()

/**
 * The bot of a module for one chat. Rejects if the module cannot be loaded or has no bot. One module is loaded after
 * the other, so that it is known which one has started a bot.
 */
export const loadBot = (path: string, chat: string): Promise<Handlers> => {
  const loading = last.then(() => load(path, chat))
  last = loading.catch(() => undefined)
  return loading
}
