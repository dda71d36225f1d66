import { type Expression, type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast'
import * as is from 'typescript/unstable/ast/is'
import { computeLineStarts } from 'typescript/unstable/ast/scanner'
import { createVirtualFileSystem } from 'typescript/unstable/fs'
import { API } from 'typescript/unstable/sync'
import { changed, type Edit } from './edit.ts'

/**
 * A program with one change: `was` and `becomes` are the changed lines without indentation. `isTyped`: the compiler is
 * asked too.
 */
export type Mutant = {
  readonly isTyped: boolean
  readonly edit: Edit
  readonly line: number
  readonly was: string
  readonly becomes: string
}

const otherOperator: Partial<Record<SyntaxKind, string>> = {
  [SyntaxKind.LessThanToken]: '<=',
  [SyntaxKind.LessThanEqualsToken]: '<',
  [SyntaxKind.GreaterThanToken]: '>=',
  [SyntaxKind.GreaterThanEqualsToken]: '>',
  [SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [SyntaxKind.ExclamationEqualsEqualsToken]: '===',
  [SyntaxKind.PlusToken]: '-',
  [SyntaxKind.MinusToken]: '+',
  [SyntaxKind.AsteriskToken]: '/',
  [SyntaxKind.SlashToken]: '*',
  [SyntaxKind.PercentToken]: '*',
  [SyntaxKind.AsteriskAsteriskToken]: '*',
  [SyntaxKind.PlusEqualsToken]: '-=',
  [SyntaxKind.MinusEqualsToken]: '+=',
}

const otherMethod: Readonly<Record<string, string>> = {
  min: 'max',
  max: 'min',
  some: 'every',
  every: 'some',
  floor: 'ceil',
  ceil: 'floor',
  startsWith: 'endsWith',
}

const isText = (node: Node): boolean => is.isStringLiteral(node) || is.isTemplateExpression(node)

/** Strings and templates are joined by the same operator as numbers are added. */
const joinsText = (node: Node): boolean =>
  is.isBinaryExpression(node) &&
  node.operatorToken.kind === SyntaxKind.PlusToken &&
  (isText(node.left) || isText(node.right) || joinsText(node.left) || joinsText(node.right))

const isLogical = (node: Node): boolean =>
  is.isBinaryExpression(node) &&
  [SyntaxKind.AmpersandAmpersandToken, SyntaxKind.BarBarToken, SyntaxKind.QuestionQuestionToken].includes(
    node.operatorToken.kind,
  )

/** The condition of a branch. Loops have none here: most would never end. */
const conditionOf = (node: Node): Expression | undefined => {
  if (is.isIfStatement(node)) return node.expression
  return is.isConditionalExpression(node) ? node.condition : undefined
}

/** A condition is also made true and false, and an operand is left out: the opposite would say nothing more. */
const isDecided = (node: Node): boolean => {
  const { parent } = node
  return (
    isLogical(parent) || conditionOf(parent) === node || (is.isParenthesizedExpression(parent) && isDecided(parent))
  )
}

const isEquality = (kind: SyntaxKind): boolean =>
  kind === SyntaxKind.EqualsEqualsEqualsToken || kind === SyntaxKind.ExclamationEqualsEqualsToken

/** A case that never is. It has no type of a case, so the compiler would always refuse it. */
const noCase = 'Symbol()'

const larger = (text: string): string => {
  const value = Number(text.replaceAll('_', ''))
  return String(value > 10 ? value * 2 : value + 1)
}

/** The changes of this node, not of what is in it. */
const editsOf = (node: Node, file: SourceFile): ReadonlyArray<Edit> => {
  const replace = (what: Node, text: string): Edit => ({ start: what.getStart(file), end: what.end, text })
  const condition = conditionOf(node)
  if (condition !== undefined) return ['true', 'false'].map((text) => replace(condition, text))
  if (is.isBinaryExpression(node)) {
    const { left, operatorToken, right } = node
    if (isLogical(node)) return [left, right].map((only) => replace(node, only.getText(file)))
    if (joinsText(node) || (isEquality(operatorToken.kind) && isDecided(node))) return []
    const other = otherOperator[operatorToken.kind]
    return other === undefined ? [] : [replace(operatorToken, other)]
  }
  if (is.isPrefixUnaryExpression(node)) {
    const { operator, operand } = node
    if (operator === SyntaxKind.ExclamationToken && isDecided(node)) return []
    if (operator === SyntaxKind.ExclamationToken || operator === SyntaxKind.MinusToken)
      return [replace(node, operand.getText(file))]
  }
  if (node.kind === SyntaxKind.TrueKeyword) return [replace(node, 'false')]
  if (node.kind === SyntaxKind.FalseKeyword) return [replace(node, 'true')]
  if (is.isNumericLiteral(node)) return [replace(node, larger(node.getText(file)))]
  if (is.isCaseClause(node)) return [replace(node.expression, noCase)]
  if (is.isExpressionStatement(node)) return [replace(node, '{}')]
  if (node.kind === SyntaxKind.QuestionDotToken && is.isPropertyAccessExpression(node.parent))
    return [replace(node, '.')]
  if (is.isPropertyAccessExpression(node) && is.isCallExpression(node.parent)) {
    const other = otherMethod[node.name.getText(file)]
    return other === undefined || node.parent.expression !== node ? [] : [replace(node.name, other)]
  }
  return []
}

const isOutside = (node: Node): boolean =>
  is.isTypeNode(node) || is.isImportDeclaration(node) || is.isTypeAliasDeclaration(node)

const editsIn = (node: Node, file: SourceFile): ReadonlyArray<Edit> => {
  if (isOutside(node)) return []
  const inside: Edit[] = []
  node.forEachChild((child) => {
    inside.push(...editsIn(child, file))
  })
  return [...editsOf(node, file), ...inside]
}

const onOneLine = (lines: string): string => lines.replaceAll(/\s+/g, ' ').trim()

const mutantOf = (text: string, edit: Edit): Mutant => {
  const from = text.lastIndexOf('\n', edit.start - 1) + 1
  const to = text.indexOf('\n', edit.end)
  return {
    edit,
    isTyped: edit.text !== noCase,
    line: computeLineStarts(text).findLastIndex((at) => at <= edit.start) + 1,
    was: onOneLine(text.slice(from, to)),
    becomes: onOneLine(changed(text.slice(0, to), edit).slice(from)),
  }
}

/** All mutants of a TypeScript source. Strings are left alone: most are codes, and the compiler checks codes. */
export const mutantsOf = (text: string): ReadonlyArray<Mutant> => {
  const settings = { files: ['a.ts'], compilerOptions: { noLib: true, noResolve: true, types: [] } }
  const fs = createVirtualFileSystem({ '/tsconfig.json': JSON.stringify(settings), '/a.ts': text })
  const api = new API({ cwd: '/', fs })
  try {
    const [project] = api.updateSnapshot({ openProjects: ['/tsconfig.json'] }).getProjects()
    const file = project?.program.getSourceFile('/a.ts')
    if (file === undefined) throw new Error('the compiler has not parsed the source')
    return editsIn(file, file).map((edit) => mutantOf(text, edit))
  } finally {
    api.close()
  }
}
