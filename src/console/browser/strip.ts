import type { StripAnswer } from '../answers.ts'
import { base } from './api.ts'
import { count, counted } from './format.ts'
import { html } from './html.ts'
import { pathOf } from './route.ts'

type Props = { readonly account: string; readonly timeZone: string; readonly strip: StripAnswer | undefined }

/** What is not well, above every page: parts of the bridge, waiting clients, unresolved letters. */
export const Strip = ({ account, timeZone, strip }: Props) => {
  const link = (page: Parameters<typeof pathOf>[1], query: string, words: string, tone: string) =>
    html`<li><a class=${tone} href=${`${base}${pathOf(account, page, query)}`}>${words}</a></li>`
  const { wrong = [], waiting, letters, quarantined } = strip ?? {}
  return html`
    <section class="strip" aria-label="What is not well">
      <ul>
        ${
          strip !== undefined &&
          (wrong.length === 0
            ? link('system', '', 'Everything works', 'good-text')
            : wrong.map(({ name, state }) =>
                link('system', '', `${name} ${state}`, state === 'down' ? 'bad-text' : 'warn-text'),
              ))
        }
        ${
          typeof waiting === 'number' &&
          link(
            'conversations',
            'state=open&unanswered=true',
            `${counted(waiting, 'client')} waiting`,
            waiting > 0 ? 'warn-text' : '',
          )
        }
        ${typeof letters === 'number' && letters > 0 && link('dead-letters', '', counted(letters, 'unresolved letter'), 'warn-text')}
        ${typeof quarantined === 'number' && quarantined > 0 && link('quarantine', '', `${count(quarantined)} in quarantine`, 'warn-text')}
      </ul>
      <p class="muted">Times in ${timeZone}</p>
    </section>
  `
}
