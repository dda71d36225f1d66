import { type Account, secretsOf } from '../bridge/domain/accounts.ts'

/** 2^52 tries take more than 10,000 years at ten thousand a second. */
const enoughBits = 52

/** How many bits a character is worth if it is drawn at random from characters of the kinds that the text has. */
const bitsOfCharacter = (text: string): number => {
  const isHex = /^[\da-f]*$/i.test(text)
  const kinds = [
    [/\d/, 10],
    [/[a-z]/, isHex ? 6 : 26],
    [/[A-Z]/, isHex ? 6 : 26],
    [/[^\da-z]/i, 4],
  ] as const
  return Math.log2(kinds.reduce((size, [kind, of]) => (kind.test(text) ? size + of : size), 1))
}

/** A letter of a word is worth about two bits, because most sequences of letters are no word. */
const bitsOfLetter = 2
/** Letters of one case in a row, with what separates them from others. */
const inOneCase = /[\W_]*(?:[a-z]{3,}|[A-Z]{3,}|[A-Z][a-z]{3,})[\W_]*/g
const isWord = (letters: string): boolean => (letters.match(/[aeiou]/gi)?.length ?? 0) >= letters.length / 4

/** The text without what repeats the character before, or continues the order of the two before. */
const withoutSequences = (text: string): string => {
  const step = (i: number) => text.charCodeAt(i) - text.charCodeAt(i - 1)
  return text
    .split('')
    .filter((_, i) => i === 0 || !(step(i) === 0 || (Math.abs(step(i)) === 1 && step(i) === step(i - 1))))
    .join('')
}

/** About how many bits somebody must guess who knows how people invent tokens. */
const guessableBits = (secret: string): number => {
  const text = withoutSequences(secret)
  const ofWords: string[] = []
  const rest = text.replace(inOneCase, (found) => {
    const letters = found.replace(/[\W_]/g, '')
    if (!isWord(letters)) return found
    ofWords.push(letters)
    return ''
  })
  const bits = rest.length * bitsOfCharacter(rest) + ofWords.join('').length * bitsOfLetter
  return Math.min(bits, text.length * Math.log2(new Set(text).size))
}

/** Where the accounts have tokens and secrets that look easy to guess. Never with a value. */
export const weakSecrets = (accounts: ReadonlyArray<Account>): ReadonlyArray<string> =>
  accounts.flatMap((account) =>
    secretsOf(account).flatMap(([path, secret]) =>
      guessableBits(secret) < enoughBits
        ? [
            `BRIDGE_CONFIG ${path} of account ${account.id}: it looks easy to guess; make it at random, with 22 characters or more`,
          ]
        : [],
    ),
  )
