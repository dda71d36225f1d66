/**
 * The process of a bot module. The parent starts it without the right to use the network, write files or run others.
 */
import { answerTurn, type BotInChat } from './answer-turn.ts'
import { installFreshModules, loadBot } from './load-bot.ts'
import { installLogClock } from './log-clock.ts'
import type { FromBot, Question } from './messages.ts'

const [path = '', replyWithin = ''] = process.argv.slice(2)
const tell = (message: FromBot) => void process.send?.(message)
const bots = new Map<string, Promise<BotInChat>>()

const botOf = (chat: string): Promise<BotInChat> => {
  const known = bots.get(chat) ?? loadBot(path, chat).then((handlers) => ({ handlers, history: [] }))
  bots.set(chat, known)
  return known
}

const answer = async (question: Question): Promise<void> => {
  if (question.kind === 'end') return void bots.delete(question.chat)
  const { id, chat, before, events } = question
  const bot = await botOf(chat)
  tell({ kind: 'answer', id, raw: await answerTurn(bot, { before, events }, Number(replyWithin)) })
}

class ProcessExit extends Error {
  override readonly name = 'ProcessExit'
}
// Only the chat in which the bot gives up has failed. Other chats are in this process too.
process.exit = () => {
  throw new ProcessExit('it ends its process')
}
installLogClock()
installFreshModules()
try {
  await loadBot(path, 'first')
  process.on('message', answer)
  tell({ kind: 'ready' })
} catch (error) {
  tell({ kind: 'unusable', reason: error instanceof Error ? `${error.name}: ${error.message}` : 'it threw' })
  process.disconnect?.()
}
