import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { defences } from './defences.ts'
import { instead } from './weakened/instead.ts'

const controls = suite('defences that the negative controls switch off')

/** What the modules of the bridge import of each other: `src/bridge/views/changes.ts changesOfEvent`. */
const imported = new Set(
  globSync('src/**/*.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/import \{([^}]*)\} from '([.][^']*)'/g)].flatMap(
      ([, names = '', from = '']) =>
        names.split(',').map((name) => `${join(dirname(file), from)} ${name.trim().split(' ')[0]}`),
    ),
  ),
)

const { exports: doors } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly exports: object }
/** The modules that users of the package import, as the bots of the scenarios do. */
const forUsers = new Set(Object.values(doors).map((path) => join(String(path))))

for (const [name, replacements] of Object.entries(defences))
  controls(`${name}: each replacement stands in for an export that others import`, async () => {
    for (const replacement of replacements) {
      const names = Object.keys(await replacement())
      assert.ok(names.length > 0)
      const module = join('test/verify/faults/weakened', replacement.of)
      // A module's own use of its export would stay as it is.
      const unused = names.filter((each) => !forUsers.has(module) && !imported.has(`${module} ${each}`))
      assert.equal(unused, [])
    }
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
