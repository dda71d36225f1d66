import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { jsonLines, jsonOf } from '../../src/console/browser/json-lines.ts'

const json = suite('JSON with complaints')

const text = (value: unknown, problems: Parameters<typeof jsonLines>[1] = []) =>
  jsonLines(value, problems).map(({ indent, text, problems }) =>
    [`${'  '.repeat(indent)}${text}`, ...problems.map((problem) => `! ${problem}`)].join(' '),
  )

json('is indented JSON if there are no complaints', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.is(text(value).join('\n'), JSON.stringify(value, null, 2))
    }),
  )
})

json('shows each complaint at its place, and a missing field at the object that lacks it', () =>
  assert.equal(
    text({ chat: { id: 7 }, agents: [{ id: 'a' }, {}] }, [
      { path: 'chat.id', expected: 'text' },
      { path: '/agents/1/id', expected: 'text that is not empty' },
      { path: 'agents[0].id', expected: 'decimal text' },
      { path: '', expected: 'an object with event_name' },
    ]),
    [
      '{ ! expected an object with event_name',
      '  "chat": {',
      '    "id": 7 ! expected text',
      '  },',
      '  "agents": [',
      '    {',
      '      "id": "a" ! expected decimal text',
      '    },',
      '    {} ! /agents/1/id: expected text that is not empty',
      '  ]',
      '}',
    ],
  ),
)

json('does not treat an inherited property as a field of the value', () =>
  assert.equal(text({}, [{ path: 'constructor.name', expected: 'text' }]), ['{} ! constructor.name: expected text']),
)

json('returns undefined for text that is not JSON', () => assert.equal([jsonOf('{'), jsonOf('"a"')], [undefined, 'a']))

json.run()
