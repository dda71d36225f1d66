// A program of its own, so that a download that hangs can be ended and what the library prints goes nowhere else.
import { MongoBinary } from 'mongodb-memory-server-core/lib/util/MongoBinary.js'

const [downloadDir = '.'] = process.argv.slice(2)
await MongoBinary.getPath({ downloadDir }).catch(() => {
  process.exitCode = 1
})
