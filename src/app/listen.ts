import * as E from 'fp-ts/lib/Either.js'
import type { HttpServer } from '../bridge/http/server.ts'
import type { Settings } from './config.ts'
import type { NotStarted } from './plan.ts'
import type { ChildName } from './roles.ts'

type Place = { readonly host: string; readonly port: number }
type Places = { readonly public: Place; readonly admin: Place }

const anyLocalPort: Place = { host: '127.0.0.1', port: 0 }

/** Where a process listens. Of two processes, front has the configured ports, and only front knows those of back. */
export const listenPlaces = (
  { http, admin }: Pick<Settings, 'http' | 'admin'>,
  takesIn: boolean,
  child: ChildName | undefined,
): Places =>
  child === 'back'
    ? { public: anyLocalPort, admin: anyLocalPort }
    : { public: { host: http.host, port: http.port ?? (takesIn ? 8080 : 0) }, admin }

/** The URL of the server. Left if its port is taken. */
const listenAt = async (
  server: HttpServer,
  { host, port }: Place,
  variable: string,
): Promise<E.Either<NotStarted, string>> => {
  const listening = await server.listen(host, port)
  return E.isRight(listening)
    ? E.right(`http://${host}:${listening.right.port}`)
    : E.left({
        reason: `${listening.left.reason}: stop the process that uses it, or set ${variable} to another port (0 takes any free one).`,
        exitCode: 1,
      })
}

/** The URLs of both servers. */
export const listen = async (
  server: HttpServer,
  operators: HttpServer,
  places: Places,
): Promise<E.Either<NotStarted, { readonly url: string; readonly adminUrl: string }>> => {
  const url = await listenAt(server, places.public, 'HTTP_PORT')
  if (E.isLeft(url)) return url
  const adminUrl = await listenAt(operators, places.admin, 'ADMIN_PORT')
  return E.isLeft(adminUrl) ? adminUrl : E.right({ url: url.right, adminUrl: adminUrl.right })
}
