import type { SystemAnswer } from '../answers.ts'
import { count, counted } from './format.ts'
import type { Loaded } from './hooks.ts'
import { html } from './html.ts'
import { Badge, Card, Empty, Table, TroubleBox, Waiting } from './parts.ts'

/** The colour of each state. */
export const stateTones = { works: 'good', degraded: 'warn', down: 'bad' } as const

type Consumer = SystemAnswer['consumers'][number]

const Behind = ({ consumers }: { readonly consumers: ReadonlyArray<Consumer> }) => {
  const known = consumers.flatMap(({ behind }) => behind ?? [])
  const unknown = consumers.length - known.length
  const sum = known.reduce((all, behind) => all + behind, 0)
  if (known.length === 0) return html`<span class="muted">not known</span>`
  return html`
    <span class=${sum > 0 ? 'warn-text' : ''}>${count(sum)}</span>
    ${unknown > 0 && html`<span class="sub">of ${counted(unknown, 'topic')} not known</span>`}
  `
}

const HealthCard = ({ system }: { readonly system: SystemAnswer }) => {
  const { checks, breakers, ready, version } = system
  const wrong = checks.filter(({ state }) => state !== 'works')
  const isDown = checks.some(({ state }) => state === 'down')
  const words =
    wrong.length > 0
      ? `${wrong.length} of ${counted(checks.length, 'part')} ${wrong.length === 1 ? 'does' : 'do'} not work as usual`
      : ready
        ? 'Everything works'
        : 'Not ready yet'
  return html`
    <${Card} title="Health" id="health" aside=${html`<span class="muted">version ${version}</span>`}>
      <p class=${isDown || !ready ? 'state bad-text' : wrong.length > 0 ? 'state warn-text' : 'state good-text'}><strong>${words}</strong></p>
      <ul class="checks">
        ${[...wrong, ...checks.filter(({ state }) => state === 'works')].map(
          ({ name, state, words, reason }) => html`<li key=${name}>
            <${Badge} tone=${stateTones[state]}>${state}<//>
            <span><strong>${name}</strong> <span class="muted">${state === 'works' && reason !== '' ? reason : words}</span>${state !== 'works' && reason !== '' && html`<span class="sub">${reason}</span>`}</span>
          </li>`,
        )}
        ${breakers.map(
          ({ account, isOpen, reason }) => html`<li key=${account}>
            <${Badge} tone=${isOpen ? 'warn' : 'good'}>${isOpen ? 'degraded' : 'works'}<//>
            <span><strong>service of ${account}</strong> <span class="muted">${reason}</span></span>
          </li>`,
        )}
      </ul>
    <//>
  `
}

const LagCard = ({ consumers }: { readonly consumers: ReadonlyArray<Consumer> }) => {
  const groups = Map.groupBy(consumers, ({ group }) => group)
  return html`
    <${Card} title="Consumers" id="lag" aside=${html`<span class="muted">records behind</span>`}>
      ${
        groups.size === 0
          ? html`<${Empty} title="No consumer group is known.">They appear once a role has read a topic.<//>`
          : html`<${Table} caption="How far each consumer group is behind" head=${['Group', 'Behind']} numbers=${['Behind']}>
              ${[...groups].map(
                ([group, topics]) => html`<tr key=${group}>
                  <th scope="row">
                    <details class="definition">
                      <summary>${group}</summary>
                      <ul class="plain-list">
                        ${topics.map((each) => html`<li key=${each.topic}><span>${each.topic}</span><span class="number"><${Behind} consumers=${[each]} /></span></li>`)}
                      </ul>
                    </details>
                  </th>
                  <td class="number"><${Behind} consumers=${topics} /></td>
                </tr>`,
              )}
            <//>`
      }
    <//>
  `
}

/** The checks of /readyz in words, and how far the consumers are behind. */
export const SystemCards = ({ system: { value, trouble, again } }: { readonly system: Loaded<SystemAnswer> }) => html`
  <${TroubleBox} trouble=${trouble} again=${again} />
  ${
    value === undefined
      ? trouble === undefined && html`<${Waiting} what="the state of the bridge" />`
      : html`<${HealthCard} system=${value} /><${LagCard} consumers=${value.consumers} />`
  }
`
