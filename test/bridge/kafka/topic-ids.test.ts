import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeTopicIdsResponse, encodeTopicIdsRequest, idsOf } from '../../../src/bridge/kafka/topics/ids.ts'

const ids = suite('ids of topics')

ids('the request has version 10 of Metadata, after the tags of its header', () => {
  const hex = `00 02 ${'00'.repeat(16)} 02 74 00 00 00 00 00`.replaceAll(' ', '')
  assert.is(encodeTopicIdsRequest(['t']).toString('hex'), hex)
  assert.is(
    encodeTopicIdsRequest(['x'.repeat(200)])
      .subarray(18, 20)
      .toString('hex'),
    'c901',
  )
})

ids('the response has an id for each existing topic', () => {
  const [id, none] = ['ab'.repeat(16), '00'.repeat(16)]
  const partition = '0000 00000000 00000001 00000005 02 00000001 02 00000001 01 00'
  const text = [
    '00',
    '00000000',
    '02 00000001 02 61 00002384 00 00',
    '02 63',
    '00000001',
    `03 0000 02 74 ${id} 00 03 ${partition} ${partition} 80000000 00`,
    `0003 02 75 ${none} 00 01 80000000 00`,
    '80000000 00',
  ]
  const bytes = Buffer.from(text.join('').replaceAll(' ', ''), 'hex')
  assert.equal(decodeTopicIdsResponse(bytes), new Map([['t', Buffer.from(id, 'hex').toString('base64url')]]))
})

ids('a topic that has no id yet is an error', () => {
  const known = new Map([['x.chats', 'a']])
  assert.equal(idsOf(['chats'], 'x.', known), new Map([['chats', 'a']]))
  assert.throws(() => idsOf(['chats', 'calls'], 'x.', known), 'a topic id is not known yet: calls')
})

ids.run()
