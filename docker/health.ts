// The image's health check, because the image has no curl: `node docker/health.ts [/livez|/readyz]`, exit code 0 or 1.
// It calls the operators' port, whose answer has the reasons.
const [path = '/livez'] = process.argv.slice(2)
const { ADMIN_HOST = '', ADMIN_PORT } = process.env
const loopback: Readonly<Record<string, string>> = { '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '::1' }
const host = loopback[ADMIN_HOST] ?? ADMIN_HOST
const url = `http://${host.includes(':') ? `[${host}]` : host}:${ADMIN_PORT}${path}`

const answer = await fetch(url, { signal: AbortSignal.timeout(4000) }).catch((error: Error) => error)
if (answer instanceof Error) console.error(`${url}: ${answer.message}`)
else console.log(answer.status, await answer.text())
process.exitCode = answer instanceof Response && answer.ok ? 0 : 1
