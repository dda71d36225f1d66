import { useEffect, useMemo, useState } from 'preact/hooks'
import type { NowAnswer, StatisticsAnswer, SystemAnswer } from '../answers.ts'
import { accountPath, base, get, type Result } from './api.ts'
import { Chart } from './chart.ts'
import { changeText, nameInWords, valueOfRows, valueText } from './figures.ts'
import { count, dayText, tickingDuration, timeText } from './format.ts'
import { useLoad, useNow } from './hooks.ts'
import { html } from './html.ts'
import { Card, Empty, Table, Time, TroubleBox, Waiting } from './parts.ts'
import { type PageProps, pathOf } from './route.ts'
import { SystemCards } from './system-cards.ts'

const pollMs = 5_000
const mostPoints = 720

const WaitingCard = ({ account, now }: { readonly account: string; readonly now: NowAnswer }) => {
  const clock = useNow()
  // Use the server's clock: the browser's may be wrong.
  const ahead = useMemo(() => Date.now() - Date.parse(now.asOf), [now.asOf])
  const { count: waiting, longest } = now.waiting
  return html`
    <${Card} title="Clients waiting" id="waiting">
      <p class=${`big ${waiting > 0 ? 'warn-text' : ''}`}>${count(waiting)}</p>
      ${
        waiting === 0
          ? html`<p class="muted">Every client of the last 24 hours has an answer.</p>`
          : html`<ol class="plain-list" aria-label="Who has waited longest">
              ${longest.map(
                ({ chatId, since }) => html`<li key=${chatId}>
                  <a data-item href=${`${base}${pathOf(account, 'conversations', '', chatId)}`}>Chat <bdi>${chatId}</bdi></a>
                  <span class="number" title=${`since ${since}`}>${tickingDuration(clock - ahead - Date.parse(since))}</span>
                </li>`,
              )}
            </ol>`
      }
      ${waiting > longest.length && html`<p><a href=${`${base}${pathOf(account, 'conversations', 'waiting=true')}`}>All ${count(waiting)}</a></p>`}
    <//>
  `
}

const HoldersCard = ({ now: { conversations, agentChats } }: { readonly now: NowAnswer }) => {
  const rows: ReadonlyArray<readonly [string, number]> = [
    ['The bot has it', conversations.bot],
    ['An agent is invited', conversations.invited],
    ['An agent has joined', conversations.agent],
    ['No agent was there', conversations.unavailable],
    ['Chats with agents', agentChats],
  ]
  return html`
    <${Card} title="Conversations" id="holders" aside=${html`<span class="muted">with an event within 24 h</span>`}>
      <dl class="pairs">
        ${rows.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd class="number">${count(value)}</dd></div>`)}
      </dl>
    <//>
  `
}

type Point = { readonly at: number; readonly events: number }

const EventsCard = ({ points }: { readonly points: ReadonlyArray<Point> }) => html`
  <${Card} title="Events" id="events" aside=${html`<span class="muted">in the last minute</span>`}>
    <p class="big">${count(points.at(-1)?.events ?? 0)}</p>
    ${
      points.length > 1 &&
      html`<${Chart}
        label="Events in the last minute, as asked every 5 seconds since this page was opened"
        times=${points.map(({ at }) => at)}
        lines=${[{ name: 'events a minute', values: points.map(({ events }) => events) }]}
        text=${count}
        timeText=${(seconds: number) => timeText(new Date(seconds * 1_000).toISOString())}
        height=${120}
      />`
    }
  <//>
`

type Definition = StatisticsAnswer['definitions'][number]

const CompareCard = ({
  id,
  title,
  now,
  definitions,
}: {
  readonly id: string
  readonly title: string
  readonly now: NowAnswer
  readonly definitions: ReadonlyArray<Definition>
}) => {
  const rows = definitions
    .map((definition) => ({
      ...definition,
      now: valueOfRows([now.today.stats], definition),
      before: valueOfRows([now.lastWeek.stats], definition),
    }))
    .filter(({ now, before }) => now !== undefined || before !== undefined)
  return html`
    <${Card} title=${title} id=${id} aside=${html`<span class="muted">beside ${dayText(now.lastWeek.day)}</span>`}>
      <${Table}
        caption=${`${title}, beside the same weekday last week`}
        head=${['Figure', 'Today', 'Last week', 'Change']}
        numbers=${['Today', 'Last week', 'Change']}
      >
        ${rows.map(
          ({ name, definition, unit, now, before }) => html`<tr key=${name}>
            <th scope="row">
              <details class="definition"><summary>${nameInWords(name)}</summary><p>${definition}</p><p><code>${name}</code></p></details>
            </th>
            <td class="number">${valueText(now, unit)}</td>
            <td class="number muted">${valueText(before, unit)}</td>
            <td class="number muted">${changeText(now, before, unit)}</td>
          </tr>`,
        )}
      <//>
    <//>
  `
}

const NoStatistics = () => html`
  <${Card} title="Today" id="today">
    <${Empty} title="There are no statistics of today or of the same day last week.">
      They come within a minute of the first session. <code>npm run demo</code> plays some.
    <//>
  <//>
`

const isCount = ({ unit }: Definition) => unit === 'count'

/** The current state of the account and of the bridge. */
export const NowPage = ({ account }: PageProps) => {
  const now = useLoad(account, (signal) => get<NowAnswer>(accountPath(account, 'now'), signal), pollMs)
  const system = useLoad('', (signal) => get<SystemAnswer>('system', signal), pollMs)
  const day = now.value?.today.day
  const definitions = useLoad(
    day ?? '',
    async (signal): Promise<Result<StatisticsAnswer | undefined>> =>
      day === undefined
        ? { ok: true, value: undefined }
        : get<StatisticsAnswer>(`${accountPath(account, 'statistics')}?by=day&from=${day}&to=${day}`, signal),
  )
  const [points, setPoints] = useState<ReadonlyArray<Point>>([])
  const { value } = now
  const defined = definitions.value?.definitions ?? []
  const hasStats = value !== undefined && (value.today.stats !== null || value.lastWeek.stats !== null)
  useEffect(() => {
    if (value === undefined) return
    const point = { at: Date.parse(value.asOf) / 1_000, events: value.eventsLastMinute }
    setPoints((before) => ((before.at(-1)?.at ?? 0) < point.at ? [...before, point].slice(-mostPoints) : before))
  }, [value])

  return html`
    <div class="page-head">
      <h1>Now</h1>
      ${value && html`<p class="muted">as of <${Time} at=${value.asOf} />, asked every ${pollMs / 1_000} seconds</p>`}
    </div>
    <${TroubleBox} trouble=${now.trouble} again=${now.again} />
    ${value === undefined && now.trouble === undefined && html`<${Waiting} what="what happens now" />`}
    <div class="cards">
      ${
        value &&
        html`
          <${WaitingCard} account=${account} now=${value} />
          <${HoldersCard} now=${value} />
          <${EventsCard} points=${points} />
        `
      }
    </div>
    <div class="cards two">
      <div class="stack">
        <${SystemCards} system=${now.trouble ? { ...system, trouble: undefined } : system} />
        ${hasStats && html`<${CompareCard} id="today" title="Today" now=${value} definitions=${defined.filter(isCount)} />`}
      </div>
      ${value && !hasStats && html`<${NoStatistics} />`}
      ${
        hasStats &&
        html`<${CompareCard} id="figures" title="Figures of today" now=${value} definitions=${defined.filter((each) => !isCount(each))} />`
      }
    </div>
  `
}
