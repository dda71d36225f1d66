import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { driftKinds } from '../../contracts/views/drift.ts'
import { adviceFor } from '../../src/console/pages/drift/advice.ts'
import { entries } from '../../src/console/pages/drift/page.ts'

const drift = suite('the page Drift')

const rows: ReadonlyArray<readonly [kinds: ReadonlyArray<string>, heads: ReadonlyArray<string>]> = [
  [[], []],
  [['misfit', 'unknown-field', 'misfit'], ['Unknown field, Value that does not fit']],
  [
    ['unknown-field', 'refused'],
    ['Refused request', 'Unknown field'],
  ],
  [['a-newer-kind'], []],
]
for (const [kinds, heads] of rows)
  drift(`says once what to do about ${kinds.join(', ') || 'nothing'}, what does not stay first`, () =>
    assert.equal(
      adviceFor(kinds).map((each) => each.kinds),
      heads,
    ),
  )

drift('says what to do about every kind', () =>
  assert.equal(
    Object.keys(driftKinds).filter((kind) => adviceFor([kind]).length !== 1),
    [],
  ),
)

drift('begins with what came last', () =>
  assert.equal(Object.entries(entries('acme', { skip: 0, limit: 20 }).sort ?? {}), [
    ['lastAt', -1],
    ['_id', 1],
  ]),
)

drift.run()
