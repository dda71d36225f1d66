import { join } from 'node:path'
import { createConfig, lint } from '@redocly/openapi-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { folder } from './current.ts'

const config = await createConfig({ extends: ['recommended'] })

const openapi = suite('OpenAPI')

for (const file of ['openapi.yaml', 'openapi-service.yaml']) {
  openapi(`${file} passes Redocly's recommended rules without a warning`, async () => {
    const problems = await lint({ ref: join(folder, file), config })
    assert.equal(
      problems.map(({ ruleId, message, location }) => ({ ruleId, message, at: location[0]?.pointer })),
      [],
    )
  })
}

openapi.run()
