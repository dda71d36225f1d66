import { output } from '../../docker/local/rootfs.ts'
import { engineProblem, places } from '../support/engine.ts'

/** Why tests that need a container engine are skipped; undefined if they run. */
export const whySkipped: string | undefined = places.includes('containers')
  ? await engineProblem()
  : 'TEST_ON does not name containers'

type Registers = (name: string, test: () => Promise<void>) => void

/** The suite's own registration if there is an engine. Otherwise each test counts as skipped. */
export const withEngine = (suite: Registers & { readonly skip: Registers }, missing = whySkipped): Registers => {
  if (missing === undefined) return suite
  console.log(`skipped: ${missing}`)
  return suite.skip
}

export const docker = (...args: ReadonlyArray<string>): Promise<string> => output('docker', ...args)

export const image = 'livechat-bridge:test'

let built: Promise<string> | undefined

/**
 * Builds the image under test on the base images that the environment names. On those of docker/local-images, the build
 * needs no network.
 */
export const buildImage = (): Promise<string> => {
  const { NODE_IMAGE, BASE_IMAGE } = process.env
  const bases = [
    ...(NODE_IMAGE ? ['--build-arg', 'NODE_IMAGE'] : []),
    ...(BASE_IMAGE ? ['--build-arg', 'BASE_IMAGE'] : []),
  ]
  const offline = NODE_IMAGE?.startsWith('livechat-local/') ? ['--network', 'none'] : []
  built ??= docker('build', '--file', 'docker/Dockerfile', ...bases, ...offline, '--tag', image, '.')
  return built
}
