import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { buildSync } from 'esbuild'

/** A file as the browser gets it. */
export type Asset = { readonly type: string; readonly bytes: Buffer; readonly gzipped: Buffer }

export type Assets = {
  /** Another one where any file is another. The page has it in the files' paths, so that a browser may keep them for good. */
  readonly version: string
  /** The path that a page has to name them by. */
  readonly folder: string
  /** By their names. */
  readonly files: ReadonlyMap<string, Asset>
  /** The page of every path that is no file. */
  readonly page: Asset
}

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
}

const assetOf = (name: string, content: string | Uint8Array): Asset => {
  const bytes = Buffer.from(content)
  const type = types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
  return { type, bytes, gzipped: gzipSync(bytes, { level: 9 }) }
}

const pathOf = (name: string) => fileURLToPath(new URL(`./browser/${name}`, import.meta.url))

/**
 * Bundles what runs in the browser: one style sheet, and one script, beside which the library of the charts comes where a page has any. A browser needs longer to ask for fifty modules than the first paint
 * may take, even where it has them all in its cache.
 */
export const assetsAt = (basePath: string): Assets => {
  const { outputFiles } = buildSync({
    ...{ entryPoints: [pathOf('app.ts'), pathOf('index.css')], outdir: pathOf('.') },
    ...{ bundle: true, minify: true, write: false, format: 'esm', target: 'es2024', logLevel: 'silent' },
    ...{ splitting: true, chunkNames: '[name]' },
  })
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), assetOf(path, contents)] as const))
  const version = hash('sha256', Buffer.concat([...files.values()].map(({ bytes }) => bytes)), 'base64url')
  // Absolute: the page is served below any path, and the policy allows no base element.
  const folder = `${basePath}/files/${version}`
  const page = readFileSync(pathOf('index.html'), 'utf8').replaceAll('"./', `"${folder}/`)
  return { version, folder, files, page: assetOf('index.html', page) }
}
