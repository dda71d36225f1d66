import { existsSync, globSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { output, put, putFolder, putLibraries, putPrograms, which } from './rootfs.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))
const certificates = '/etc/ssl/certs/ca-certificates.crt'

/** Downloads what `npm ci` needs into npm's cache, so that the build of the image needs no network. */
const fillCache = async (cache: string): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'livechat-npm-'))
  for (const file of ['package.json', 'package-lock.json']) await copyFile(join(project, file), join(folder, file))
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await output('npm', 'ci', '--omit=dev', ...quiet, '--prefer-offline', `--prefix=${folder}`, `--cache=${cache}`)
  await rm(folder, { recursive: true })
}

/** The runtime, and the packages with native code for this platform. */
const native = () => [process.execPath, ...globSync(join(project, 'node_modules/**/*.linux-*.node'))]

/** Replaces the build image: the runtime of `npm start`, this machine's npm, and a cache for npm without network. */
export const nodeBase = async (root: string): Promise<void> => {
  await putPrograms(root, ['sh', 'env', 'find', 'mkdir'])
  await put(root, process.execPath, '/usr/local/bin/node')
  await putLibraries(root, native())
  const npm = dirname(dirname(await which('npm')))
  await putFolder(root, npm, '/usr/local/lib/node_modules/npm')
  await writeFile(
    join(root, 'usr/local/bin/npm'),
    '#!/bin/sh\nexec node /usr/local/lib/node_modules/npm/bin/npm-cli.js "$@"\n',
    { mode: 0o755 },
  )
  await mkdir(join(root, 'root'))
  await fillCache(join(root, 'root/.npm'))
  // The cache's keys are URLs: npm must use the registry that the packages came from.
  const registry = await output('npm', 'config', 'get', 'registry', '--loglevel=error')
  await writeFile(join(root, 'root/.npmrc'), `offline=true\nregistry=${registry.split('\n').at(-1)}\n`)
}

/** Replaces the runtime image: the libraries of all native code, certificates, and the user nonroot. */
export const runtimeBase = async (root: string): Promise<void> => {
  await putLibraries(root, native())
  if (existsSync(certificates)) await put(root, certificates)
  await mkdir(join(root, 'etc'), { recursive: true })
  await writeFile(join(root, 'etc/passwd'), 'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n')
}
