// Tests that pass, and leave a server open: what the runner has to notice.
import { createServer } from 'node:net'
import { test } from 'uvu'

test('a server that nobody closes', () => {
  createServer().listen(0, '127.0.0.1')
})
test.run()
