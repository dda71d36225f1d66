// These tests pass but leave a server open. The runner must notice that.
import { createServer } from 'node:net'
import { test } from 'uvu'

test('a server that nobody closes', () => {
  createServer().listen(0, '127.0.0.1')
})
test.run()
