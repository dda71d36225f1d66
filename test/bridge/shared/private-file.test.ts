import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { writePrivateFile } from '../../../src/bridge/shared/private-files.ts'
import { printable } from '../../../src/bridge/shared/text.ts'
import { temporaryFolder } from '../../support/folder.ts'

const files = suite('private files and foreign text')

files('a file is readable by its user only, also if everybody could read it before', () => {
  const file = join(temporaryFolder(), 'export.json')
  writeFileSync(file, 'a longer text from before', { mode: 0o666 })
  writePrivateFile(file, 'new')
  assert.equal([readFileSync(file, 'utf8'), statSync(file).mode & 0o777], ['new', 0o600])
})

files('every control character and every character that changes the direction is escaped', () => {
  const c0AndC1 = Array.from({ length: 0xa0 }, (_, i) => i).filter((i) => i < 0x20 || i > 0x7e)
  const directions = [0x61c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069]
  for (const code of [...c0AndC1, ...directions, 0x2028, 0x2029])
    assert.is(printable(String.fromCharCode(code)), `\\u${code.toString(16).padStart(4, '0')}`)
  assert.is(printable('Zoë 日本 🎉'), 'Zoë 日本 🎉')
})

files.run()
