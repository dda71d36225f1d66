import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { right } from '../../support/either.ts'
import { connectTestKafka, newPrefix, recordOf, textOf, withinMs } from '../kafka/connect.ts'

const kafka = await connectTestKafka(newPrefix())
right(await kafka.ensureTopics())

const deleted = suite('records that retention has deleted')

deleted.after(() => kafka.stop())

// A projector that starts again compares the log with the record of which it has kept the place. That record may be
// weeks old.
deleted('are no sign of another log, and no error', async () => {
  for (const text of ['one', 'two']) right(await kafka.append(recordOf('acme/1', text), withinMs))
  const ends = await kafka.endOffsets('chats')
  const [partition = 0] = [...ends].find(([, end]) => end === 2) ?? []
  const found = await kafka.fetchRecord('chats', partition, 0)
  assert.is(found && textOf(found), 'one')
  const mark = { epoch: found?.epoch ?? 0, offset: 0, timestamp: found?.timestamp ?? 0 }

  await kafka.deleteBefore('chats', new Map([[partition, 2]]))

  assert.is(await kafka.fetchRecord('chats', partition, 0), undefined)
  assert.equal(
    await kafka.compareLog('chats', new Map([[partition, mark]])),
    new Map([[partition, { kind: 'intact' }]]),
  )
})

deleted.run()
