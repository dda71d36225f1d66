import { accountPath, base, get } from '../../browser/api.ts'
import { Chats } from '../../browser/chats.tsx'
import { count, counted } from '../../browser/format.ts'
import { useLoad } from '../../browser/hooks.ts'
import { Card, Empty, Table, Time, TroubleBox, Waiting } from '../../browser/parts.tsx'
import { pathOf } from '../../browser/route.ts'
import { failedCommandWords, failureWords, lastAttemptWords } from '../../browser/words.ts'
import type { FailedRepliesAnswer } from './failed-replies.ts'

type Group = FailedRepliesAnswer['groups'][number]
type Props = { readonly account: string; readonly days: { readonly from: string; readonly to: string } }

const Row = ({ account, group }: { readonly account: string; readonly group: Group }) => {
  const { reason, by, commandType, status, code, lastAt, chats } = group
  const isAttempted = status !== undefined || code !== undefined
  const letterTitle = reason === 'invalid' ? 'What was expected' : reason === 'unforeseen' ? 'Where the bug is' : ''
  const letters = new URLSearchParams({ topic: 'bot-replies', state: 'all' }).toString()
  return (
    <tr>
      <th scope="row">
        {failureWords(reason)}
        {isAttempted && (
          <span class="sub">
            <bdi>{lastAttemptWords(status, code)}</bdi>
          </span>
        )}
        {letterTitle !== '' && (
          <span class="sub">
            <a href={`${base}${pathOf(account, 'dead-letters', letters)}`}>{letterTitle}</a>
          </span>
        )}
      </th>
      <td data-label="What">{failedCommandWords(commandType, by)}</td>
      <td class="number" data-label="Replies">
        {count(group.count)}
      </td>
      <td data-label="Last">
        <Time at={lastAt} />
      </td>
      <td data-label="Newest chats">
        <span class="row">
          <Chats account={account} chats={chats} />
        </span>
      </td>
    </tr>
  )
}

const Found = ({ account, answer }: { readonly account: string; readonly answer: FailedRepliesAnswer }) => {
  if (answer.count === 0)
    return (
      <Empty title="No reply failed in this period.">
        Replies that the service has not accepted yet are still being tried.
      </Empty>
    )
  const list = new URLSearchParams({ failed: 'true', from: answer.from, to: answer.to }).toString()
  return (
    <>
      <p>
        {answer.cut
          ? `More than ${counted(answer.count, 'reply', 'replies')} failed: these are the newest.`
          : `${counted(answer.count, 'reply', 'replies')} failed.`}{' '}
        <a href={`${base}${pathOf(account, 'conversations', list)}`}>
          Conversations that began in this period and have one
        </a>
      </p>
      <Table
        caption="Failed replies by reason, the most frequent first"
        head={['Why', 'What', 'Replies', 'Last', 'Newest chats']}
        numbers={['Replies']}
        isLabelled
      >
        {answer.groups.map((group) => (
          <Row
            key={[group.reason, group.by, group.commandType, group.status, group.code].join('/')}
            account={account}
            group={group}
          />
        ))}
      </Table>
      {answer.others > 0 && (
        <p class="muted">The other {counted(answer.others, 'reply', 'replies')} failed for rarer reasons.</p>
      )}
    </>
  )
}

/** Why replies failed in some days: of the bot, and of the bridge itself. */
export const FailedReplies = ({ account, days }: Props) => {
  const path = `${accountPath(account, 'statistics', 'failed-replies')}?${new URLSearchParams(days)}`
  const { value, trouble, again } = useLoad(path, (signal) => get<FailedRepliesAnswer>(path, signal))
  return (
    <Card title="Failed replies" id="failed-replies">
      <p class="muted">Each reply counts once, on the day on which the bridge gave it up.</p>
      <TroubleBox trouble={trouble} again={again} />
      {value === undefined && trouble === undefined && <Waiting what="failed replies" />}
      {value !== undefined && <Found account={account} answer={value} />}
    </Card>
  )
}
