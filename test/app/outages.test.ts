import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { changesSince } from '../../src/app/outages.ts'
import type { Health } from '../../src/bridge/domain/checks.ts'

const outages = suite('outages in the log')

const ok: Health = { ok: true, reason: 'the primary answers' }
const no = (reason: string): Health => ({ ok: false, reason })

/** The changes after each look, a second apart. */
const looks = (...checks: ReadonlyArray<Readonly<Record<string, Health>>>) => {
  let known: Parameters<typeof changesSince>[0] = new Map()
  return checks.map((each, i) => {
    const [next, changes] = changesSince(known, each, i * 1_000)
    known = next
    return changes
  })
}

outages('have one line at the beginning and one at the end, whatever the reasons between', () => {
  assert.equal(
    looks(
      { mongodb: ok, kafka: ok },
      { mongodb: no('no primary'), kafka: ok },
      { mongodb: no('no answer'), kafka: ok },
      { mongodb: ok, kafka: ok },
      { mongodb: ok, kafka: ok },
    ),
    [
      [],
      [{ name: 'mongodb', is: 'broken', reason: 'no primary' }],
      [],
      [{ name: 'mongodb', is: 'works again', brokenMs: 2_000 }],
      [],
    ],
  )
})

outages('of something that has never worked have no line: it is starting', () => {
  assert.equal(looks({ projector: no('has not joined') }, { projector: no('has not joined') }, { projector: ok }), [
    [],
    [],
    [],
  ])
})

outages.run()
