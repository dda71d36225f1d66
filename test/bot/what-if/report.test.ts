import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { whatIfWords } from '../../../src/app/terminal/what-if.ts'
import { canary, sampleRun } from './sample-run.ts'

const reports = suite('the reports of what-if')

const parts = ['Ann', 'Canary', 'sons', '15550100', 'How can', 'From 9', 'hello']

reports('without words no report has a word of a client or of a bot', async () => {
  const { report, lines, junit, page } = await sampleRun(false)
  const result = { report, unknown: [], out: 'what-if-report' }
  const printed = [JSON.stringify(whatIfWords.json?.(result)), ...whatIfWords.result(result)]
  const all = [...lines, junit, page, ...printed].join('\n')
  for (const part of parts) assert.not(all.includes(part), part)
})

reports('with words the lines and the page have them, and each file says by when it must be deleted', async () => {
  const { lines, junit, page } = await sampleRun(true)
  assert.ok(JSON.parse(lines[0] ?? '').observed[0].words.includes(canary))
  assert.ok(page.includes('Ann &lt;b&gt;Canary&lt;/b&gt; &amp; &quot;sons&quot;'))
  for (const text of [...lines, junit, page]) assert.ok(text.includes('2026-02-14'))
})

reports('a line is a turn with its three answers', async () => {
  const { lines } = await sampleRun(false)
  const [, second] = lines.map((line) => JSON.parse(line))
  const { observed, baseline, candidate, reason, ...rest } = second
  assert.equal(rest, { chatId: '1', turn: 2, verdict: 'act' })
  assert.equal(observed, baseline)
  assert.equal(
    candidate.map(({ act, buttons }: { act: string; buttons?: unknown }) => [act, buttons]),
    [
      ['TEXT', undefined],
      ['BUTTONS', ['way', 'phone']],
    ],
  )
  assert.match(reason, /^group [0-9a-f]{12}$/)
  assert.is(candidate[0].length, `From 9 to 20. ${canary}`.length)
  assert.is(candidate[0].hash, observed[0].hash)
})

reports('the verdicts, groups and skipped chats add up', async () => {
  const { report, lines } = await sampleRun(false)
  assert.equal(report.chats, {
    read: 7,
    compared: 6,
    skipped: { erased: 1, 'late-events': 0, 'agent-first': 0, 'no-bot-message': 0 },
  })
  assert.is(lines.length, 21)
  assert.is(
    Object.values(report.turns).reduce((sum, each) => sum + each, 0),
    21,
  )
  assert.equal(
    report.groups.map(({ verdict, client, count }) => [verdict, client, count]),
    [
      ['act', 'button hours', 4],
      ['threw', 'button hours', 1],
    ],
  )
  assert.equal(report.noise, { differs: 0, of: 10 })
  assert.is(report.figures.candidate.turns, 10)
  assert.equal(report.figures.baseline?.containment, { numerator: 5, denominator: 5, value: 1 })
})

reports(
  'a chat that was erased after its turns were written is in no report, and not in what is added up',
  async () => {
    const ids = ['1', '2', '3', '4', '5', '6']
    const all = await sampleRun(true)
    const { report, junit, page } = await sampleRun(true, new Set(['1', '5']))
    const named = (text: string) => ids.filter((id) => new RegExp(`chat ${id}\\b`).test(text))
    assert.equal([named(all.junit), named(all.page)], [ids, ['1', '2', '3', '5']])
    assert.equal(
      [named(junit), named(page)],
      [
        ['2', '3', '4', '6'],
        ['2', '3'],
      ],
    )
    assert.equal([report.chats.compared, report.chats.skipped.erased], [4, 3])
    assert.equal(
      report.groups.map(({ verdict, count }) => [verdict, count]),
      [['act', 3]],
    )
    assert.equal(report.figures.candidate.containment, { numerator: 3, denominator: 3, value: 1 })
    assert.is(report.turns.act, 3)
  },
)

reports('a chat is a test case: failed, in error, skipped or passed', async () => {
  const { junit } = await sampleRun(false)
  assert.match(junit, /<testsuites name="what-if" tests="6" failures="4" errors="1"/)
  assert.match(
    junit,
    /<testcase classname="what-if.acme" name="chat 6"[^>]*>\s*<skipped message="the old reply was not delivered: attempts"\/>/,
  )
  assert.match(junit, /<error type="threw" message="turn 2: TEXT → threw TypeError/)
})

reports('the page asks nothing of any server, and begins with the groups', async () => {
  const { page } = await sampleRun(true)
  assert.not.match(page, /<(?:script|img|link|iframe|object|form)\b|url\(|@import/)
  assert.match(page, /http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/)
  assert.ok(page.indexOf('Groups of equal changes') < page.indexOf('Figures on'))
  assert.match(page, /href="http:\/\/127\.0\.0\.1:8081\/console\/accounts\/acme\/conversations\/1"/)
})

reports.run()
