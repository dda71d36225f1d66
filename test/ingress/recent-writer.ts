import { hash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { recent } from '../../src/ingress/recent.ts'

// Writes keys beside other threads, each with a value that tells whose it is, and counts what it finds with another's.
const { memory, from, to, step }: { memory: SharedArrayBuffer; from: number; to: number; step: number } = workerData
const entries = recent(memory)
const digests = Array.from({ length: to }, (_, key) => hash('sha256', String(key), 'base64url'))
let wrong = 0
let found = 0
for (let round = 0; round < 20; round++)
  for (let key = from; key < to; key += step) {
    entries.set(digests[key] ?? '', key)
    const near = Math.max(0, key - 1 - (round % 50))
    const value = entries.get(digests[near] ?? '')
    if (value !== undefined) found++
    if (value !== undefined && value !== near) wrong++
  }
parentPort?.postMessage({ wrong, found })
