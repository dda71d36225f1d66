import { context, trace } from '@opentelemetry/api'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createLog, startTraces } from '../../src/app/telemetry.ts'
import { sendSpan, serverSpan, traceIdOf, traceparentAfter } from '../../src/bridge/adapters/tracing.ts'

const sampling = suite('sampling')

/** Runs the check with this sampler. Nothing is sent. */
const withSampler = async (sampler: string, ratio: number, check: () => void) => {
  const stop = await startTraces({ endpoint: 'http://127.0.0.1:1', headers: {}, sampler, ratio }, createLog('silent'))
  try {
    check()
  } finally {
    trace.disable()
    context.disable()
    await stop()
  }
}

/** The smallest id: a sampler that decides by id accepts it at any ratio. */
const id = '00000000000000000000000000000001'
const traceparent = (flags: string) => `00-${id}-b7ad6b7169203331-${flags}`
const request = (flags: string) => traceparentAfter(serverSpan(traceparent(flags), 'POST'), undefined)
const isSampled = (made: string | undefined) => made?.endsWith('-01')

sampling('a caller’s flag or trace id cannot force sampling; the request stays in the caller’s trace', () =>
  withSampler('parentbased_traceidratio', 0.01, () => {
    const made = Array.from({ length: 200 }, () => request('01'))
    assert.ok(!made.every(isSampled))
    assert.ok(made.every((each) => traceIdOf(each) === id))
  }),
)

sampling('a caller cannot prevent sampling either', () =>
  withSampler('parentbased_always_on', 1, () => assert.ok(isSampled(request('00')))),
)

sampling('a record of a sampled trace is sampled', () =>
  withSampler('parentbased_traceidratio', 0, () => {
    assert.not.ok(isSampled(request('01')))
    const record = { topic: 'bot-replies', key: Buffer.from('acme/2037') } as const
    assert.ok(sendSpan(record, traceparent('01'))?.isRecording())
    assert.is(sendSpan(record, traceparent('00')), undefined)
  }),
)

sampling.run()
