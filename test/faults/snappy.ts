import kafkajs from 'kafkajs'

const { CompressionCodecs, CompressionTypes } = kafkajs

const literalAtMost = 65_536
const xerial = Buffer.from('82534e41505059000000000100000001', 'hex')

const lengthOf = (bytes: number): Buffer => {
  const groups: number[] = []
  for (let rest = bytes; rest > 0 || groups.length === 0; rest >>>= 7)
    groups.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest)
  return Buffer.from(groups)
}

/** Snappy without compression: the bytes as one literal, in the frame that Kafka's Java clients use. */
export const snappy = (bytes: Buffer): Buffer => {
  if (bytes.length > literalAtMost) throw new Error('too much for one literal')
  const literal = Buffer.alloc(3)
  literal.writeUInt8(61 << 2, 0)
  literal.writeUInt16LE(bytes.length - 1, 1)
  const block = Buffer.concat([lengthOf(bytes.length), literal, bytes])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(block.length)
  return Buffer.concat([xerial, size, block])
}

/** The bytes of what `snappy` made. */
export const unsnappy = (framed: Buffer): Buffer => {
  const block = framed.subarray(xerial.length + 4)
  const lengthEnds = block.findIndex((byte) => byte < 0x80) + 1
  return block.subarray(lengthEnds + 3)
}

/** Lets this process's clients, and no bridge, use records compressed with snappy. */
export const useSnappy = (): void => {
  CompressionCodecs[CompressionTypes.Snappy] = () => ({
    compress: async ({ buffer }: { readonly buffer: Buffer }) => snappy(buffer),
    decompress: async (buffer: Buffer) => unsnappy(buffer),
  })
}
