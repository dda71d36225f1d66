import type { SystemAnswer } from '../pages/system/page.ts'
import { healthText, isWrong, partsOf, staleSince, withReasonsOnce } from './current-state.ts'
import { count, counted } from './format.ts'
import type { Loaded } from './hooks.ts'
import { Badge, Card, Empty, Table, TroubleBox, Waiting } from './parts.tsx'
import { partStateWords, partTitle } from './words.ts'

/** The colour of each state. */
export const stateTones = {
  works: 'good',
  degraded: 'warn',
  down: 'bad',
  off: 'warn',
  waits: 'plain',
  unknown: 'plain',
} as const

type Consumer = SystemAnswer['consumers'][number]

const Behind = ({ consumers }: { readonly consumers: ReadonlyArray<Consumer> }) => {
  const known = consumers.flatMap(({ behind }) => behind ?? [])
  const unknown = consumers.length - known.length
  const sum = known.reduce((all, behind) => all + behind, 0)
  if (known.length === 0) return <span class="muted">not known</span>
  return (
    <>
      <span class={sum > 0 ? 'warn-text' : ''}>{count(sum)}</span>
      {unknown > 0 && <span class="sub">of {counted(unknown, 'topic')} not known</span>}
    </>
  )
}

type Shown = { readonly staleSince: number | undefined }

const HealthCard = ({ system, staleSince: since }: Shown & { readonly system: SystemAnswer }) => {
  const { ready, version } = system
  const parts = partsOf(system)
  const isDown = parts.some(({ state }) => state === 'down')
  const tone = isDown || !ready ? 'bad' : parts.some(isWrong) ? 'warn' : 'good'
  return (
    <Card title="Health" id="health" staleSince={since} aside={<span class="muted">version {version}</span>}>
      <p class={`state ${tone}-text`}>
        <strong>{healthText(parts, ready)}</strong>
      </p>
      <ul class="checks">
        {withReasonsOnce(parts).map(({ name, state, words, first, reason }) => (
          <li key={name} class={stateTones[state]}>
            {state === 'works' ? (
              <span class="muted">{partStateWords(state)}</span>
            ) : (
              <Badge tone={stateTones[state]}>{partStateWords(state)}</Badge>
            )}
            <span>
              <strong title={name}>{partTitle(name)}</strong>{' '}
              <span class="muted">{state === 'works' && reason !== '' ? reason : words}</span>
              {state !== 'works' && reason !== '' && <span class="sub">{reason}</span>}
              {first !== undefined && (
                <span class="sub">
                  <strong>First:</strong> {first}.
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const LagCard = ({ consumers, staleSince: since }: Shown & { readonly consumers: ReadonlyArray<Consumer> }) => {
  const groups = Map.groupBy(consumers, ({ group }) => group)
  return (
    <Card title="Consumers" id="lag" staleSince={since} aside={<span class="muted">records behind</span>}>
      {groups.size === 0 ? (
        <Empty title="No consumer group is known.">They appear once a role has read a topic.</Empty>
      ) : (
        <Table caption="How far each consumer group is behind" head={['Group', 'Behind']} numbers={['Behind']}>
          {[...groups].map(([group, topics]) => (
            <tr key={group}>
              <th scope="row">
                <details class="definition">
                  <summary>{group}</summary>
                  <ul class="plain-list">
                    {topics.map((each) => (
                      <li key={each.topic}>
                        <span>{each.topic}</span>
                        <span class="number">
                          <Behind consumers={[each]} />
                        </span>
                      </li>
                    ))}
                  </ul>
                </details>
              </th>
              <td class="number">
                <Behind consumers={topics} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}

/** The checks of /readyz in words, and how far the consumers are behind. */
export const SystemCards = ({ system }: { readonly system: Loaded<SystemAnswer> }) => {
  const { value, trouble, again } = system
  const since = staleSince(system)
  return (
    <>
      <TroubleBox trouble={trouble} again={again} />
      {value === undefined ? (
        trouble === undefined && <Waiting what="the state of the bridge" />
      ) : (
        <>
          <HealthCard system={value} staleSince={since} />
          <LagCard consumers={value.consumers} staleSince={since} />
        </>
      )}
    </>
  )
}
