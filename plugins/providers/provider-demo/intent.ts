/** The things that can be asked for, made from the words of a request. */
import { calculate } from './arithmetic.ts'
import { codeSpan, isQuoted, looksLikeFile, pathFrom, splitList, unquote } from './phrases.ts'

/** One thing that is asked for. */
export type Intent =
  | { readonly kind: 'list'; readonly path: string; readonly glob?: string; readonly depth?: number }
  | { readonly kind: 'read'; readonly path: string; readonly limit?: number }
  | { readonly kind: 'search'; readonly pattern: string; readonly path: string }
  | { readonly kind: 'run'; readonly command: string }
  | { readonly kind: 'write'; readonly path: string; readonly content: string }
  | { readonly kind: 'calculate'; readonly expression: string }
  | { readonly kind: 'help' | 'greet' | 'identify' | 'thank' | 'date' }
  | { readonly kind: 'unknown'; readonly text: string }

/** The intents of a request, or undefined when its words mean something else after all. */
export type Made = readonly Intent[] | undefined

/** Words in front of a command that show that no command follows: `run the tests`. */
const PROSE = /^(?:the|a|an|my|some|it|this|that|your|tests?)\b(?! ?[-./|])/i

/** A command; what is in backticks or quotes wins over the words around it. */
export function run(text = ''): Made {
  const plain = text.trim().replace(/ (?:in|with|on) (?:the |a )?(?:terminal|shell|bash|command line)$/i, '')
  const command = codeSpan(plain) ?? unquote(plain)
  return command === plain && PROSE.test(command) ? undefined : [{ kind: 'run', command }]
}

/** An empty file. By `touch`, because a file that is there already must keep what it holds. */
export function createEmpty(phrase = '', word = ''): Made {
  const path = fileFrom(word + phrase)
  return path === undefined ? undefined : [{ kind: 'run', command: `touch -- '${path.replaceAll("'", "'\\''")}'` }]
}

/** A file with content, which is taken literally; quotes around all of it are not part of it. */
export function write(phrase = '', content = '', word = ''): Made {
  const path = fileFrom(word + phrase)
  return path === undefined ? undefined : [{ kind: 'write', path, content: unquote(content) }]
}

/** A search for text, taken literally: people seldom mean a regular expression. */
export function search(text = '', phrase?: string): Made {
  const path = pathFrom(phrase)
  const wanted = unquote(text.trim().replace(/^(?:the |any |every )?(?:(?:text|words?|string|phrase|term) )?/i, ''))
  if (path === undefined || wanted === '') return undefined
  return [{ kind: 'search', pattern: wanted.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), path }]
}

/** Files by a pattern of their names; `.ts` means `*.ts`. */
export function matching(glob = '', phrase?: string): Made {
  const path = pathFrom(phrase)
  const name = unquote(glob).replace(/^\.(?=\w+$)/, '*.')
  return path === undefined || name === '' ? undefined : [{ kind: 'list', path, glob: name }]
}

/** What is in a folder. */
export function list(phrase?: string, depth?: number): Made {
  const path = pathFrom(phrase)
  return path === undefined ? undefined : [{ kind: 'list', path, ...(depth === undefined ? {} : { depth }) }]
}

/** What is in a file or a folder, whichever the name looks like. */
export function openOrList(phrase?: string): Made {
  const path = pathFrom(phrase)
  if (path === undefined) return undefined
  return [looksLikeFile(path) ? { kind: 'read', path } : { kind: 'list', path }]
}

/** Files by name, each of which must look like one unless they are called files. */
export function parseFileNames(phrase = '', limit?: number): Made {
  const [, called = '', names = ''] =
    /^((?:the |my )?(?:files? |contents? of (?:the )?(?:files? )?)?)(.*)$/is.exec(phrase) ?? []
  const isCalled = /file/i.test(called)
  const paths = splitList(names).map((name) => {
    const path = pathFrom(name)
    return path !== undefined && path !== '.' && (isCalled || isPlainlyFile(name, path)) ? path : undefined
  })
  const found = paths.filter((path) => path !== undefined)
  if (found.length === 0 || found.length < paths.length) return undefined
  return found.map((path) => ({ kind: 'read', path, ...(limit === undefined ? {} : { limit }) }))
}

/** A calculation, if it is one. */
export function sum(expression = ''): Made {
  return calculate(expression) === undefined ? undefined : [{ kind: 'calculate', expression: expression.trim() }]
}

function fileFrom(phrase: string): string | undefined {
  const [, called = '', name = ''] = /^((?:an? |the )?(?:new )?(?:file )?(?:called |named )?)(.*)$/is.exec(phrase) ?? []
  const path = name === '' ? undefined : pathFrom(name)
  if (path === undefined || path === '.') return undefined
  return /file/i.test(called) || isPlainlyFile(name, path) ? path : undefined
}

function isPlainlyFile(name: string, path: string): boolean {
  return isQuoted(name) || looksLikeFile(path) || path.includes('/')
}
