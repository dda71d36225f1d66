import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Enrichment } from '../../../contracts/commands/enrichment.ts'
import { WebhookReply } from '../../../contracts/webhooks/reply.ts'
import { decodeParts } from '../../../src/bridge/domain/decode-parts.ts'
import { type FindEnrichment, replyOf } from '../../../src/bridge/ingress/enrichment.ts'
import { arbitraryOf } from '../../support/arbitraries.ts'
import { right } from '../../support/either.ts'
import { sample } from '../../support/samples.ts'
import { never, send, start } from './harness.ts'

const hooks = '/webhooks/webhooks-token-acme'
const found: Enrichment = {
  customData: [{ title: 'Plan', content: 'Gold', key: 'plan', link: 'https://crm.example.com/plans/gold' }],
  contactInfo: { name: 'John Smith', email: 'john.smith@example.com', description: 'A customer since 2019' },
  enableAssign: false,
  crmLink: 'https://crm.example.com/clients/1233',
  page: { url: 'https://shop.example.com/' },
}
const shown = {
  result: 'ok',
  custom_data: [{ title: 'Plan', content: 'Gold', key: 'plan', link: 'https://crm.example.com/plans/gold' }],
  contact_info: { name: 'John Smith', email: 'john.smith@example.com', description: 'A customer since 2019' },
  enable_assign: false,
  crm_link: 'https://crm.example.com/clients/1233',
  page: { url: 'https://shop.example.com/' },
}

const enrichment = suite('enrichment')

/** Finds this for the visitor, and that for the chat. */
const knowing =
  (visitor: Enrichment | undefined, chat?: Enrichment): FindEnrichment =>
  async (keysOf) =>
    keysOf().some((key) => key.includes('/chatId:')) ? chat : visitor

const answers = async (findEnrichment: FindEnrichment, name: string, enrichmentMs = 500) => {
  const { port, stop, published } = await start({ findEnrichment }, { enrichmentMs })
  const { status, body } = await send(port, hooks, { body: sample('webhooks', name) })
  await stop()
  return { status, body, events: published.length }
}

enrichment('chat_accepted and chat_updated are answered with the enrichment of the visitor', async () => {
  for (const name of ['chat_accepted', 'chat_updated'])
    assert.equal(await answers(knowing(found), name), { status: 200, body: shown, events: 1 })
})

enrichment('what is known of the chat is added: fields that the visitor has stay as they are', async () => {
  const note: Enrichment = {
    customData: [{ title: 'Summary', content: 'Wants a refund' }],
    crmLink: 'https://crm.example.com/of-the-chat',
    contactInfo: { name: 'J. S.' },
  }
  assert.equal((await answers(knowing(undefined, note), 'chat_accepted')).body, {
    result: 'ok',
    custom_data: [{ title: 'Summary', content: 'Wants a refund' }],
    contact_info: { name: 'J. S.' },
    crm_link: 'https://crm.example.com/of-the-chat',
  })
  assert.equal((await answers(knowing(found, note), 'chat_accepted')).body, {
    ...shown,
    custom_data: [...shown.custom_data, { title: 'Summary', content: 'Wants a refund' }],
  })
  assert.equal((await answers(knowing({ crmLink: 'https://crm.example.com/7' }, note), 'chat_updated')).body, {
    result: 'ok',
    custom_data: [{ title: 'Summary', content: 'Wants a refund' }],
    contact_info: { name: 'J. S.' },
    crm_link: 'https://crm.example.com/7',
  })
})

enrichment('the look-up of the chat has its key', async () => {
  const asked: Array<ReadonlyArray<string>> = []
  await answers(async (keysOf) => {
    asked.push(keysOf())
    return undefined
  }, 'chat_accepted')
  assert.equal(asked[1], [`acme/chatId:${JSON.parse(sample('webhooks', 'chat_accepted')).chat_id}`])
})

enrichment('the other events are answered without a look-up', async () => {
  let asked = 0
  const find = async () => {
    asked++
    return found
  }
  for (const name of ['call_event', 'chat_assigned', 'client_updated', 'chat_finished', 'offline_message'])
    assert.equal(await answers(find, name), { status: 200, body: { result: 'ok' }, events: 1 })
  assert.is(asked, 0)
})

enrichment('the look-up has the visitor’s keys in their order', async () => {
  const asked: Array<ReadonlyArray<string>> = []
  const find: FindEnrichment = async (keysOf) => {
    if (!keysOf().some((key) => key.includes('/chatId:'))) asked.push(keysOf())
    return undefined
  }
  await answers(find, 'chat_accepted.attributes-object')
  await answers(find, 'chat_accepted.nulls')
  assert.equal(asked, [
    [
      'acme/userToken:user-token-1',
      'acme/clientId:1233',
      'acme/email:john.smith@example.com',
      'acme/phone:+14085550142',
      'acme/visitorNumber:2746',
    ],
    ['acme/visitorNumber:2746'],
  ])
})

const failures: Readonly<Record<string, FindEnrichment>> = {
  'finds nothing': async () => undefined,
  rejects: async () => Promise.reject(new Error('no database')),
  throws: () => {
    throw new Error('no database')
  },
  'never answers': () => never(),
}
for (const [how, find] of Object.entries(failures))
  enrichment(`a look-up that ${how} does not harm the event`, async () => {
    assert.equal(await answers(find, 'chat_accepted', 10), { status: 200, body: { result: 'ok' }, events: 1 })
  })

enrichment('the look-up runs in parallel with the publishing', async () => {
  const looked = Promise.withResolvers<void>()
  const { port, stop } = await start({
    publish: async () => {
      await looked.promise
      return E.right('kafka')
    },
    findEnrichment: async (...asked) => {
      looked.resolve()
      return knowing(found)(...asked)
    },
  })
  assert.equal((await send(port, hooks, { body: sample('webhooks', 'chat_accepted') })).body, shown)
  await stop()
})

enrichment('any enrichment is a reply of the protocol', () => {
  fc.assert(
    fc.property(arbitraryOf(Enrichment), (value) =>
      WebhookReply.is(replyOf(right(decodeParts<Enrichment>(Enrichment)(value)).value)),
    ),
  )
})

enrichment.run()
