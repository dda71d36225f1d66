// Downstream teams do this in Go: models of records from the published schemas, and types of the HTTP interfaces.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exampleConfirmation } from '../../../contracts/commands/erasure-confirmation.ts'
import { schemaId } from '../../../contracts/events/upcast.ts'
import { commands, events } from '../../../src/tools/publishing/catalogue.ts'
import type { Described } from '../../contracts/truth/records.ts'
import { right } from '../../support/either.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { cases, empty } from './cases.ts'
import { goProgram } from './fetched.ts'

const published = fileURLToPath(new URL('../../../contracts/published/', import.meta.url))
const [jsonschema, oapi] = [
  await goProgram('github.com/atombender/go-jsonschema', 'v0.24.1'),
  await goProgram('github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen', 'v2.8.2'),
]
const models = suite('models in Go')

const go = (cwd: string, args: ReadonlyArray<string>, input = ''): string =>
  execFileSync('go', args, { cwd, input, encoding: 'utf8', maxBuffer: 1e8 })

/** A package for each record type: one package for all would have several types of one name. */
const packageOf = (schema: string) => schema.toLowerCase().replace(/\W/g, '')

const reader = (schemas: ReadonlyArray<string>) => `package main

import (
	"encoding/json"
	"os"
${schemas.map((schema) => `	"models/${packageOf(schema)}"`).join('\n')}
)

var types = map[string]func() any{
${schemas.map((schema) => `	"${schema}": func() any { return &${packageOf(schema)}.Record{} },`).join('\n')}
}

// Prints the index of each value that its type refuses, with the reason.
func main() {
	var cases []struct {
		Schema string
		Value  json.RawMessage
	}
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	refused := map[int]string{}
	for i, each := range cases {
		if err := json.Unmarshal(each.Value, types[each.Schema]()); err != nil {
			refused[i] = each.Schema + ": " + err.Error()
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(refused); err != nil {
		panic(err)
	}
}
`

const skipped = (what: string, fetched: E.Either<{ readonly message: string }, string>) => {
  if (E.isLeft(fetched)) console.log(`skipped: ${what}: ${fetched.left.message}`)
  return E.isRight(fetched) ? models : models.skip
}

skipped('go-jsonschema', jsonschema)('of go-jsonschema read every type of record, and refuse empty ones', async () => {
  const folder = temporaryFolder()
  const schemas = [...events, ...commands].map(({ name }) => name)
  go(folder, ['mod', 'init', 'models'])
  for (const schema of schemas) {
    const into = join(folder, packageOf(schema))
    mkdirSync(into)
    const root = `--schema-root-type=${schemaId(schema)}=Record`
    const args = ['-p', packageOf(schema), '-o', join(into, 'model.go'), '--tags', 'json', root]
    execFileSync(right(jsonschema), [...args, join(published, 'schemas', `${schema}.json`)], { stdio: 'pipe' })
  }
  writeFileSync(join(folder, 'main.go'), reader(schemas))
  // Other teams write this one, and no test does.
  const confirmation = { schema: 'ErasureConfirmation', value: exampleConfirmation }
  const all = [...(await cases()).filter(({ schema }) => schemas.includes(schema)), confirmation]
  assert.equal([...new Set(all.map(({ schema }) => schema))].sort(), [...schemas].sort())
  const refused = (given: ReadonlyArray<Described>) => JSON.parse(go(folder, ['run', '.'], JSON.stringify(given)))
  assert.equal(refused(all), {})
  const wrong = empty(all)
  assert.ok(wrong.length > 15)
  assert.is(Object.keys(refused(wrong)).length, wrong.length)
})

for (const [document, parts] of [
  ['openapi.yaml', 'types'],
  ['openapi-service.yaml', 'types,client'],
] as const)
  skipped('oapi-codegen', oapi)(`of oapi-codegen from ${document} compile`, () => {
    const folder = temporaryFolder()
    go(folder, ['mod', 'init', 'models'])
    const args = ['-generate', parts, '-package', 'models', '-o', join(folder, 'models.go')]
    execFileSync(right(oapi), [...args, join(published, document)], { stdio: 'pipe' })
    go(folder, ['mod', 'tidy'])
    go(folder, ['vet', './...'])
  })

models.run()
