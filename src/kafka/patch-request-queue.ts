import { createRequire } from 'node:module'

type RequestQueue = { readonly pending: ReadonlyArray<unknown>; scheduleCheckPendingRequests: () => void }
type RequestQueueClass = { readonly prototype: RequestQueue }

const { prototype }: RequestQueueClass = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js')
const schedule = prototype.scheduleCheckPendingRequests

// kafkajs 2.2.4 schedules the next check after each response even where nothing waits, at a time in the past: Node
// warns of the negative delay, and the check repeats itself every millisecond for ever (tulios/kafkajs #1704, #1751).
// A request that comes later is sent or schedules the check itself, so that nothing has to be done for an empty queue.
prototype.scheduleCheckPendingRequests = function () {
  if (this.pending.length > 0) schedule.call(this)
}
