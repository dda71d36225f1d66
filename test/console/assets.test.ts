import { gunzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { assetsAt } from '../../src/console/assets.ts'
import { consoleServer } from './server.ts'

const assets = assetsAt('/console')
const server = await consoleServer()
const most = 150_000

const files = suite('files of the console')

files('all of them together are at most 150 kB gzipped', () => {
  const sizes = [assets.page(), ...assets.names().map((name) => assets.find(name))].map(
    (asset) => asset?.gzipped.length ?? 0,
  )
  const sum = sizes.reduce((a, b) => a + b)
  assert.ok(sum > 50_000 && sum <= most, `${sum} bytes`)
})

files('what a file imports is there, by a path', () => {
  const there = new Set(assets.names().map((name) => `/console/${name}`))
  const imported = assets.names().flatMap((name) => {
    const text = /\.(ts|js)$/.test(name) ? (assets.find(name)?.bytes.toString() ?? '') : ''
    return [...text.matchAll(/^(?:import|export)\b[^'"=;()]*["']([^"']+)["']/gm)].map(([, what = '']) =>
      what.startsWith('.') || what.startsWith('/') ? new URL(what, `http://here/console/${name}`).pathname : what,
    )
  })
  assert.ok(imported.length > 100 && imported.includes('/console/lib/preact.js'), `${imported.length} imports`)
  assert.equal(
    imported.filter((path) => !there.has(path)),
    [],
  )
})

files('the page loads its own files alone, by paths that are right below any page', () => {
  const named = [
    ...assets
      .page()
      .bytes.toString()
      .matchAll(/(?:src|href)="([^"]*)"/g),
  ].map(([, path = '']) => path)
  assert.equal(
    named.filter((path) => path !== 'data:,' && assets.find(path.replace('/console/', '')) === undefined),
    [],
  )
  const moved = assetsAt('/tools/chats')
  assert.match(moved.page().bytes.toString(), 'src="/tools/chats/app.ts"')
  assert.match(moved.find('lib/hooks.js')?.bytes.toString() ?? '', 'from"/tools/chats/lib/preact.js"')
})

files('the server sends scripts without types, compressed, and only once', async () => {
  const plain = await server.ask('/console/app.ts')
  assert.equal([plain.status, plain.headers['content-type']], [200, 'text/javascript; charset=utf-8'])
  assert.not.match(plain.text, /\bimport type\b/)
  const etag = String(plain.headers.etag)
  const again = await server.ask('/console/app.ts', { headers: { 'if-none-match': etag } })
  assert.equal([again.status, again.text], [304, ''])
  const answered = await fetch(`${server.url}/console/lib/uplot.js`, { headers: { 'accept-encoding': 'gzip' } })
  assert.is(answered.headers.get('content-encoding'), 'gzip')
  const asset = assets.find('lib/uplot.js')
  assert.ok(asset !== undefined && gunzipSync(asset.gzipped).equals(asset.bytes))
})

files('nothing else of the disk is served', async () => {
  for (const path of ['tsconfig.json', 'index.html', '..%2fconsole.ts', 'lib/none.js', 'constructor.ts'])
    assert.is((await server.ask(`/console/${path}`)).status, 404, path)
})

files('the page is for whoever is signed in; without MongoDB it comes, and says what is wrong', async () => {
  const { headers } = await server.signIn(['viewer'])
  const page = (cookie: boolean) => server.ask('/console/accounts/acme.com/now', cookie ? { headers } : {})
  assert.equal([(await page(true)).status, (await page(false)).status], [200, 303])
  server.state.away = true
  assert.is((await page(true)).status, 200)
  server.state.away = false
})

files.after(server.stop)

files.run()
