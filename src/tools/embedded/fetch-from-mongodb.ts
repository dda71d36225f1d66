// A separate program, so that its caller can end a download that hangs and catch what the library prints.
import { MongoBinary } from 'mongodb-memory-server-core/lib/util/MongoBinary.js'

const [downloadDir = '.'] = process.argv.slice(2)
await MongoBinary.getPath({ downloadDir }).catch(() => {
  process.exitCode = 1
})
