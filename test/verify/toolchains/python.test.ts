import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { run } from '../../../src/tools/embedded/run.ts'
import { left, right } from '../../support/either.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { venv } from './python.ts'

const directory = temporaryFolder()
const requirements = (text: string) => {
  const file = join(directory, 'requirements.txt')
  writeFileSync(file, text)
  return file
}

const nothing = requirements('# nothing\n')
const empty = await venv('nothing', nothing)
if (E.isLeft(empty)) console.log(`skipped: no Python environment: ${empty.left.message}`)

const python = suite('Python environments')
const here = E.isRight(empty) ? python : python.skip

python.after(() => {
  if (E.isRight(empty)) rmSync(dirname(dirname(empty.right.python)), { recursive: true })
})

here('an environment is isolated from the machine, and is created once', async () => {
  const prefix = await run(right(empty).python, ['-c', 'import sys; print(sys.prefix != sys.base_prefix)'])
  assert.equal(prefix, E.right('True\n'))
  assert.equal(right(await venv('nothing', nothing)).python, right(empty).python)
})

here('if the packages cannot be installed, it reports why', async () => {
  const reason = left(await venv('missing', requirements('./missing-1.0-py3-none-any.whl\n')))
  assert.match(reason.message, /^ERROR: .*missing-1\.0/)
})

python.run()
