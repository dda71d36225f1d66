import { styleText } from 'node:util'

export type Style = 'bold' | 'dim' | 'green' | 'red' | 'cyan'
export type Paint = (style: Style | ReadonlyArray<Style>, text: string) => string

/** Colours, if the stream is a terminal and NO_COLOR is not set. */
export const paintFor =
  (stream: NodeJS.WriteStream): Paint =>
  (style, text) =>
    styleText(typeof style === 'string' ? style : [...style], text, { stream })

export const plain: Paint = (_, text) => text
