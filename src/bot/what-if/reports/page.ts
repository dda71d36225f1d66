import type { Acts } from '../acts.ts'
import { shapeOf } from '../acts.ts'
import type { Compared } from '../chat.ts'
import type { Group } from '../groups.ts'
import { verdicts } from '../judge.ts'
import type { Telling } from './line.ts'
import type { Report } from './report.ts'
import { changeText, figuresByAnswer, noiseText, shareText, skippedText, timeText } from './summary.ts'
import { escaped } from './xml.ts'

type Page = Telling & {
  /** The address of a chat's story in the console. */
  readonly storyOf: (chatId: string) => string
}

const style = `
:root { color-scheme: light dark; --text: #1c2024; --back: #ffffff; --soft: #f3f5f7; --line: #c9d0d6; --muted: #4d5761; --accent: #0b57a4; --bad: #a3161f; --good: #1d6b34 }
@media (prefers-color-scheme: dark) {
  :root { --text: #e7eaed; --back: #15181b; --soft: #20252a; --line: #414a53; --muted: #b0bac4; --accent: #8cc2ff; --bad: #ff9b9b; --good: #8fdca4 }
}
body { margin: 0 auto; max-width: 70rem; padding: 1.5rem; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif }
h1, h3, p, code { overflow-wrap: anywhere } h1 { font-size: 1.6rem; margin: 0 } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem } h3 { font-size: 1rem; margin: 0 0 .5rem }
p { margin: .3rem 0 } a { color: var(--accent) } .muted { color: var(--muted) } .bad { color: var(--bad) } .good { color: var(--good) }
section.group { border: 1px solid var(--line); border-radius: 8px; padding: 1rem; margin: 1rem 0 }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .4rem .6rem; border-top: 1px solid var(--line) }
thead th { background: var(--soft) } code { font-size: .9em } ol { margin: 0; padding-left: 1.2rem } .words { white-space: pre-wrap; overflow-wrap: anywhere }
@media print { section.group { break-inside: avoid } }
`

const htmlTable = (
  caption: string,
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): string => `
<div class="scroll" tabindex="0" role="region" aria-label="${escaped(caption)}"><table>
<thead><tr>${head.map((cell) => `<th scope="col">${escaped(cell)}</th>`).join('')}</tr></thead>
<tbody>${rows.map(([first = '', ...cells]) => `<tr><th scope="row">${first}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')}</tbody>
</table></div>`

const actHtml = (act: Acts[number], { hash, withWords }: Page): string => {
  if (act.kind === 'hand-over') return '<li>hand-over</li>'
  const words = withWords
    ? `<div class="words">${escaped(act.words)}</div>`
    : `<div class="muted">${[...act.words].length} characters, <code>${hash(act.words)}</code></div>`
  return `<li>${escaped(shapeOf(act))}${words}</li>`
}

const actsHtml = (acts: Acts | undefined, page: Page): string => {
  if (acts === undefined) return '<span class="muted">not asked</span>'
  return acts.length === 0 ? 'silence' : `<ol>${acts.map((act) => actHtml(act, page)).join('')}</ol>`
}

const clientHtml = ({ turn: { events } }: Compared, { withWords }: Page): string =>
  `<ol>${events
    .map((event) => {
      if (event.type === 'AgentUnavailable') return '<li>no agent is available</li>'
      const { type = 'message', text = '', buttonId } = event.data.message
      const what = buttonId === undefined ? type : `button ${buttonId}`
      const said = withWords
        ? `<div class="words">${escaped(text)}</div>`
        : `<div class="muted">${[...text].length} characters</div>`
      return `<li>${escaped(what)}${said}</li>`
    })
    .join('')}</ol>`

const exampleRow = ({ chatId, compared }: Group['examples'][number], page: Page): ReadonlyArray<string> => {
  const { turn, observed, baseline, candidate, reason } = compared
  const failing = reason === undefined ? '' : `<div class="bad">${escaped(reason)}</div>`
  return [
    `<a href="${escaped(page.storyOf(chatId))}">chat ${escaped(chatId)}</a>, turn ${turn.number}`,
    clientHtml(compared, page),
    actsHtml(observed, page),
    ...(baseline === undefined ? [] : [actsHtml(baseline.replies, page)]),
    `${actsHtml(candidate?.replies, page)}${failing}`,
  ]
}

const groupHtml = (group: Group, hasBaseline: boolean, page: Page): string => {
  const { id, verdict, count, isAccepted, examples } = group
  const head = ['Example', 'Client', 'Log', ...(hasBaseline ? ['Baseline'] : []), 'Candidate']
  return `<section class="group" aria-labelledby="group-${id}">
<h3 id="group-${id}">${escaped(verdict)}: ${escaped(changeText(group))}</h3>
<p><span class="${isAccepted ? 'good' : 'bad'}">${isAccepted ? 'accepted' : 'not accepted'}</span>, ${count} ${count === 1 ? 'chat' : 'chats'}, group <code>${id}</code></p>
${htmlTable(
  `Examples of group ${id}`,
  head,
  examples.map((example) => exampleRow(example, page)),
)}
</section>`
}

const figuresHtml = (report: Report): string =>
  htmlTable(
    'Figures',
    ['Answers', 'Turns', 'Contained chats', 'Chats handed over', 'Silent turns', 'Response time'],
    figuresByAnswer(report).map(([name, { turns, containment, handOffRate, silence, responseTimeBot }]) => [
      name,
      String(turns),
      shareText(containment),
      shareText(handOffRate),
      shareText(silence),
      responseTimeBot === undefined ? 'not measured here' : timeText(responseTimeBot),
    ]),
  )

/** The report as one page that asks nothing of any server. */
export const reportPage = (report: Report, page: Page): string => {
  const { account, from, to, groups, chats, turns, notes, deleteBy, offsets, unreadable, commit, madeAt } = report
  const hasBaseline = report.baseline !== undefined
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>What if: ${escaped(account)}</title><style>${style}</style></head>
<body><main>
<h1>What if: ${escaped(report.candidate)}</h1>
<p class="muted">Account ${escaped(account)}, ${escaped(from)} to ${escaped(to)}${commit === undefined ? '' : `, commit <code>${escaped(commit)}</code>`}, made at ${escaped(madeAt)}</p>
${deleteBy === undefined ? '' : `<p class="bad"><strong>This file has the words of clients. Delete it by ${escaped(deleteBy)}.</strong></p>`}
<p><strong class="${report.new > 0 ? 'bad' : 'good'}">${groups.length === 0 ? 'No divergence' : `${report.new} new of ${groups.length} groups`}</strong> in ${chats.compared} chats. ${escaped(noiseText(report))}</p>
${notes.map((note) => `<p>${escaped(note)}</p>`).join('\n')}
<h2>Groups of equal changes</h2>
${groups.length === 0 ? '<p>None.</p>' : groups.map((group) => groupHtml(group, hasBaseline, page)).join('\n')}
<h2>Figures on the comparable turns</h2>
${figuresHtml(report)}
<h2>Coverage</h2>
<p>Chats: ${chats.read} read, ${chats.compared} compared. Skipped: ${escaped(skippedText(report))}.${unreadable > 0 ? ` ${unreadable} records cannot be read.` : ''}</p>
${htmlTable(
  'Turns by verdict',
  ['Verdict', 'Turns'],
  verdicts.filter((verdict) => turns[verdict] > 0).map((verdict) => [verdict, String(turns[verdict])]),
)}
${htmlTable(
  'Offsets',
  ['Partition', 'Read from', 'Read to'],
  [...offsets].flatMap(([topic, parts]) =>
    [...parts].map(([partition, { from: first, to: last }]) => [
      `${escaped(topic)} ${partition}`,
      String(first),
      String(last),
    ]),
  ),
)}
</main></body></html>
`
}
