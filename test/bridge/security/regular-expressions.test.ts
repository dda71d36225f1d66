import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { checkSync } from 'recheck'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

/** The code that handles requests, records, documents and answers of the service. */
const sources = '{contracts,src/{bot,bridge}}/**/*.ts'
const root = join(import.meta.dirname, '../../..')

/** A regular expression in source: behind an operator, a bracket or a comma, on one line. */
const literal =
  /(?<=[=(,:[!?&|>{}]\s*|^\s*|return\s+)\/((?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+)\/([dgimsuvy]*)/gm

const withoutComments = (source: string) => source.replace(/^\s*(?:\/\/|\/\*\*|\*).*$/gm, '')

const expressions = new Map<string, string>()
for await (const file of glob(sources, { cwd: root }))
  for (const [, source = '', flags = ''] of withoutComments(readFileSync(join(root, file), 'utf8')).matchAll(literal))
    if (!/[`$]\{|`/.test(source)) expressions.set(`/${source}/${flags}`, file)

const regular = suite('regular expressions')

regular('the expressions of the product are found', () => {
  assert.ok(expressions.size > 25, `${expressions.size}`)
  assert.ok(expressions.has('/^Basic ([A-Za-z0-9+/=_-]+)$/i'))
})

regular('an expression with super-linear time is recognized: an earlier one for the charset of a media type', () => {
  assert.is(checkSync('^\\s*charset\\s*=\\s*"?([^"\\s]*)"?\\s*$', '').status, 'vulnerable')
})

for (const [expression, file] of expressions)
  regular(`${file}: ${expression} takes linear time`, () => {
    const end = expression.lastIndexOf('/')
    const found = checkSync(expression.slice(1, end), expression.slice(end + 1), { timeout: 20_000 })
    assert.is(found.status, 'safe')
  })

regular.run()
