import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { othersThanNow } from '../../../src/bridge/mongo/view-versions.ts'
import { contractOf, foldedOf, type ViewName, viewNames } from '../../../src/bridge/views/index.ts'

const versions = suite('versions of views')

const allOfNow = foldedOf(viewNames).map((view) => [view, contractOf(view).version] as const)

versions('views of the present version need no rebuild', () => {
  assert.equal(othersThanNow(new Map(allOfNow)), [])
})

versions('a view of another version must be rebuilt', () => {
  assert.equal(othersThanNow(new Map<ViewName, number>([...allOfNow, ['calls', 0]])), ['calls'])
})

versions('a view that was added to the bridge must be rebuilt: what it should have is in the log', () => {
  assert.equal(othersThanNow(new Map(allOfNow.filter(([view]) => view !== 'clients'))), ['clients'])
})

versions.run()
