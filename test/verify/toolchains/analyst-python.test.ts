// An analyst does this in Python: the guide's lines write the sessions into a Parquet file and count them in DuckDB.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { changesOfEvent } from '../../../src/bridge/views/changes.ts'
import { guideText } from '../../guides/questions.ts'
import { shop } from '../../guides/shop.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { inLog } from '../../support/given-events.ts'
import { testDatabase } from '../../support/mongo.ts'
import { venv } from './python.ts'

const requirements = fileURLToPath(new URL('analyst-requirements.txt', import.meta.url))
const environment = await venv('analyst', requirements)
if (E.isLeft(environment)) console.log(`skipped: the analyst's Python: ${environment.left.message}`)

const python = suite('an analyst in Python')

if (E.isRight(environment))
  python('writes the sessions into a Parquet file and counts them with DuckDB, as the guide says', async () => {
    const { url, database, connect, drop } = await testDatabase()
    const bridge = connect()
    await bridge.ensureIndexes()
    await bridge.applyChanges(inLog(...shop).flatMap(changesOfEvent))

    const [, lines = ''] = /^```python\n(.*?)^```$/ms.exec(guideText) ?? []
    const address = new URL(url)
    address.pathname = `/${database}`
    const folder = temporaryFolder()
    const program = `url = ${JSON.stringify(address.href)}\n${lines.replace('"demo"', '"acme"')}`
    const table = execFileSync(environment.right.python, ['-c', program], { cwd: folder, encoding: 'utf8' })
    const rows = [...table.matchAll(/│ (agent|bot) +│ (\S+) +│ +(\d+) │/g)].map(([, ...cells]) => cells.join(' '))
    assert.equal(rows, [
      'agent finished 4',
      'agent open 2',
      'bot contained 1',
      'bot handed-over 2',
      'bot unavailable 1',
    ])
    assert.ok(existsSync(join(folder, 'sessions.parquet')))
    await drop()
  })

python.run()
