import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Trouble } from './api.ts'
import { asOfText, count, cut, timeText } from './format.ts'
import { useIsWide, useNow } from './hooks.ts'

export type Children = { readonly children?: ComponentChildren }

const maxShown = 2_000

/** Text from outside the console: with its own text direction, and cut if it is long. */
export const Said = ({ text }: { readonly text: string }) => {
  const [all, setAll] = useState(false)
  if (text.length <= maxShown)
    return (
      <bdi dir="auto" class="said">
        {text}
      </bdi>
    )
  return (
    <>
      <bdi dir="auto" class="said">
        {all ? text : `${cut(text, maxShown)}…`}
      </bdi>
      <button type="button" class="link" aria-expanded={all} onClick={() => setAll(!all)}>
        {all ? 'Show less' : `Show all ${count(text.length)} characters`}
      </button>
    </>
  )
}

export const Time = ({ at }: { readonly at: string }) => (
  <time datetime={at} title={at} class="time">
    {timeText(at)}
  </time>
)

/** A button that copies a text, such as an id. */
export const Copy = ({ text, what }: { readonly text: string; readonly what: string }) => {
  const [done, setDone] = useState(false)
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setDone(true),
      () => setDone(false),
    )
  return (
    <button type="button" class="quiet copy" aria-label={`Copy ${what}`} onClick={copy}>
      {done ? 'Copied' : 'Copy'}
    </button>
  )
}

/** A link to another site, if the address is one of the web. Any other address is shown as text. */
export const OutsideLink = ({ url }: { readonly url: string }) =>
  /^https?:\/\//i.test(url) ? (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow">
      <bdi dir="ltr">{url}</bdi>
    </a>
  ) : (
    <Said text={url} />
  )

/** An error message, with a button to try again. */
export const TroubleBox = ({
  trouble,
  again,
}: {
  readonly trouble: Trouble | undefined
  readonly again?: () => void
}) =>
  trouble === undefined ? null : (
    <div class="trouble" role="alert">
      <p>
        {trouble.words}
        {trouble.mayPass && ' The page tries again by itself.'}
      </p>
      {again && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  )

/** Explains why there is no data, and what the user can do. */
export const Empty = ({ title, children }: Children & { readonly title: string }) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    <p>{children}</p>
  </div>
)

export const Waiting = ({ what }: { readonly what: string }) => (
  <p class="waiting" role="status">
    Loading {what}…
  </p>
)

/** Filters of a form. A narrow window has no room for them before what they filter: there they are folded. */
export const Folded = ({ says, children }: Children & { readonly says: ComponentChildren }) =>
  useIsWide() ? (
    children
  ) : (
    <details class="folded">
      <summary>Filters: {says}</summary>
      <div class="filters">{children}</div>
    </details>
  )

export const Badge = ({ tone = 'plain', children }: Children & { readonly tone?: string }) => (
  <span class={`badge ${tone}`}>{children}</span>
)

/** Says when what is shown was true. */
export const AsOf = ({ at }: { readonly at: number }) => <span class="muted">{asOfText(at, useNow())}</span>

/** A card with a heading. With `staleSince` it is grey, and says when its content was true. */
export const Card = ({
  title,
  id,
  aside,
  staleSince,
  children,
}: Children & {
  readonly title: string
  readonly id: string
  readonly aside?: ComponentChildren
  readonly staleSince?: number | undefined
}) => (
  <section class={staleSince === undefined ? 'card' : 'card stale'} aria-labelledby={id}>
    <div class="card-head">
      <h2 id={id}>{title}</h2>
      {staleSince === undefined ? aside : <AsOf at={staleSince} />}
    </div>
    {children}
  </section>
)

type TableProps = Children & {
  readonly caption: string
  readonly head: ReadonlyArray<string>
  /** The columns with numbers. */
  readonly numbers?: ReadonlyArray<string>
  /** On a small screen each cell has a line, with its `data-label`. */
  readonly isLabelled?: boolean
  /** A class of its own, for a table that looks different on a small screen. */
  readonly kind?: string
}

/**
 * A table. If it is too wide, only the table scrolls sideways, also by keyboard. On a small screen each row is a card
 * without the head.
 */
export const Table = ({ caption, head, numbers = [], isLabelled = false, kind = '', children }: TableProps) => (
  <div
    class={`scroll as-cards ${isLabelled ? 'labelled' : ''} ${kind}`}
    role="region"
    aria-label={caption}
    tabindex={0}
  >
    <table>
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {head.map((name) => (
            <th scope="col" key={name} class={numbers.includes(name) ? 'number' : ''}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
)

type Labelled = Children & { readonly label: ComponentChildren }

/** A form field with its label above it. */
export const Field = ({ label, children }: Labelled) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
  <label class="field">
    <span>{label}</span>
    {children}
  </label>
)

export const Check = ({
  label,
  checked,
  onChange,
}: {
  readonly label: ComponentChildren
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}) => (
  <label class="check">
    <input
      type="checkbox"
      checked={checked}
      onChange={(event: Event) => onChange((event.currentTarget as HTMLInputElement).checked)}
    />
    <span>{label}</span>
  </label>
)

/** The value of the form field that sent the event. */
export const valueOfField = (event: Event): string => (event.currentTarget as HTMLInputElement).value

type Option<Value extends string> = readonly [value: Value, words: string]

/** Options for values, with their words. */
export const optionsOf = <Value extends string>(
  values: ReadonlyArray<Value>,
  wordsOf: (value: Value) => string,
): ReadonlyArray<Option<Value>> => values.map((value) => [value, wordsOf(value)])

export const Select = <Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string
  readonly value: Value
  readonly options: ReadonlyArray<Option<Value>>
  readonly onChange: (value: Value) => void
}) => (
  <Field label={label}>
    <select
      value={value}
      onChange={(event: Event) => {
        const chosen = options.find(([each]) => each === valueOfField(event))
        if (chosen !== undefined) onChange(chosen[0])
      }}
    >
      {options.map(([each, words]) => (
        <option key={each} value={each} selected={each === value}>
          {words}
        </option>
      ))}
    </select>
  </Field>
)

/** A panel beside the page. It takes the focus when it opens. Escape closes it. */
export const Panel = ({
  title,
  close,
  children,
}: Children & { readonly title: string; readonly close: () => void }) => {
  const heading = useRef<HTMLHeadingElement>(null)
  // Read in the first render: the panel that this one replaces returns the focus a moment later.
  const [before] = useState(() => document.activeElement)
  // Before the paint: whoever sees the panel can use its keys. Another title means other content.
  useLayoutEffect(() => {
    heading.current?.focus({ preventScroll: true })
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [title])
  // Listen on the document: the focused button may have disappeared, and then nothing in the panel has the focus.
  const closing = useRef(close)
  closing.current = close
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isField = event.target instanceof HTMLElement && event.target.matches('input, select')
      if (event.key === 'Escape' && !isField && document.querySelector('dialog[open]') === null) closing.current()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
  return (
    <aside class="panel" aria-label={title}>
      <div class="card-head">
        <h2 tabindex={-1} ref={heading}>
          {title}
        </h2>
        <button type="button" class="quiet" onClick={close}>
          Close
        </button>
      </div>
      {children}
    </aside>
  )
}

/** A modal dialog. */
export const Dialog = ({
  title,
  close,
  children,
}: Children & { readonly title: string; readonly close: () => void }) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const [before] = useState(() => document.activeElement)
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    // Enter must not confirm what nobody has read.
    const first = shown?.querySelector<HTMLElement>('[data-safe]') ?? shown?.querySelector<HTMLElement>('input')
    first?.focus()
    return () => {
      shown?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [])
  return (
    <dialog ref={dialog} aria-label={title} onClose={close} onCancel={close}>
      <h2>{title}</h2>
      {children}
    </dialog>
  )
}

/** The end of a dialog about a change: a button that makes it, and one that does nothing and has the focus. */
export const Confirm = ({
  word,
  act,
  close,
  isDisabled = false,
  children,
}: Children & {
  readonly word: string
  readonly act: () => void
  readonly close: () => void
  readonly isDisabled?: boolean
}) => (
  <div class="row">
    <button type="button" class="primary danger" disabled={isDisabled} onClick={act}>
      {word}
    </button>
    <button type="button" data-safe onClick={close}>
      Cancel
    </button>
    {children}
  </div>
)

/** The end of a form that runs an operation: the button that begins it, and one that stops it while it runs. */
export const RunButtons = ({
  word,
  isDangerous = false,
  isBusy,
  stop,
}: {
  readonly word: string
  readonly isDangerous?: boolean
  readonly isBusy: boolean
  readonly stop: () => void
}) => (
  <div class="row">
    <button type="submit" class={isDangerous ? 'primary danger' : 'primary'} disabled={isBusy}>
      {word}
    </button>
    {isBusy && (
      <button type="button" onClick={stop}>
        Stop
      </button>
    )}
  </div>
)

/** The output lines of some work so far. */
export const Lines = ({ label, lines }: { readonly label: string; readonly lines: ReadonlyArray<string> }) =>
  lines.length === 0 ? null : (
    <div class="json lines" role="region" aria-label={label} tabindex={0}>
      {lines.map((line, i) => (
        <p key={i}>
          <Said text={line} />
        </p>
      ))}
    </div>
  )
