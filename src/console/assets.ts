import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, buildSync } from 'esbuild'
import type { FirstAnswer } from './first-answer.ts'
import { menu } from './menu.ts'

/** A file that the console serves to the browser. */
export type Asset = { readonly type: string; readonly bytes: Buffer; readonly gzipped: Buffer }

export type Assets = {
  /** Changes with the content of any file. It is part of the files' paths, so browsers may cache files permanently. */
  readonly version: string
  /** The path of the files in pages. */
  readonly folder: string
  /** By name. */
  readonly files: ReadonlyMap<string, Asset>
  /** The response for every path that is not a file. */
  readonly page: Asset
  /** The same with data in it, which the script need not request. */
  readonly pageWith: (data: FirstAnswer) => Asset
}

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
}

const assetOf = (name: string, content: string | Uint8Array, level = 9): Asset => {
  const bytes = Buffer.from(content)
  const type = types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
  return { type, bytes, gzipped: gzipSync(bytes, { level }) }
}

/** Where the data is in the page. A browser runs no script of this type, so the policy allows it. */
const startOfData = 'id="data">'

const pathOf = (name: string) => fileURLToPath(new URL(`./browser/${name}`, import.meta.url))

/**
 * Bundles the browser's files into one style sheet and one script. The chart library is a separate script, which only
 * pages with charts load. Requests for fifty modules take longer than the first paint may take, even if the browser has
 * them in its cache.
 */
export const bundle = {
  entryPoints: [pathOf('app.tsx'), pathOf('index.css')],
  outdir: pathOf('.'),
  bundle: true,
  minify: true,
  write: false,
  format: 'esm',
  target: 'es2024',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'silent',
  splitting: true,
  chunkNames: '[name]',
  // The server's list of the pages as data: the list itself leads to their codecs.
  alias: { '#menu': `data:application/json,${encodeURIComponent(JSON.stringify({ menu }))}` },
} as const satisfies BuildOptions

export const assetsAt = (basePath: string): Assets => {
  const { outputFiles } = buildSync(bundle)
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), assetOf(path, contents)] as const))
  const version = hash('sha256', Buffer.concat([...files.values()].map(({ bytes }) => bytes)), 'base64url')
  // Absolute: the page is served below any path, and the Content-Security-Policy allows no base element.
  const folder = `${basePath}/files/${version}`
  const page = readFileSync(pathOf('index.html'), 'utf8').replaceAll('"./', `"${folder}/`)
  const [before = '', after = ''] = page.split(startOfData)
  return {
    version,
    folder,
    files,
    page: assetOf('index.html', page),
    // Within a script element `<` could end it.
    pageWith: (data) => {
      const json = JSON.stringify(data).replaceAll('<', '\\u003c')
      return assetOf('index.html', `${before}${startOfData}${json}${after}`, 1)
    },
  }
}
