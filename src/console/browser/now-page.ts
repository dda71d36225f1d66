import { useEffect, useState } from 'preact/hooks'
import type { NowAnswer, StatisticsAnswer, SystemAnswer } from '../answers.ts'
import { accountPath, base, get, type Result } from './api.ts'
import { Chart } from './chart.ts'
import { changeText, dayCounts, figureOf, nameInWords, numberAt, quotient, valueText } from './figures.ts'
import { count, counted, dayText, tickingDuration, timeText } from './format.ts'
import { useLoad, useNow } from './hooks.ts'
import { html } from './html.ts'
import { Card, Empty, Table, Time, TroubleBox, Waiting } from './parts.ts'
import { type PageProps, pathOf } from './route.ts'
import { SystemCards } from './system-cards.ts'

const pollMs = 5_000
const mostPoints = 720

const WaitingCard = ({ account, now }: { readonly account: string; readonly now: NowAnswer }) => {
  const time = useNow()
  const { count: waiting, longest } = now.waiting
  return html`
    <${Card} title="Clients waiting" id="waiting">
      <p class=${`big ${waiting > 0 ? 'warn-text' : ''}`}>${count(waiting)}</p>
      ${
        waiting === 0
          ? html`<p class="muted">Everybody has had an answer.</p>`
          : html`<ol class="plain-list" aria-label="Who has waited longest">
              ${longest.map(
                ({ chatId, since }) => html`<li key=${chatId}>
                  <a data-item href=${`${base}${pathOf(account, 'conversations', '', chatId)}`}>Chat <bdi>${chatId}</bdi></a>
                  <span class="number" title=${`since ${since}`}>${tickingDuration(time - Date.parse(since))}</span>
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

type Definitions = StatisticsAnswer['definitions']

const TodayCard = ({ now, definitions }: { readonly now: NowAnswer; readonly definitions: Definitions }) => {
  const { today, lastWeek } = now
  const row = (name: string, title: string, definition: string, unit: string, a?: number, b?: number) => html`
    <tr key=${name}>
      <th scope="row">
        <details class="definition"><summary>${title}</summary><p>${definition}.</p><p><code>${name}</code></p></details>
      </th>
      <td class="number">${valueText(a, unit)}</td>
      <td class="number muted">${valueText(b, unit)}</td>
      <td class="number">${changeText(a, b, unit)}</td>
    </tr>
  `
  if (today.stats === null && lastWeek.stats === null)
    return html`<${Card} title="Today" id="today">
      <${Empty} title="There are no statistics of today or of the same day last week.">
        They come within a minute of the first finished session. <code>npm run demo</code> plays some.
      <//>
    <//>`
  return html`
    <${Card} title="Today" id="today" aside=${html`<span class="muted">beside ${dayText(lastWeek.day)}</span>`}>
      <${Table} caption="Today beside the same weekday last week" head=${['Figure', 'Today', 'Last week', 'Change']}>
        ${dayCounts.map(({ path, title, definition }) =>
          row(
            path.join('.'),
            title,
            definition.replace(/\.$/, ''),
            'count',
            numberAt(today.stats, ...path),
            numberAt(lastWeek.stats, ...path),
          ),
        )}
        ${definitions
          .filter(({ name }) => figureOf(today.stats, name) ?? figureOf(lastWeek.stats, name))
          .map(({ name, definition, unit }) =>
            row(
              name,
              nameInWords(name),
              definition,
              unit,
              quotient(figureOf(today.stats, name)),
              quotient(figureOf(lastWeek.stats, name)),
            ),
          )}
      <//>
    <//>
  `
}

/** What is wrong right now. */
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
  useEffect(() => {
    if (value === undefined) return
    const point = { at: Date.parse(value.asOf) / 1_000, events: value.eventsLastMinute }
    setPoints((before) => ((before.at(-1)?.at ?? 0) < point.at ? [...before, point].slice(-mostPoints) : before))
  }, [value])

  return html`
    <div class="page-head">
      <h1>Now</h1>
      ${value && html`<p class="muted">as of <${Time} at=${value.asOf} />, ${counted(pollMs / 1_000, 'second')} apart</p>`}
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
      ${value && html`<${TodayCard} now=${value} definitions=${definitions.value?.definitions ?? []} />`}
      <${SystemCards} system=${system} />
    </div>
  `
}
