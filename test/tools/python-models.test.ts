// A downstream team does this in Python: it generates models from the published schemas and reads records with them.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { temporaryFolder } from '../support/folder.ts'
import type { Described } from '../truth/records.ts'
import { cases, empty } from './cases.ts'
import { venv } from './python.ts'

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const environment = await venv('codegen', pathOf('codegen-requirements.txt'))
if (E.isLeft(environment))
  console.log(`skipped: models in Python, for want of an environment: ${environment.left.message}`)
const { python, script } = E.getOrElse(() => ({ python: '', script: (name: string) => name }))(environment)

const models = suite('models that datamodel-code-generator makes')
const test = E.isRight(environment) ? models : models.skip

/** Generates a package `models` of all published schemas. */
const generate = (into: string, ...options: ReadonlyArray<string>): void => {
  const schemas = ['--input', pathOf('../../contracts/published/schemas'), '--input-file-type', 'jsonschema']
  const output = ['--output', join(into, 'models'), '--output-model-type', 'pydantic_v2.BaseModel']
  execFileSync(python, [script('datamodel-codegen'), ...schemas, ...output, ...options], { stdio: 'pipe' })
}

/** The cases that the models refuse, with the reasons. */
const refused = (from: string, all: ReadonlyArray<Described>): ReadonlyArray<string> =>
  JSON.parse(execFileSync(python, [pathOf('read_models.py'), from], { input: JSON.stringify(all), encoding: 'utf8' }))

const all = E.isRight(environment) ? await cases() : []

for (const [name, ...options] of [['as they are'], ['with --field-constraints', '--field-constraints']] as const)
  test(`${name}: they read every sample and every kind of record, and refuse what is empty`, () => {
    const into = temporaryFolder()
    generate(into, ...options)
    assert.equal(refused(into, all), [])
    const wrong = empty(all)
    assert.ok(wrong.length > 20)
    assert.is(refused(into, wrong).length, wrong.length)
  })

models.run()
