import type { ComponentChildren } from 'preact'
import { agoText, duration } from '../../browser/format.ts'
import { OutsideLink, Said, Time } from '../../browser/parts.tsx'
import { stateWords } from '../../browser/words.ts'
import type { ConversationAnswer } from './story.ts'
import { firstResponses, repliesText, stateText } from './story-items.ts'

type Fact = readonly [name: string, value: ComponentChildren]

const text = (name: string, value: string | undefined): ReadonlyArray<Fact> =>
  value === undefined || value === '' ? [] : [[name, <Said text={value} />]]

const since = (name: string, value: string): ReadonlyArray<Fact> =>
  value === ''
    ? []
    : [
        [
          name,
          <>
            <Time at={value} /> <span class="muted">{agoText(value)}</span>
          </>,
        ],
      ]

const length = (name: string, value: number | undefined): ReadonlyArray<Fact> =>
  value === undefined ? [] : [[name, duration(value)]]

/** The facts of a chat, from its two documents. */
const factsOf = (answer: ConversationAnswer, isOver: boolean): ReadonlyArray<Fact> => {
  const { chat, conversation, deliveries, sessions } = answer
  const { first, ofAgent } = firstResponses(sessions)
  const awaitingSince = conversation?.awaitingReplySince ?? ''
  return [
    ...(conversation
      ? ([
          ['State', stateText(answer, isOver)],
          ['Replies of the bot', repliesText(conversation, deliveries)],
        ] as const)
      : []),
    ...text('First answer', first),
    ...text('First answer of an agent', ofAgent),
    ...since(isOver ? 'Left without an answer to the message of' : 'Waiting for an answer since', awaitingSince),
    ...(chat ? ([['Chat with agents', stateWords(chat.state)]] as const) : []),
    ...text('Client', conversation?.clientId),
    ...text('Visitor', chat?.visitor?.name),
    ...text('Visitor’s number', chat?.visitor?.number),
    ...text('Email', chat?.visitor?.email),
    ...text('Phone', chat?.visitor?.phone),
    ...text('Agents', chat?.agents.map(({ name, id = '' }) => name || `agent ${id}`).join(', ')),
    ...(chat?.page?.url === undefined ? [] : [['Page', <OutsideLink url={chat.page.url} />] as const]),
    ...text('Rating', chat?.rate),
    ...length('Handle time of the last agent session', chat?.totalMs),
  ]
}

export const ChatFacts = ({ answer, isOver }: { readonly answer: ConversationAnswer; readonly isOver: boolean }) => {
  const facts = factsOf(answer, isOver)
  if (facts.length === 0) return null
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
