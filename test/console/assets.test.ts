import { readFileSync } from 'node:fs'
import { buildSync } from 'esbuild'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Assets, assetsAt, bundle } from '../../src/console/assets.ts'
import { type Answered, consoleServer } from './server.ts'

const assets = assetsAt('/console')
const server = await consoleServer()
const most = 150_000

const files = suite('files of the console')

files('all of them together are at most 150 kB gzipped', () => {
  const sum = [assets.page, ...assets.files.values()].reduce((bytes, { gzipped }) => bytes + gzipped.length, 0)
  assert.ok(sum > 40_000 && sum <= most, `${sum} bytes`)
})

files(
  'the page loads one script and one style sheet, by paths that are right below any page; a chart loads its library',
  () => {
    const named = (at: Assets) =>
      [...at.page.bytes.toString().matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path]) => path)
    const { version } = assets
    const expected = ['index.css', 'app.js']
    assert.equal([...assets.files.keys()].sort(), ['app.js', 'index.css', 'uPlot.esm.js'])
    assert.match(assets.files.get('app.js')?.bytes.toString() ?? '', 'import("./uPlot.esm.js")')
    assert.equal(named(assets), ['data:,', ...expected.map((name) => `/console/files/${version}/${name}`)])
    assert.equal(named(assetsAt('/tools/chats')), [
      'data:,',
      ...expected.map((name) => `/tools/chats/files/${version}/${name}`),
    ])
  },
)

const { inputs } = buildSync({ ...bundle, metafile: true }).metafile

files('the npm package has every file of which the script is made', () => {
  const packing = readFileSync('src/tools/release/pack.ts', 'utf8')
  const copied = [...packing.matchAll(/^ {2}'(src\/[^']+)',$/gm)].map(([, path = '']) => path)
  const isCopied = (file: string) => copied.some((path) => file === path || file.startsWith(`${path}/`))
  assert.equal(
    Object.keys(inputs).filter((file) => file.startsWith('src/') && !isCopied(file)),
    [],
  )
})

files('the script has no codec, no contract and nothing of Node.js: pages import types of answers only', () => {
  const parts = Object.entries(inputs).flatMap(([path, { imports }]) => [path, ...imports.map((each) => each.path)])
  assert.ok(parts.some((path) => path.endsWith('browser/app.tsx')))
  assert.equal(
    parts.filter((path) => /(^|\/)(io-ts|fp-ts|contracts)\/|^node:/.test(path)),
    [],
  )
})

files('the pages of sign-in have the style sheet too', async () => {
  const { text } = await server.ask('/console/sign-in')
  const [, path = ''] = /rel="stylesheet" href="([^"]*)"/.exec(text) ?? []
  assert.is((await server.ask(path)).status, 200)
})

files('a browser caches files of this version permanently, and none of another version', async () => {
  const file = (version: string) => server.ask(`/console/files/${version}/app.js`)
  const [own, other] = [await file(assets.version), await file('of-another-process')]
  const cached = ({ status, headers }: Answered) => [status, headers['content-type'], headers['cache-control']]
  const script = 'text/javascript; charset=utf-8'
  assert.equal(cached(own), [200, script, 'private, max-age=31536000, immutable'])
  assert.equal(cached(other), [200, script, 'no-store'])
  assert.is(other.text, own.text)
  const answered = await fetch(`${server.url}/console/files/${assets.version}/app.js`, {
    headers: { 'accept-encoding': 'gzip' },
  })
  assert.is(answered.headers.get('content-encoding'), 'gzip')
  assert.is(await answered.text(), own.text)
})

/** What is written into the page at this path. */
const dataOf = async (path: string, headers: Readonly<Record<string, string>>) => {
  const { text } = await server.ask(`/console${path}`, { headers })
  const [, data = ''] = /<script type="application\/json" id="data">(.*?)<\/script>/.exec(text) ?? []
  return data === '' ? undefined : JSON.parse(data)
}

files('the page has the session, and the answer of its first request, of who may see it', async () => {
  const { headers, csrf } = await server.signIn(['viewer'])
  const answerOf = async (path: string) => (await dataOf(path, headers)).answer
  const accounts = 'GET /api/accounts/:account'
  const none = undefined
  assert.is((await dataOf('', headers)).session.csrf, csrf)
  assert.equal(
    [
      await answerOf('/accounts/acme/conversations/a%2Fb'),
      await answerOf('/accounts/acme/conversations'),
      await answerOf('/accounts/acme/now'),
      await answerOf('/accounts/acme/conversations?state=open'),
      await answerOf('/accounts/acme/audit'),
      await answerOf('/accounts/other/now'),
      await answerOf('/accounts/acme/conversations/%zz'),
    ],
    [
      { route: `${accounts}/conversations/:chat`, accountId: 'acme', chatId: 'a/b' },
      { route: `${accounts}/conversations`, accountId: 'acme', chatId: '' },
      { route: `${accounts}/now`, accountId: 'acme', chatId: '' },
      ...[none, none, none, none],
    ],
  )
  assert.is((await dataOf('/accounts/acme/conversations/a%2Fb', headers)).path, 'accounts/acme/conversations/a%2Fb')
})

files('the page has no data for a request from another site, or of a person without a role', async () => {
  const { headers } = await server.signIn(['viewer'])
  const nobody = await server.signIn(['unknown group'])
  assert.equal(
    [
      await dataOf('/accounts/acme/now', { ...headers, 'sec-fetch-site': 'cross-site' }),
      await dataOf('/accounts/acme/now', nobody.headers),
    ],
    [undefined, undefined],
  )
})

files('the page is served at once if a view does not answer, and requests its data itself', async () => {
  const slow = await consoleServer({
    handlers: { 'GET /api/accounts/:account/now': () => new Promise(() => {}) },
  })
  const { headers } = await slow.signIn(['viewer'])
  const { text } = await slow.ask('/console/accounts/acme/now', { headers })
  assert.match(text, '"session":{')
  assert.not.match(text, '"answer"')
  await slow.stop()
})

files('data cannot end the script element that it is in', () => {
  const page = assets.pageWith({ session: { who: '</script><script>alert(1)</script>' } }).bytes.toString()
  assert.is(page.split('<script').length, assets.page.bytes.toString().split('<script').length)
  assert.match(page, '{"session":{"who":"\\u003c/script>')
})

files('no other file of the disk is served', async () => {
  for (const path of ['app.tsx', 'index.html', '..%2f..%2fconsole.ts', 'constructor'])
    assert.is((await server.ask(`/console/files/${assets.version}/${path}`)).status, 404, path)
})

files('the page requires a sign-in; without MongoDB it is served and shows the problem', async () => {
  const { headers } = await server.signIn(['viewer'])
  const page = (cookie: boolean) => server.ask('/console/accounts/acme.com/now', cookie ? { headers } : {})
  assert.equal([(await page(true)).status, (await page(false)).status], [200, 303])
  server.state.away = true
  assert.is((await page(true)).status, 200)
  server.state.away = false
})

files.after(server.stop)

files.run()
