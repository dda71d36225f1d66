// Preloaded into tests that must fail: one module is loaded with a change.

import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { changed, type Edit } from './edit.ts'

const { MUTANT_OF: target = '', MUTANT_EDIT: edit = '' } = process.env

registerHooks({
  load: (url, context, next) => {
    if (url !== target) return next(url, context)
    const text = changed(readFileSync(fileURLToPath(url), 'utf8'), JSON.parse(edit) as Edit)
    return { format: 'module', source: stripTypeScriptTypes(text), shortCircuit: true }
  },
})
