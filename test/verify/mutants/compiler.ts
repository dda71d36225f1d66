import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { API } from 'typescript/unstable/sync'
import { root } from '../../support/outcome.ts'
import { changed, type Edit } from './edit.ts'

/** What is not used any more is no reason: the change would only be written with a line less. */
const unused = new Set([6133, 6192, 6196, 6198])

const settingsFile = join(root, 'tsconfig.mutants.json')

/** Says whether the compiler refuses a source with a change. Only what the source imports is loaded. */
export const typeChecker = (source: string) => {
  const file = join(root, source)
  const original = readFileSync(file, 'utf8')
  let text = original
  const texts: Readonly<Record<string, () => string>> = {
    [file]: () => text,
    [settingsFile]: () => JSON.stringify({ extends: './tsconfig.json', files: [source], include: [] }),
  }
  const api = new API({
    cwd: root,
    fs: {
      readFile: (path) => texts[path]?.(),
      fileExists: (path) => (texts[path] === undefined ? undefined : true),
    },
  })
  let snapshot = api.updateSnapshot({ openProjects: [settingsFile] })
  return {
    refuses: (edit: Edit): boolean => {
      text = changed(original, edit)
      const next = api.updateSnapshot({ fileChanges: { changed: [file] } })
      snapshot.dispose()
      snapshot = next
      const found = snapshot.getProject(settingsFile)?.program.getSemanticDiagnostics(file)
      if (found === undefined) throw new Error(`the compiler has not loaded ${source}`)
      return found.some(({ code }) => !unused.has(code))
    },
    [Symbol.dispose]: () => api.close(),
  }
}
