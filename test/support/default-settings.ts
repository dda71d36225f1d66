import * as E from 'fp-ts/lib/Either.js'
import { readConfig } from '../../src/app/config.ts'
import { right } from './either.ts'

/** The configuration of an empty environment, so that a new setting needs no line in each world. */
export const defaultSettings = right(
  readConfig(
    {},
    () => E.left('no file'),
    () => [],
  ),
)
