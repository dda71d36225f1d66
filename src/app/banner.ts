import { styleText } from 'node:util'
import type { Account } from '../domain/accounts.ts'

type Shown = {
  readonly url?: string
  readonly brokers: ReadonlyArray<string>
  readonly mongoUrl: string
  readonly topicPrefix: string
  readonly accounts: ReadonlyArray<Account>
  readonly took: number
  /** Whether it runs in a clone, where the samples are. */
  readonly inClone: boolean
}

const row = (name: string, value: string) => `  ${styleText('dim', name.padEnd(12))}${value}`

/** From the root of a clone. */
export const sample = 'contracts/webhooks/samples/chat_accepted.json'

/** What a person sees when everything is up: addresses, the demo account's URLs, and what to try first. */
export const banner = ({ url, brokers, mongoUrl, topicPrefix, accounts, took, inClone }: Shown): string => {
  const webhooks = accounts.find((account) => account.webhooks)?.webhooks
  const urls = accounts.flatMap(({ id, webhooks, bot }) => [
    row('account', id),
    ...(webhooks ? [row('  webhooks', `${url}/webhooks/${webhooks.token}`)] : []),
    ...(bot ? [row('  bot', `${url}/bot/${bot.token}`)] : []),
  ])
  const tries = [
    ...(webhooks && inClone
      ? [`  curl -H 'Content-Type: application/json' -d @${sample} ${url}/webhooks/${webhooks.token}`]
      : []),
    '  npx livechat-bridge demo      plays every event, in another terminal',
    '  npx livechat-bridge topics    lists the topics',
  ]
  return [
    styleText('bold', `The bridge is ready after ${(took / 1000).toFixed(1)} s.`),
    '',
    ...(url === undefined ? [] : [row('http', `${url}  /livez /readyz /metrics`)]),
    row('kafka', `${brokers.join(',')}  topics ${topicPrefix}*`),
    row('mongodb', mongoUrl),
    ...(url === undefined ? [] : urls),
    '',
    ...(url === undefined ? [] : [styleText('bold', 'Try'), ...tries, '']),
    'Ctrl-C drains and stops all of it.',
    '',
  ].join('\n')
}
