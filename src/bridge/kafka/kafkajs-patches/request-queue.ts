import { requestQueuePrototype as prototype } from '../kafkajs-internals.ts'

/**
 * Upstream: kafkajs 2.2.4, src/network/requestQueue/index.js; tulios/kafkajs #1704 and #1751, pull request #1755.
 * Problem: after each response kafkajs schedules the next check of the queue, even if the queue is empty, at a time in
 * the past. Node warns about the negative delay, and the check repeats every millisecond without end.
 * Patch: no check is scheduled for an empty queue. A later request is sent at once, or schedules the check itself.
 * Test: test/bridge/kafka/request-queue.test.ts
 * Remove when: #1755 is released.
 */

const schedule = prototype.scheduleCheckPendingRequests

prototype.scheduleCheckPendingRequests = function () {
  if (this.pending.length > 0) schedule.call(this)
}
