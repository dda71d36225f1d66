import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Handlers } from '../../src/bot/handlers.ts'
import { clientWrites, conversationEvent } from '../../src/bot/harness.ts'
import { text } from '../../src/bot/replies.ts'
import { sleep } from '../../src/bridge/shared/time.ts'
import { givenChat } from './given-chat.ts'

const exporter = new InMemorySpanExporter()

const traceId = '0af7651916cd43dd8448eb211c80319c'
const parent = 'b7ad6b7169203331'

const spans = suite('spans of the bot kit')
// Not earlier: other test files of this process register their own.
spans.before(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }))
})
spans.after(() => {
  trace.disable()
  context.disable()
})

/** The spans of a bot's work on one event, and the traces in which it publishes. */
const traced = async (handlers: Handlers, event = clientWrites('My secret'), flags = '01') => {
  exporter.reset()
  const published: Array<string | undefined> = []
  const chat = givenChat(handlers)
  chat.receive({
    event,
    traceparent: `00-${traceId}-${parent}-${flags}`,
    attach: async () => {},
    publish: async (_, traceparent) => void published.push(traceparent),
    finish: () => {},
  })
  await chat.idle()
  return { spans: exporter.getFinishedSpans(), published }
}

spans('a call of a handler is a span with the chat, below the event, and the parent of what it publishes', async () => {
  const bots: ReadonlyArray<Handlers> = [{ onMessage: () => text('An answer') }, { onTurn: () => text('An answer') }]
  for (const bot of bots) {
    const { spans, published } = await traced(bot)
    assert.equal(
      spans.map(({ name, attributes, parentSpanContext }) => [name, attributes, parentSpanContext?.spanId]),
      [
        [
          'invoke_agent',
          {
            'gen_ai.operation.name': 'invoke_agent',
            'gen_ai.conversation.id': 'acme/2037',
            'messaging.consumer.group.name': 'shop-bot',
          },
          parent,
        ],
      ],
    )
    assert.equal(published, [`00-${traceId}-${spans[0]?.spanContext().spanId}-01`])
  }
})

spans('spans of the handler, such as a request to a model, are its children', async () => {
  const { spans } = await traced({
    onMessage: async () => {
      await sleep(1)
      trace.getTracer('model').startSpan('chat').end()
      return text('Hi')
    },
  })
  const [model, agent] = spans
  assert.equal([model?.name, model?.parentSpanContext?.spanId], ['chat', agent?.spanContext().spanId])
})

spans('a call that fails says so by a kind, and has no text of anybody', async () => {
  const { spans } = await traced({ onMessage: () => Promise.reject(new RangeError('My secret is out')) })
  assert.equal(
    spans.map(({ status, events }) => [status.message, events]),
    [
      ['RangeError', []],
      ['RangeError', []],
    ],
  )
  const told = spans.map(({ name, attributes, status }) => ({ name, attributes, status }))
  assert.not.match(JSON.stringify(told), /secret/)
})

spans('an event without a handler, and a trace that is not sampled, have no span', async () => {
  assert.equal((await traced({ onMessage: () => text('Hi') }, conversationEvent('ChatClosed') as never)).spans, [])
  const unsampled = await traced({ onMessage: () => text('Hi') }, clientWrites('Hello'), '00')
  assert.equal([unsampled.spans, unsampled.published], [[], [`00-${traceId}-${parent}-00`]])
})

spans.run()
