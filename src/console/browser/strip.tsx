import type { StripAnswer } from '../head.ts'
import { base, type Trouble } from './api.ts'
import { allWaits, badgeOf, lettersText, quarantinedText, waitsText, wellText } from './current-state.ts'
import { AsOf } from './parts.tsx'
import { pathOf } from './route.ts'
import { partStateWords, partTitle } from './words.ts'

type Props = {
  readonly account: string
  readonly timeZone: string
  readonly strip: StripAnswer | undefined
  readonly staleSince: number | undefined
  /** Why the newest request for it failed. */
  readonly trouble: Trouble | undefined
}

/** What is not well, above every page: parts of the bridge, waiting clients, unresolved letters. */
export const Strip = ({ account, timeZone, strip, staleSince, trouble }: Props) => {
  const link = (page: Parameters<typeof pathOf>[1], query: string, words: string, tone: string) => (
    <li>
      <a class={tone} href={`${base}${pathOf(account, page, query)}`}>
        {words}
      </a>
    </li>
  )
  const { wrong = [], letters, quarantined } = strip ?? {}
  const waits = strip && waitsText(strip)
  // Without Kafka nobody can count letters. The menu shows that.
  const isCountable = !wrong.some(({ name }) => name === 'kafka')
  const [lettersWords, quarantinedWords] = isCountable ? [lettersText(letters), quarantinedText(quarantined)] : []
  return (
    <section class="strip" aria-label="What is not well">
      <ul class={staleSince === undefined ? '' : 'stale'}>
        {(strip !== undefined || trouble !== undefined) &&
          (wrong.length === 0
            ? link('system', '', wellText(trouble), trouble === undefined ? 'good-text' : 'warn-text')
            : wrong.map(({ name, state, words }) =>
                state === 'down'
                  ? link('system', '', `${partTitle(name)} down: ${words}`, 'bad-text')
                  : link('system', '', `${partTitle(name)} ${partStateWords(state)}`, 'warn-text'),
              ))}
        {waits !== undefined && link('now', allWaits, waits, badgeOf('conversations', strip) ? 'warn-text' : '')}
        {lettersWords !== undefined && link('dead-letters', '', lettersWords, 'warn-text')}
        {quarantinedWords !== undefined && link('quarantine', '', quarantinedWords, 'warn-text')}
        {staleSince !== undefined && (
          <li>
            <AsOf at={staleSince} />
          </li>
        )}
      </ul>
      <p class="muted">Times in {timeZone}</p>
    </section>
  )
}
