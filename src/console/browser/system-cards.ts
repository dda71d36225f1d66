import type { SystemAnswer } from '../answers.ts'
import { count, counted } from './format.ts'
import type { Loaded } from './hooks.ts'
import { html } from './html.ts'
import { Badge, Card, Empty, Table, TroubleBox, Waiting } from './parts.ts'

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
  const wrong = checks.filter(({ ok }) => !ok)
  const words =
    wrong.length > 0 ? `${wrong.length} of ${checks.length} checks fail` : ready ? 'Everything works' : 'Not ready yet'
  return html`
    <${Card} title="Health" id="health" aside=${html`<span class="muted">version ${version}</span>`}>
      <p class=${wrong.length > 0 || !ready ? 'state bad-text' : 'state good-text'}><strong>${words}</strong></p>
      <ul class="checks">
        ${[...wrong, ...checks.filter(({ ok }) => ok)].map(
          ({ name, ok, reason }) => html`<li key=${name}>
            <${Badge} tone=${ok ? 'good' : 'bad'}>${ok ? 'works' : 'fails'}<//>
            <span><strong>${name}</strong> <span class="muted">${reason}</span></span>
          </li>`,
        )}
        ${breakers.map(
          ({ account, isOpen, reason }) => html`<li key=${account}>
            <${Badge} tone=${isOpen ? 'bad' : 'good'}>${isOpen ? 'open' : 'closed'}<//>
            <span><strong>circuit breaker of ${account}</strong> <span class="muted">${reason}</span></span>
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
