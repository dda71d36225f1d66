import { useState } from 'preact/hooks'
import { counted } from './format.ts'
import { jsonLines } from './json-lines.ts'
import { Copy, Said } from './parts.tsx'

const maxLines = 300

type Problem = { readonly path: string; readonly expected: string }
type Props = { readonly value: unknown; readonly label: string; readonly problems?: ReadonlyArray<Problem> }

/** JSON with the decoder's problems at their places. */
export const JsonBlock = ({ value, label, problems = [] }: Props) => {
  const [all, setAll] = useState(false)
  const lines = jsonLines(value, problems)
  // Lines with problems are always shown.
  const shown = all ? lines : lines.filter((line, i) => i < maxLines || line.problems.length > 0)
  return (
    <>
      <div class="json" role="region" aria-label={label} tabindex={0}>
        <ol>
          {shown.map(({ indent, text, problems }, i) => (
            <li key={i} class={problems.length > 0 ? 'wrong' : ''} style={{ '--depth': Math.min(indent, 12) }}>
              <code>
                <Said text={text} />
              </code>
              {problems.map((problem) => (
                <p key={problem} class="problem">
                  {problem}
                </p>
              ))}
            </li>
          ))}
        </ol>
      </div>
      <Copy text={JSON.stringify(value, null, 2)} what={label} />
      {shown.length < lines.length && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          Show all {counted(lines.length, 'line')}
        </button>
      )}
    </>
  )
}
