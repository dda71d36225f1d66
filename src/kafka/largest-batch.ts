/** Bytes that a batch may have when it is decompressed: far more than any client puts in one, and far less than memory. */
export const largestBatch = 64 * 1024 * 1024

export const tooLarge = () => new RangeError('the batch claims to be larger than any should be')
