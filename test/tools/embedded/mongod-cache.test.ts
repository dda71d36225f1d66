import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cacheGigabytes } from '../../../src/tools/embedded/mongod.ts'

const gibibyte = 1024 ** 3
const caching = suite("embedded mongod's cache")

for (const [memory, cache] of [
  [0.5, '0.25'],
  [2, '0.25'],
  [4, '0.50'],
  [8, '1.00'],
  [64, '1.00'],
] as const)
  caching(`is ${cache} GB if the memory is ${memory} GiB`, () => {
    assert.is(cacheGigabytes(memory * gibibyte), cache)
  })

caching.run()
