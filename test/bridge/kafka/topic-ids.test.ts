import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeMetadataResponse, encodeMetadataRequest, idsOf } from '../../../src/bridge/kafka/topics/ids.ts'

const ids = suite('ids of topics')

ids('the request has version 10 of Metadata, after the tags of its header', () => {
  const hex = `00 02 ${'00'.repeat(16)} 02 74 00 00 00 00 00`.replaceAll(' ', '')
  assert.is(encodeMetadataRequest(['t'], false).toString('hex'), hex)
  assert.is(encodeMetadataRequest(['t'], true).toString('hex'), hex.replace(/0000$/, '0100'))
  assert.is(
    encodeMetadataRequest(['x'.repeat(200)], false)
      .subarray(18, 20)
      .toString('hex'),
    'c901',
  )
})

ids('the response has id and operations of each topic, and an error of one that does not exist', () => {
  const [id, none] = ['ab'.repeat(16), '00'.repeat(16)]
  const partition = '0000 00000000 00000001 00000005 02 00000001 02 00000001 01 00'
  const text = [
    '00',
    '00000000',
    '02 00000001 02 61 00002384 00 00',
    '02 63',
    '00000001',
    `03 0000 02 74 ${id} 00 03 ${partition} ${partition} 00000df8 00`,
    `0003 02 75 ${none} 00 01 80000000 00`,
    '80000000 00',
  ]
  const bytes = Buffer.from(text.join('').replaceAll(' ', ''), 'hex')
  const base64url = (hex: string) => Buffer.from(hex, 'hex').toString('base64url')
  assert.equal(decodeMetadataResponse(bytes), [
    { name: 't', error: 0, id: base64url(id), operations: 0xdf8 },
    { name: 'u', error: 3, id: base64url(none), operations: -(2 ** 31) },
  ])
})

ids('a topic that has no id yet is an error', () => {
  const known = new Map([['x.chats', 'a']])
  assert.equal(idsOf(['chats'], 'x.', known), new Map([['chats', 'a']]))
  assert.throws(() => idsOf(['chats', 'calls'], 'x.', known), 'a topic id is not known yet: calls')
})

ids.run()
