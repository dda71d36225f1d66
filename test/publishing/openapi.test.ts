import { join } from 'node:path'
import { createConfig, lint } from '@redocly/openapi-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { accessTable } from '../../src/console/access-table.ts'
import { checkedIn, folder } from './current.ts'

const config = await createConfig({ extends: ['recommended'] })

const openapi = suite('OpenAPI')

for (const file of ['openapi.yaml', 'openapi-service.yaml', 'openapi-console.yaml']) {
  openapi(`${file} passes Redocly's recommended rules without a warning`, async () => {
    const problems = await lint({ ref: join(folder, file), config })
    assert.equal(
      problems.map(({ ruleId, message, location }) => ({ ruleId, message, at: location[0]?.pointer })),
      [],
    )
  })
}

openapi('openapi-console.yaml has every route of the console, with its roles', () => {
  const { paths }: { readonly paths: Readonly<Record<string, Readonly<Record<string, { description?: string }>>>> } =
    parse(checkedIn['openapi-console.yaml'] ?? '')
  assert.equal(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => method !== 'parameters')
        .map(([method, { description }]) => [
          `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
          description,
        ]),
    ),
    Object.entries(accessTable).map(([route, roles]) => [route, `For ${roles.join(', ')}.`]),
  )
})

openapi.run()
