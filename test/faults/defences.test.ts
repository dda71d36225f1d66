import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { defences } from './defences.ts'
import { instead } from './weakened/instead.ts'

const controls = suite('defences that the negative controls switch off')

for (const [name, replacements] of Object.entries(defences))
  controls(`${name}: each replacement stands in for an export of its module`, async () => {
    for (const replacement of replacements) assert.ok(Object.keys(await replacement()).length > 0)
  })

controls('a replacement that changes nothing is told', async () => {
  const same = instead(
    () => import('node:path'),
    ({ join }) => ({ join }),
  )
  const told = await same().catch((error: Error) => error.message)
  assert.is(told, 'join does not replace an export of its module')
})

controls.run()
