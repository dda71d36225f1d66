import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { leavesField } from '../../src/console/browser/leaves-field.ts'

const keys = suite('keys in a field')

const rows: ReadonlyArray<readonly [...Parameters<typeof leavesField>, ReturnType<typeof leavesField>]> = [
  [{ key: 'Escape', isSearch: false, isComposing: false }, 'at once'],
  [{ key: 'Escape', isSearch: true, isComposing: false }, 'at once'],
  [{ key: 'Enter', isSearch: true, isComposing: false }, 'key up'],
  [{ key: 'Enter', isSearch: true, isComposing: true }, 'never'],
  [{ key: 'Enter', isSearch: false, isComposing: false }, 'never'],
  [{ key: 'j', isSearch: true, isComposing: false }, 'never'],
]
for (const [pressed, leaves] of rows)
  keys(`leave it ${leaves}: ${JSON.stringify(pressed)}`, () => assert.is(leavesField(pressed), leaves))

keys.run()
