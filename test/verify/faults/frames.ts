/** Cuts a stream of Kafka's wire protocol into messages: a length of four bytes, then that many bytes. */
export const frames = (take: (frame: Buffer) => void): ((bytes: Buffer) => void) => {
  let parts: Buffer[] = []
  let held = 0
  return (bytes) => {
    parts.push(bytes)
    held += bytes.length
    let head = parts[0] ?? bytes
    if (head.length >= 4 && held < 4 + head.readUInt32BE(0)) return
    head = Buffer.concat(parts)
    while (head.length >= 4 && head.length >= 4 + head.readUInt32BE(0)) {
      const end = 4 + head.readUInt32BE(0)
      take(head.subarray(0, end))
      head = head.subarray(end)
    }
    parts = head.length > 0 ? [head] : []
    held = head.length
  }
}
