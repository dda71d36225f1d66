import { randomBytes } from 'node:crypto'
import {
  type Attributes,
  context,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { keyedByChat, type TopicName } from '../../../contracts/topics.ts'
import type { IncomingRecord, OutgoingRecord, Slice } from '../domain/log/record.ts'

/** OpenTelemetry spans. Attributes are names, numbers and chats, never a person's data, a token or a URL. */

export type { Span } from '@opentelemetry/api'

const name = 'livechat-bridge'

/** Undefined while no SDK is registered. Then tracing costs nothing. */
const tracer = (): Tracer | undefined => {
  const provider = trace.getTracerProvider()
  return provider instanceof ProxyTracerProvider ? provider.getDelegateTracer(name) : provider.getTracer(name)
}

const wellFormed = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/
const traceparentLength = 55

const contextOf = (traceparent: string | undefined): SpanContext | undefined => {
  const [, traceId = '', spanId = '', flags = ''] = wellFormed.exec(traceparent ?? '') ?? []
  return traceId === '' ? undefined : { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
}

/** The trace id of a traceparent (W3C Trace Context), as in logs; undefined if it is not well-formed. */
export const traceIdOf = (traceparent: string | undefined): string | undefined => contextOf(traceparent)?.traceId

/** The traceparent if it is well-formed, otherwise the start of a new trace. */
export const traceparentOf = (header: string): string => {
  if (wellFormed.test(header)) return header
  const ids = randomBytes(24).toString('hex')
  return `00-${ids.slice(0, 32)}-${ids.slice(32)}-01`
}

/** The traceparent for work below a span. Without a span, the earlier traceparent stays. */
export const traceparentAfter = (span: Span | undefined, before: string | undefined): string | undefined => {
  if (span === undefined) return before
  const { traceId, spanId, traceFlags } = span.spanContext()
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`
}

const isSampled = (parent: SpanContext | undefined): parent is SpanContext => (parent?.traceFlags ?? 0) === 1

const below = (parent: SpanContext | undefined) =>
  parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent)

/** Ends a span. With `failure` the span is marked as failed. */
export const endSpan = (span: Span | undefined, failure?: string): void => {
  if (failure !== undefined) span?.setStatus({ code: SpanStatusCode.ERROR, message: failure })
  span?.end()
}

/** A span for a received request, from its arrival on. The SDK's sampler decides whether the span is sampled. */
export const serverSpan = (traceparent: string, method: string): Span | undefined =>
  tracer()?.startSpan(
    method,
    { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } },
    below(contextOf(traceparent)),
  )

/** A span for a request to the service. It names only the host, because the path has a token. */
export const clientSpan = (traceparent: string | undefined, baseUrl: string): Span | undefined => {
  const parent = contextOf(traceparent)
  if (!isSampled(parent)) return undefined
  const { hostname, port, protocol } = new URL(baseUrl)
  const attributes: Attributes = {
    'http.request.method': 'POST',
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
  }
  return tracer()?.startSpan('POST', { kind: SpanKind.CLIENT, attributes }, below(parent))
}

/** An account and a chat. Other programs write keys too, so any other key may be a person's address. */
const chatKey = /^[\w.-]{1,64}\/[\w.-]{1,64}$/

const messaging = (topic: TopicName, operation: 'send' | 'process', key?: string | Buffer | null): Attributes => ({
  'messaging.system': 'kafka',
  'messaging.operation.name': operation,
  'messaging.operation.type': operation,
  'messaging.destination.name': topic,
  ...(key &&
    // Keys of other topics may be a person's.
    keyedByChat.has(topic) &&
    key.length <= 129 &&
    chatKey.test(String(key)) && { 'messaging.message.conversation_id': String(key) }),
})

/** A span for sending a record to Kafka, as a child of the record's traceparent. */
export const sendSpan = ({ topic, key }: Pick<OutgoingRecord, 'topic' | 'key'>, traceparent: unknown) => {
  const traces = tracer()
  if (traces === undefined || (typeof traceparent !== 'string' && !Buffer.isBuffer(traceparent))) return undefined
  const parent = contextOf(String(traceparent))
  if (!isSampled(parent)) return undefined
  const attributes = messaging(topic, 'send', key)
  return traces.startSpan(`send ${topic}`, { kind: SpanKind.PRODUCER, attributes }, below(parent))
}

const ofRecord = ({ topic, partition, offset, key }: IncomingRecord, group: string): Attributes => ({
  ...messaging(topic, 'process', key),
  'messaging.consumer.group.name': group,
  'messaging.destination.partition.id': String(partition),
  'messaging.kafka.offset': offset,
})

/** The record's traceparent, if it is well-formed: any producer may write anything into a header. */
export const traceparentIn = ({ headers }: Pick<IncomingRecord, 'headers'>): string | undefined => {
  const { traceparent } = headers
  return traceparent?.length === traceparentLength && wellFormed.test(String(traceparent))
    ? String(traceparent)
    : undefined
}

/** A span for a record that is handled alone: in the record's trace, or in a new trace if the record has none. */
export const processSpan = (record: IncomingRecord, group: string): Span | undefined => {
  const parent = contextOf(traceparentIn(record))
  if (parent !== undefined && !isSampled(parent)) return undefined
  const options = { kind: SpanKind.CONSUMER, attributes: ofRecord(record, group) }
  return tracer()?.startSpan(`process ${record.topic}`, options, below(parent))
}

/**
 * A span for one call of a bot's handler, below the event that it answers (semantic conventions for generative AI). It
 * names the chat, and nothing that anybody wrote.
 */
export const agentSpan = (traceparent: string | undefined, chat: string, group: string): Span | undefined => {
  const parent = contextOf(traceparent)
  if (parent !== undefined && !isSampled(parent)) return undefined
  const attributes: Attributes = {
    'gen_ai.operation.name': 'invoke_agent',
    'messaging.consumer.group.name': group,
    ...(chatKey.test(chat) && { 'gen_ai.conversation.id': chat }),
  }
  return tracer()?.startSpan('invoke_agent', { kind: SpanKind.INTERNAL, attributes }, below(parent))
}

/** Runs work below a span, so that spans of the work, such as a model's request, become its children. */
export const inSpan = <A>(span: Span | undefined, work: () => A): A =>
  span === undefined ? work() : context.with(trace.setSpan(context.active(), span), work)

const maxLinks = 128

/** Handles a slice in a span with links to its sampled records. Each of them has a span in its own trace too. */
export const tracingSlice = async (
  { topic, partition, records }: Slice,
  group: string,
  handle: () => Promise<void>,
): Promise<void> => {
  const traces = tracer()
  if (traces === undefined) return handle()
  const sampled = records.flatMap((record) => {
    const parent = contextOf(traceparentIn(record))
    return isSampled(parent) ? [{ record, parent }] : []
  })
  const links = sampled.slice(0, maxLinks).map(({ parent }) => ({ context: parent }))
  const attributes = {
    ...messaging(topic, 'process'),
    'messaging.consumer.group.name': group,
    'messaging.destination.partition.id': String(partition),
    'messaging.batch.message_count': records.length,
  }
  const slice = traces.startSpan(`process ${topic}`, { kind: SpanKind.CONSUMER, attributes, links }, ROOT_CONTEXT)
  const spans = sampled.map(({ record, parent }) =>
    traces.startSpan(
      `process ${topic}`,
      { kind: SpanKind.CONSUMER, attributes: ofRecord(record, group), links: [{ context: slice.spanContext() }] },
      below(parent),
    ),
  )
  const end = (failure?: string) => {
    for (const span of [...spans, slice]) endSpan(span, failure)
  }
  try {
    await context.with(trace.setSpan(ROOT_CONTEXT, slice), handle)
    end()
  } catch (error) {
    end(error instanceof Error ? error.name : 'Error')
    throw error
  }
}

/** Binds a function to the span that is active now. A batcher may call it later, for several callers at once. */
export const inActiveSpan = (): (<A>(run: () => A) => A) => {
  const active = context.active()
  return (run) => context.with(active, run)
}

/** Traces a bulk write below the active span of a slice. */
export const tracingWrite = async <A>(collection: string, documents: number, write: () => Promise<A>): Promise<A> => {
  const active = context.active()
  if (!trace.getSpan(active)?.isRecording()) return write()
  const attributes = {
    'db.system.name': 'mongodb',
    'db.operation.name': 'bulkWrite',
    'db.collection.name': collection,
    'db.operation.batch.size': documents,
  }
  const span = tracer()?.startSpan(`bulkWrite ${collection}`, { kind: SpanKind.CLIENT, attributes }, active)
  try {
    const written = await write()
    endSpan(span)
    return written
  } catch (error) {
    endSpan(span, error instanceof Error ? error.name : 'Error')
    throw error
  }
}
