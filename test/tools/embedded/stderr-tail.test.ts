import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { stderrTail } from '../../../src/tools/embedded/stderr-tail.ts'

const words = suite('last output')

words('of a broker are its last message, without the stack', () => {
  const log = [
    '2026-11-21 02:40:51.076 [main] ERROR kafka.Kafka$ - Exiting Kafka due to fatal exception',
    'org.apache.kafka.common.KafkaException: Failed to acquire lock on file .lock in data.',
    '\tat org.apache.kafka.storage.internals.log.LogManager.lockLogDirs(LogManager.java:246)',
    '\tat kafka.Kafka.main(Kafka.scala)',
    '',
  ].join('\n')

  assert.is(stderrTail(log), 'org.apache.kafka.common.KafkaException: Failed to acquire lock on file .lock in data.')
})

words('of a mongod are its last error and not the lines of its shutdown', () => {
  const log = [
    '{"t":{"$date":"2026-11-21T02:40:51.5+00:00"},"s":"I",  "c":"CONTROL",  "id":4615611, "ctx":"main","msg":"MongoDB starting"}',
    '{"t":{"$date":"2026-11-21T02:40:51.6+00:00"},"s":"E",  "c":"CONTROL",  "id":20557,   "ctx":"initandlisten","msg":"DBException in initAndListen, terminating","attr":{"error":"DBPathInUse: Unable to lock the lock file"}}',
    '{"t":{"$date":"2026-11-21T02:40:51.7+00:00"},"s":"I",  "c":"CONTROL",  "id":23138,   "ctx":"initandlisten","msg":"Shutting down","attr":{"exitCode":100}}',
  ].join('\n')

  assert.is(stderrTail(log), 'DBException in initAndListen, terminating: DBPathInUse: Unable to lock the lock file')
})

words('of a server without output say so', () => {
  assert.is(stderrTail('\n'), 'it wrote no log')
})

words.run()
