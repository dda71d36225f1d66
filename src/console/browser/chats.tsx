import { base } from './api.ts'
import { pathOf } from './route.ts'

/** Links to some chats. */
export const Chats = ({ account, chats }: { readonly account: string; readonly chats: ReadonlyArray<string> }) =>
  chats.map((chat) => (
    <>
      <a key={chat} href={`${base}${pathOf(account, 'conversations', '', chat)}`}>
        <bdi>{chat}</bdi>
      </a>{' '}
    </>
  ))
