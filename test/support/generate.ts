import { chatAccepted } from '../../src/tools/simulator/payloads.ts'
import { randomNumbers } from '../../src/tools/simulator/random.ts'

const firstNames = ['John', 'Maria', 'Wei', 'Fatima', 'Olga', 'José', 'Amara', 'Søren']
const lastNames = ['Smith', 'Rossi', 'Zhang', 'Haddad', 'Petrova', 'García', 'Okafor', 'Larsen']

const { visitor, session } = chatAccepted()
const user_agent =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/105.0.0.0 Safari/537.36'

/**
 * `n` chat_accepted of about 1.3 KB for this many chats in random order, the same for the same seed. No two are equal,
 * because a repeat would be the same event. `visitor.chats_count` counts from 1 within each chat, so a test can check
 * the order.
 */
export function* generate(seed: number, n: number, { chats = 500, firstChatId = 1 } = {}) {
  const random = randomNumbers(seed)
  const pick = <A>(values: ReadonlyArray<A>) => values[Math.floor(random() * values.length)]
  const counts = new Map<number, number>()
  for (let i = 0; i < n; i++) {
    const chat_id = firstChatId + Math.floor(random() * chats)
    const chats_count = (counts.get(chat_id) ?? 0) + 1
    counts.set(chat_id, chats_count)
    const name = `${pick(firstNames)} ${pick(lastNames)}`
    const email = `visitor-${chat_id}@example.com`
    yield chatAccepted({
      chat_id,
      user_token: `user-${seed}-${chat_id}`,
      visitor: { ...visitor, name, email, number: String(chat_id), chats_count },
      session: { ...session, user_agent },
    })
  }
}
