import { Command } from 'commander'
import type { ConsoleSessions } from '../mongo/console-sessions.ts'
import { commandLineUser } from '../operations/audit.ts'
import { makeLink } from './access/link.ts'

export type LinkCommandDeps = {
  readonly store: Pick<ConsoleSessions, 'addLink'>
  /** The operators' port of the bridge that runs with this DATA_DIR. */
  readonly adminUrl: string | undefined
  readonly basePath: string
  readonly out: (line: string) => void
  readonly err: (line: string) => void
}

const printLink = async ({ store, adminUrl, basePath, out, err }: LinkCommandDeps): Promise<number> => {
  if (adminUrl === undefined) {
    err('No bridge runs with this DATA_DIR: start one with npm start, or set DATA_DIR.')
    return 1
  }
  const link = await makeLink({ store, clock: () => new Date() }, adminUrl, basePath, commandLineUser())
  if (link === undefined) {
    err('A sign-in link works on loopback alone, and ADMIN_HOST is another address: sign in with OpenID Connect.')
    return 1
  }
  out(link)
  return 0
}

/** `console link`. `run` connects to the servers and ends the process. */
export const consoleCommand = (run: (work: (deps: LinkCommandDeps) => Promise<number>) => Promise<void>): Command =>
  new Command('console')
    .description('the console, of a bridge that runs on this machine')
    .addCommand(
      new Command('link')
        .description('print a link that signs you in with every role: once, within ten minutes, on this machine')
        .action(() => run(printLink)),
    )
