import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

const manifest = findPackageJSON('..', import.meta.url)
/** The version in the package's manifest. */
export const { version }: { readonly version: string } = JSON.parse(readFileSync(manifest ?? '', 'utf8'))
