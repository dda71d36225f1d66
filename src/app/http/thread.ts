import { parentPort, workerData } from 'node:worker_threads'
import { accessTokens } from '../../domain/access-token.ts'
import { now } from '../../domain/clock.ts'
import { createIngress } from '../../ingress/server.ts'
import { monotonic } from '../../shared/time.ts'
import { settled as settledWithin } from '../../shared/timeout.ts'
import { createLog } from '../log.ts'
import { joined } from './calls.ts'
import { gathering } from './gathering.ts'
import { keyFilter } from './key-filter.ts'
import { lookingUp } from './looking-up.ts'
import { publishing } from './publishing.ts'
import type { HttpSide, HttpThread, MainPort } from './sides.ts'

// A thread that serves HTTP: everything from a request's bytes to its record happens here, what is durable in the main thread.
if (parentPort === null) throw new Error('this file is run as a thread')
const { accounts, logLevel, memory, enriched }: HttpThread = workerData
const restAtMostMs = 10

const mine: HttpSide = {
  listen: (host, port, shared) => ingress.listen(host, port, shared),
  cease: () => ingress.cease(),
  stop: () => ingress.stop(),
  settled: (numbers) => settled(numbers),
  failed: (number, failure) => failed(number, failure),
}
const { call, tell, tellAtEnd } = joined<MainPort>(parentPort, mine)
const { publish, settled, failed } = publishing((parcel) => tellAtEnd('publish', () => [parcel()]))
const request = gathering<string | number>((gathered) => tellAtEnd('requests', () => [gathered()]))
let latest: Promise<unknown> = Promise.resolve()
/** The next look-up is for events that go into the log after this one's: none of them waits longer for it. */
const rest = () => settledWithin(latest, restAtMostMs)
const { issue, verify } = accessTokens(accounts, now)
const ingress = createIngress({
  ...{ accounts, memory, issue, verify, now, monotonic, log: createLog(logLevel) },
  publish: (event, withinMs) => {
    const published = publish(event, withinMs)
    latest = published
    return published
  },
  append: (record, withinMs) => call('append', record, withinMs),
  findEnrichment: lookingUp((keys) => call('findEnrichments', keys), keyFilter(enriched), rest),
  readiness: (withinMs) => call('readiness', withinMs),
  pulse: () => call('pulse'),
  metrics: () => call('metrics'),
  measure: {
    request,
    quarantined: (api, reason) => tell('quarantined', api, reason),
  },
})
