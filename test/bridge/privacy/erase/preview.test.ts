import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Identity } from '../../../../src/bridge/domain/person/ids.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { runOperation } from '../../../support/operation.ts'
import { givenErasures } from './given-erasures.ts'

const preview = suite('what erase shows before an erasure')

const links: Identity[][] = [
  [
    { kind: 'client', value: '20' },
    { kind: 'visitor', value: '7' },
    { kind: 'email', value: 'Ann@example.com' },
    { kind: 'phone', value: '+1 (408) 555-0123' },
  ],
  [
    { kind: 'chat', value: '4' },
    { kind: 'visitor', value: '7' },
    { kind: 'email', value: 'ann@example.com' },
  ],
  [
    { kind: 'chat', value: '5' },
    { kind: 'visitor', value: '7' },
    { kind: 'email', value: 'ben@example.com' },
  ],
]
const kafka = {
  ranges: async () => new Map(),
  committedOffsets: async () => new Map(),
  readTopic: async () => E.right(undefined),
  publish: async () => E.right(undefined),
}
const shown = async (...args: ReadonlyArray<string>) => {
  const { erasures } = givenErasures(links)
  const resources = { kafka, erasures, retentionDays: 14, dataFolder: '', accounts: [{ id: 'acme' }] }
  const { code, out, err } = await runOperation(['erase', '--account', 'acme', ...args, '--dry-run'], resources)
  assert.is(code, 0, err.join('\n'))
  return out.join('\n')
}

for (const start of [
  ['--client', '20'],
  ['--phone', '1 408 555 0123'],
])
  preview(`prints the --except for who has another address, from ${start[0]}`, async () => {
    const said = await shown(...start)
    assert.match(said, /Chats: 4, 5\. Clients: 20\./)
    assert.match(said, /^Likely other persons, INCLUDED: .* with --except chat:5$/m)
    assert.not.match(await shown(...start, '--except', 'chat:5'), /Likely other persons/)
  })

preview('names no other person if nobody knows whose address it is', async () =>
  assert.not.match(await shown('--visitor', '7'), /Likely other persons/),
)

preview('includes nobody who has the phone number apart from the country code, and says how', async () => {
  assert.equal((await shown('--phone', '408 555 0123')).split('\n'), [
    'The views have nothing of this person.',
    'Likely the same person, not included: client 20, visitor 7 (same phone apart from the country code; include with --also client:20).',
  ])
  assert.match(await shown('--phone', '408 555 0123', '--also', 'client:20'), /Chats: 4, 5\. Clients: 20\./)
})

preview('says which ids no document names, and only those', async () => {
  const unnamed = (text: string) => text.split('\n').filter((line) => line.startsWith('No document'))
  const check = 'check the id. Only records of it in Kafka and the archive would be erased.'
  assert.equal(unnamed(await shown('--client', '20')), [])
  assert.equal(unnamed(await shown('--client', '21')), [`No document names client 21: ${check}`])
  assert.equal(unnamed(await shown('--client', '20', '--also', 'chat:4', 'chat:6')), [
    `No document names chat 6: ${check}`,
  ])
})

preview(
  'an erasure whose file cannot be written, as on a full disk, says what was done and where the receipt is',
  async () => {
    const noFolder = join(temporaryFolder(), 'file')
    writeFileSync(noFolder, '')
    const { erasures, receipts } = givenErasures(links)
    const resources = { kafka, erasures, retentionDays: 14, dataFolder: noFolder, accounts: [{ id: 'acme' }] }
    const { code, out, err } = await runOperation(['erase', '--account', 'acme', '--client', '20', '--yes'], resources)
    const [receipt] = receipts.values()
    assert.is(receipt?.state, 'published')
    assert.match(out.join('\n'), `Erasure ${receipt?._id} of acme: published`)
    assert.is(
      out.at(-1),
      `The receipt is in the collection erasures. \`erase status ${receipt?._id}\` checks what is left.`,
    )
    assert.equal([code, err.length], [1, 1])
    assert.match(err[0] ?? '', /erasure-.*\.json cannot be written: [A-Z]+\.$/)
  },
)

preview.run()
