/** Whether a change broke the syntax of a file, by the ending of its name: JSON and YAML. */
import { basename } from 'node:path'

const MAX_CHECKED = 1_000_000
/** Programs read comments and trailing commas in these. */
const WITH_COMMENTS = /^(?:[tj]sconfig.*|devcontainer|\.?eslintrc|\.swcrc|api-extractor)\.json$/i
const FOLDERS_WITH_COMMENTS = /[/\\]\.(?:vscode|devcontainer|zed)[/\\]/
/** What Helm, Jinja and the like fill in before it is YAML. */
const TEMPLATE = /\{\{|\{%/

/** What is wrong with the text, as the end of a sentence; undefined when nothing is. */
type Check = (text: string) => string | undefined | Promise<string | undefined>

/**
 * A sentence about a file that is not valid since the change; undefined when it is valid, was not valid before either, or is of
 * another kind. `before` is undefined where the file is new, or what it held is not known: then nothing was wrong.
 */
export async function newSyntaxProblem(
  path: string,
  before: string | undefined,
  after: string,
): Promise<string | undefined> {
  const [kind, check] = checkFor(path) ?? []
  if (!kind || !check || after.trim() === '' || after.length > MAX_CHECKED) return undefined
  const problem = await check(after.replace(/^\uFEFF/, ''))
  if (problem === undefined) return undefined
  const wasBroken = before !== undefined && (await check(before.replace(/^\uFEFF/, ''))) !== undefined
  return wasBroken ? undefined : `${basename(path)} is not valid ${kind} now: ${problem}`
}

function checkFor(path: string): readonly [kind: string, check: Check] | undefined {
  if (/\.json$/i.test(path)) {
    const isPlain = !WITH_COMMENTS.test(basename(path)) && !FOLDERS_WITH_COMMENTS.test(path)
    return isPlain ? ['JSON', jsonProblem] : undefined
  }
  return /\.ya?ml$/i.test(path) ? ['YAML', yamlProblem] : undefined
}

function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    // The rest of V8's message quotes the file, or names the place once more.
    const message = error instanceof Error ? error.message : ''
    const [, position] = /position (\d+)/.exec(message) ?? []
    if (position === undefined) return /end of JSON/.test(message) ? 'it ends too early' : 'it cannot be parsed'
    const lines = text.slice(0, Number(position)).split('\n')
    return `it cannot be parsed from line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1} on`
  }
}

async function yamlProblem(text: string): Promise<string | undefined> {
  if (TEMPLATE.test(text)) return undefined
  const { parseAllDocuments } = await import('yaml')
  const documents = parseAllDocuments(text, { prettyErrors: true, logLevel: 'error' })
  const [first] = Array.isArray(documents) ? documents.flatMap(({ errors }) => errors) : []
  return first?.message.split('\n')[0]?.replace(/:$/, '')
}
