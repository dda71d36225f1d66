import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

/** A file as the browser gets it. */
export type Asset = {
  readonly type: string
  readonly bytes: Buffer
  readonly gzipped: Buffer
  /** Weak, since it is the same for both encodings. */
  readonly etag: string
}

/** By their paths below the base path. Each is made when it is first asked for. */
export type Assets = {
  readonly names: () => ReadonlyArray<string>
  readonly find: (name: string) => Asset | undefined
  /** The page of every path that is no file. */
  readonly page: () => Asset
}

const script = 'text/javascript; charset=utf-8'
const types: Readonly<Record<string, string>> = {
  ts: script,
  js: script,
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  svg: 'image/svg+xml',
}

/** What the sources import by these names; a browser knows no names. */
const libraries: Readonly<Record<string, { readonly served: string; readonly from: string }>> = {
  preact: { served: 'lib/preact.js', from: 'preact' },
  'preact/hooks': { served: 'lib/hooks.js', from: 'preact/hooks' },
  htm: { served: 'lib/htm.js', from: 'htm' },
  uplot: { served: 'lib/uplot.js', from: 'uplot/dist/uPlot.esm.js' },
  'uplot/css': { served: 'lib/uplot.css', from: 'uplot/dist/uPlot.min.css' },
}
const bare = new RegExp(`(\\b(?:from|import)\\s*)(["'])(${Object.keys(libraries).join('|')})\\2`, 'g')

const folder = new URL('./browser/', import.meta.url)

const sources = (): ReadonlyMap<string, URL> => {
  const own = readdirSync(folder).filter((name) => /\.(ts|css|svg)$/.test(name) && !name.endsWith('.d.ts'))
  return new Map([
    ...own.map((name) => [name, new URL(name, folder)] as const),
    ...Object.values(libraries).map(({ served, from }) => [served, new URL(import.meta.resolve(from))] as const),
  ])
}

const read = (url: URL) => readFileSync(fileURLToPath(url), 'utf8')

const assetOf = (name: string, text: string): Asset => {
  const bytes = Buffer.from(text)
  const type = types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
  return { type, bytes, gzipped: gzipSync(bytes, { level: 9 }), etag: `W/"${hash('sha256', bytes, 'base64url')}"` }
}

export const assetsAt = (basePath: string): Assets => {
  let found: ReadonlyMap<string, URL> | undefined
  const files = () => {
    found ??= sources()
    return found
  }
  const made = new Map<string, Asset>()
  const once = (name: string, make: () => string): Asset => {
    const asset = made.get(name) ?? assetOf(name, make())
    made.set(name, asset)
    return asset
  }
  const withPaths = (code: string) =>
    code.replace(bare, (_, before, quote, name) => `${before}${quote}${basePath}/${libraries[name]?.served}${quote}`)
  const codeOf = (name: string, url: URL) => {
    const text = read(url)
    if (name.endsWith('.ts')) return withPaths(stripTypeScriptTypes(text))
    return name.endsWith('.js') ? withPaths(text).replace(/^\/\/# sourceMappingURL=.*$/m, '') : text
  }
  return {
    names: () => [...files().keys()],
    find: (name) => {
      const url = files().get(name)
      return url && once(name, () => codeOf(name, url))
    },
    // Its own paths are absolute: it is served below any path, and the policy allows no base element.
    page: () =>
      once('index.html', () =>
        read(new URL('index.html', folder)).replace(/(\s(?:src|href)=")(?:\.\/)?(?![a-z]+:|\/)/g, `$1${basePath}/`),
      ),
  }
}
