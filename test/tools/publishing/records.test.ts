import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DomainEvent } from '../../../contracts/events/index.ts'
import { Instant } from '../../../contracts/primitives.ts'
import { DeadLetterHeaders, QuarantineHeaders } from '../../../contracts/records.ts'
import { quarantineRecord } from '../../../src/bridge/ingress/quarantine.ts'
import { toDeadLetter } from '../../../src/bridge/kafka/dead-letters.ts'
import { toRecord } from '../../../src/bridge/kafka/records.ts'
import { published, typeOf } from '../../../src/tools/publishing/catalogue.ts'
import { schemaDocument } from '../../../src/tools/publishing/schemas.ts'
import { accounts, noon } from '../../bridge/ingress/harness.ts'
import { arbitraryOf } from '../../support/arbitraries.ts'
import { right } from '../../support/either.ts'
import { partOf } from './current.ts'
import { validatorOf } from './validators.ts'

const validators = new Map(published.map((entry) => [entry.name, validatorOf(schemaDocument(entry, partOf))]))
const assertFits = (name: string, value: unknown) => {
  const accepts = validators.get(name)
  assert.ok(accepts?.(value), `${name}: ${JSON.stringify(accepts?.errors)}`)
}

const records = suite('written records')

for (const codec of DomainEvent.types)
  records(`${codec.name}: headers and value fit their schemas`, () => {
    const type = typeOf(codec)
    fc.assert(
      fc.property(arbitraryOf(codec), (given) => {
        const { headers, value } = toRecord(right<DomainEvent>(codec.decode(given)))
        assertFits('EventHeaders', headers)
        assertFits(`${type}.v1`, JSON.parse(String(value)))
      }),
      { numRuns: 20 },
    )
  })

records('the headers of a quarantined request fit their schema, without extra fields', () => {
  const [account] = accounts
  assert.ok(account)
  for (const contentType of ['application/json', '']) {
    const admitted = { account, body: Buffer.from('{'), contentType, contentEncoding: '' }
    const reason = { kind: 'invalid', problems: [{ path: '', expected: 'JSON' }] } as const
    const { headers } = quarantineRecord('webhooks', admitted, reason, noon, '1')
    assertFits('QuarantineHeaders', headers)
    assert.equal(right(QuarantineHeaders.decode(headers)), headers)
  }
})

records('the headers of a dead letter fit their schema, next to the original ones', () => {
  const original = { topic: 'bot-replies', partition: 7, offset: 1042, timestamp: 1665415880000 } as const
  const why = { consumer: 'egress', cause: 'contract', detail: 'id: expected text', failedAt: noon }
  const { headers } = toDeadLetter({ ...original, key: null, value: null, headers: { mine: Buffer.from('1') } }, why)
  const ours = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'mine'))
  assertFits('DeadLetterHeaders', ours)
  assert.equal(right(DeadLetterHeaders.decode(ours)), ours)
  assert.ok(Instant.is(ours.dl_timestamp))
})

records.run()
