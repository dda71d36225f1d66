import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeFolders } from '../../../src/bridge/shared/private-files.ts'
import { temporaryFolder } from '../../support/folder.ts'

const folders = suite('folders that are made')

const treeOf = (root: string) =>
  readdirSync(root, { recursive: true })
    .map(String)
    .sort()
    .map((name) => [name, statSync(join(root, name)).mode & 0o777])

const paths = fc.array(fc.constantFrom('a', 'b', 'c', '..', '.'), { minLength: 1, maxLength: 5 })
folders('each is made, and the first one is told, as Node does it', () => {
  fc.assert(
    fc.property(fc.array(paths, { maxLength: 4 }), (wanted) => {
      const [mine, nodes] = [join(temporaryFolder(), '1/2/3/4/5'), join(temporaryFolder(), '1/2/3/4/5')]
      const relative = (root: string, first: string | undefined) => first?.slice(root.length)
      for (const path of [[], ...wanted])
        assert.is(
          relative(mine, makeFolders(join(mine, ...path))),
          relative(nodes, mkdirSync(join(nodes, ...path), { recursive: true, mode: 0o700 })),
        )
      assert.equal(treeOf(mine), treeOf(nodes))
    }),
    { numRuns: 50 },
  )
})

const codeOf = (task: () => unknown): unknown => {
  try {
    return task()
  } catch (error) {
    return Object(error).code
  }
}

folders('what is no folder, or below one that cannot be, is refused', () => {
  const root = temporaryFolder()
  writeFileSync(join(root, 'file'), '')
  symlinkSync(join(root, 'nothing'), join(root, 'link'))
  const codes = ['file', 'file/a', 'link', 'link/a/b'].map((name) => codeOf(() => makeFolders(join(root, name))))
  assert.equal(codes, ['ENOTDIR', 'ENOTDIR', 'ENOENT', 'ENOENT'])
  assert.equal(readdirSync(root).sort(), ['file', 'link'])
})

folders.run()
