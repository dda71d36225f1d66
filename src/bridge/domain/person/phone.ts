/**
 * The digits of a phone number, without the 00 that some write instead of +, and without the (0) that some write after
 * the code of the country. Empty if there are none.
 */
export const phoneDigits = (value: string): string =>
  value
    .replace('(0)', '')
    .replace(/[^0-9]/g, '')
    .replace(/^00/, '')

/** The fewest digits that a number has without the code of its country. */
export const fewestDigits = 6

const hasCountry = (value: string) => /^[^0-9]*(\+|0[^0-9]*0)/.test(value)

/** The codes of countries (ITU-T E.164). None of them is the beginning of another. */
const countryCode =
  '(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|(2[1-689]|3[578]|42|5[09]|6[7-9]|8[0357-9]|9[679])[0-9])'

/** Whether the first number is the other without the code of its country. Some write a 0 or 8 in its place. */
const isWithoutCountry = (national: string, other: string) => {
  const digits = phoneDigits(national).replace(/^[08]/, '')
  if (hasCountry(national) || digits.length < fewestDigits) return false
  const code = hasCountry(other) ? countryCode : `${countryCode}?`
  return new RegExp(`^${code}[08]?${digits}$`).test(phoneDigits(other))
}

/**
 * True if two phone numbers have the same digits but for the code of the country, which one of them lacks. They may be
 * two persons, because two countries may have the same digits.
 */
export const mayBeSamePhone = (one: string, other: string): boolean =>
  phoneDigits(one) !== phoneDigits(other) && (isWithoutCountry(one, other) || isWithoutCountry(other, one))
