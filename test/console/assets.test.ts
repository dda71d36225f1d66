import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Assets, assetsAt } from '../../src/console/assets.ts'
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

files('the page preloads its first requests, and only with values that are valid in a header', async () => {
  const { headers } = await server.signIn(['viewer'])
  const named = async (path: string) => {
    const { link } = (await server.ask(`/console${path}`, { headers })).headers
    return [...String(link).matchAll(/<\/console\/api\/([^>]*)>; rel=preload; as=fetch; crossorigin/g)].map(
      ([, name]) => name,
    )
  }
  const chat = 'accounts/acme.com/conversations/a%2Fb'
  assert.equal(await named(`/${chat}`), [chat])
  assert.equal(await named('/accounts/acme.com/conversations'), ['accounts/acme.com/conversations'])
  for (const path of ['', '/accounts/acme.com/conversations?state=open', '/accounts/acme.com/audit', `/${chat}>`])
    assert.equal(await named(path), [], path)
})

files('the page has the session of who requests it, which cannot end the script element that it is in', async () => {
  const { headers, csrf } = await server.signIn(['viewer'])
  const { text } = await server.ask('/console/accounts/acme.com/now', { headers })
  const [, written = ''] = /<script type="application\/json" id="session">(.*?)<\/script>/.exec(text) ?? []
  assert.is(JSON.parse(written).csrf, csrf)
  const page = assets.pageFor({ who: '</script><script>alert(1)</script>' }).bytes.toString()
  assert.is(page.split('<script').length, assets.page.bytes.toString().split('<script').length)
  assert.match(page, '{"who":"\\u003c/script>')
})

files('no other file of the disk is served', async () => {
  for (const path of ['app.ts', 'index.html', '..%2f..%2fconsole.ts', 'constructor'])
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
