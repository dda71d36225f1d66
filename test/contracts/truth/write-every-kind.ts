import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { bridgeOf } from '../../../src/tools/simulator/account.ts'
import { runCommand } from '../../support/command.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { plainClient } from '../../support/plain-consumer.ts'
import { sample, samples } from '../../support/samples.ts'
import type { World } from '../../support/world.ts'

/** Writes every kind of record and document with a running bridge, and erases a client. No watchdog may add any. */
export const writeEveryKind = async (here: World, url: string): Promise<void> => {
  const producer = plainClient(here.brokers).producer()
  await producer.connect()
  const [account] = here.accounts
  const { webhooksUrl = '', botUrl } = account?.bot ? bridgeOf(url, { ...account, bot: account.bot }) : { botUrl: '' }
  const post = (to: string, body: string) =>
    fetch(to, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const produce = (topic: string, key: string, value: object) =>
    producer.send({ topic: here.prefix + topic, messages: [{ key, value: JSON.stringify(value) }] })
  const text = { type: 'TEXT', text: 'Hello' }
  const command = (type: string, chatId: string, more: object = {}) => {
    const ids = { id: `command-${chatId}`, accountId: 'acme', chatId, clientId: `client-${chatId}` }
    return produce('bot-replies', `acme/${chatId}`, { type, ...ids, ...more })
  }

  for (const { text: body } of samples('webhooks', 'accepted')) await post(webhooksUrl, body)
  for (const { text: body } of samples('bot-api', 'accepted')) await post(botUrl, body)
  await post(webhooksUrl, '{"event_name":')
  await produce('enrichments', 'acme/email:john.smith@example.com', { crmLink: 'https://crm.example.com/clients/1233' })
  const write = (chatId: string) => here.service.clientWrites(chatId, 'Hi', { clientId: `client-${chatId}` })
  await write('delivered')
  await command('BotMessage', 'delivered', { message: text })
  await write('handed-over')
  await command('InviteAgent', 'handed-over')
  await post(
    botUrl,
    sample('bot-api', 'AGENT_JOINED').replaceAll('"2037"', '"joined"').replaceAll('"1233"', '"client-joined"'),
  )
  await command('BotMessage', 'joined', { message: text })
  await command('BotMessage', 'refused', { message: { type: 'BUTTONS', title: 'Which?', buttons: [] } })
  await produce('chats', 'acme/1', { not: 'an event' })
  await producer.disconnect()

  const person = ['--account', 'acme', '--client', 'client-joined']
  const receipt = join(temporaryFolder(), 'receipt.json')
  const { code, err } = await runCommand(['erase', ...person, '--yes', '--receipt', receipt], here.env)
  assert.is(code, 0, err)
}
