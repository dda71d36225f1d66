import { ceType } from '../../../../contracts/topics.ts'
import { serve } from '../worker.ts'
import { groupCommit, hearTopic } from './group-commit.ts'

export type EchoAsk = {
  readonly brokers: ReadonlyArray<string>
  readonly from: string
  readonly to: string
  /** The format of messages: the bridge's events and commands, or the service's own JSON in both directions. */
  readonly language: 'events' | 'wire'
}

type Heard = Readonly<Record<'accountId' | 'chatId' | 'clientId', string>> & {
  readonly message: { readonly text: string }
}

const inEvents = (id: string, value: string) => {
  const { accountId, chatId, clientId, message }: Heard = JSON.parse(value)
  return {
    type: 'BotMessage',
    id: `r-${id}`,
    accountId,
    chatId,
    clientId,
    message: { type: 'TEXT', text: message.text },
  }
}

const inWire = (value: string) => {
  const { id, chat_id, client_id, message } = JSON.parse(value)
  const { text, timestamp } = message
  return { event: 'BOT_MESSAGE', id: `r-${id}`, chat_id, client_id, message: { type: 'TEXT', text, timestamp } }
}

/** Bot logic without the bridge's code: repeats the client's text. */
serve<EchoAsk>(async ({ brokers, from, to, language }) => {
  const reply = await groupCommit(brokers, to)
  const wanted = ceType('ClientMessageReceived')
  await hearTopic(brokers, from, `${to}-echo`, ({ key, value, headers }) => {
    const text = String(value)
    if (language === 'wire') return void reply({ key: key ?? null, value: JSON.stringify(inWire(text)) })
    if (String(headers?.ce_type) !== wanted) return
    void reply({ key: key ?? null, value: JSON.stringify(inEvents(String(headers?.ce_id), text)) })
  })
})
