// A downstream team does this in Java, Python or Go: it generates models from the AsyncAPI document with Modelina.
import { execFileSync } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { commands, events } from '../../src/publishing/catalogue.ts'
import { temporaryFolder } from '../support/folder.ts'
import { cases } from './cases.ts'
import { javaTools, lacking, npmPackage } from './fetched.ts'
import { venv } from './python.ts'

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const document = pathOf('../../contracts/published/asyncapi.yaml')
const modelina = await npmPackage('@asyncapi/modelina', '5.10.1')

const folder = temporaryFolder()
const models = suite('models that Modelina makes')

type Language = 'java' | 'python' | 'go'

/** Generates the models of a language in a separate folder, and returns its path. */
const generate = (language: Language, name: string): string => {
  const into = join(folder, language, name)
  mkdirSync(into, { recursive: true })
  const from = E.isRight(modelina) ? modelina.right : ''
  const names = execFileSync(process.execPath, [pathOf('modelina/generate.mjs'), from, document, language, into])
  assert.not.match(String(names), /anonymous/i)
  return into
}

type Case = { readonly name: string; readonly value: unknown }
const lacks = E.isLeft(modelina) ? modelina.left.message : undefined

/** Values of the events, commands and enrichments that the document describes, with the names of their models. */
const values = async (): Promise<ReadonlyArray<Case>> => {
  const described = new Set([...events, ...commands].map(({ name }) => name))
  return (await cases())
    .filter(({ schema }) => described.has(schema))
    .map(({ schema, value }) => ({ name: schema.replace(/\..*/, ''), value }))
}
const all = lacks === undefined ? await values() : []

/** Java omits zeros at the end of the fraction of a second. */
const withoutZeroFractions = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replace(/\.([0-9]*?)0+Z"/g, (_, kept) => (kept === '' ? 'Z"' : `.${kept}Z"`)))

/** Go omits optional fields whose value is zero or empty. */
const withoutZeros = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, each) =>
    each === '' || each === 0 || each === false || (Array.isArray(each) && each.length === 0) ? undefined : each,
  )

/** The values that differ between input and output. */
const changed = (given: ReadonlyArray<Case>, written: ReadonlyArray<unknown>, plain = (value: unknown) => value) => {
  assert.is(written.length, given.length)
  return given.flatMap(({ name, value }, i) => {
    const [before, after] = [plain(value), plain(written[i])]
    return isDeepStrictEqual(before, after) ? [] : [{ name, before, after }]
  })
}

const run = (
  command: string,
  args: ReadonlyArray<string>,
  input: ReadonlyArray<Case>,
  cwd = folder,
): ReadonlyArray<unknown> =>
  JSON.parse(execFileSync(command, args, { cwd, input: JSON.stringify(input), encoding: 'utf8', maxBuffer: 1e8 }))

const register = (language: Language, missing: string | undefined, test: () => void): void => {
  const reason = lacks ?? missing
  if (reason !== undefined) console.log(`skipped: models in ${language}: ${reason}`)
  const name = `${language}: they compile, and write again what they read`
  if (reason === undefined) models(name, test)
  else models.skip(name, test)
}

const java = await javaTools()
register('java', E.isLeft(java) ? java.left.message : undefined, () => {
  const into = generate('java', 'livechat')
  const classes = join(folder, 'classes')
  const libraries = E.isRight(java) ? join(java.right, '*') : ''
  const sources = globSync('*.java', { cwd: into }).map((file) => join(into, file))
  execFileSync('javac', ['-cp', libraries, '-d', classes, pathOf('modelina/ReadRecords.java'), ...sources])
  const written = run('java', ['-cp', `${libraries}:${classes}`, 'ReadRecords'], all)
  assert.equal(changed(all, written, withoutZeroFractions), [])
})

const environment = await venv('codegen', pathOf('codegen-requirements.txt'))
register('python', E.isLeft(environment) ? environment.left.message : undefined, () => {
  const into = generate('python', 'asyncapimodels')
  const interpreter = E.isRight(environment) ? environment.right.python : ''
  const written = run(interpreter, [pathOf('modelina/read_records.py'), join(into, '..')], all)
  assert.equal(changed(all, written), [])
})

register('go', await lacking('go', ['version']), () => {
  const into = generate('go', 'main')
  copyFileSync(pathOf('modelina/read_records.go'), join(into, 'read_records.go'))
  // Bots write a BotMessage, and only the bridge reads it.
  const read = all.filter(({ name }) => name !== 'BotMessage')
  const written = run('go', ['run', ...globSync('*.go', { cwd: into })], read, into)
  assert.equal(changed(read, written, withoutZeros), [])
})

models.run()
