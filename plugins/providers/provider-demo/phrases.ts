/** Pieces of English that the intents are made of: quotes, file names, folders, politeness, and where one request ends. */

/** Something in quotes of any kind; the text is in the group that matched. */
const QUOTED = /(?<![\w`'"])(?:`([^`]+)`|"([^"]+)"|“([^”]+)”|‘([^’]+)’|'((?:[^']|(?<=\w)'(?=\w))+)')(?![\w'])/g

const POLITE = [
  /^(?:please|kindly|ok(?:ay)?|so|now|well|hey|hi|hello|first(?:ly)?|next|also|and|finally|svc|just)\b[\s,:!.]+(?=\S)/i,
  /^(?:can|could|would|will) you (?:please )?(?:help me )?(?:to )?(?=\S)/i,
  /^(?:i want|i need|i'd like|i would like) (?:you )?to (?=\S)/i,
  /^(?:go ahead and|let'?s|help me|try to) (?=\S)/i,
]
const POLITE_END = /[\s,]+(?:please|for me|thanks|thank you|now)$/i

const VERBS =
  'list|ls|show|display|print|read|open|cat|view|search|find|grep|look|run|execute|write|create|make|save|touch|calculate|compute|what|tell|which|where'

const HERE =
  /^(?:here|\.|(?:in )?(?:this|the|my|our) (?:current |working |same )?(?:folder|directory|dir|place|project|repo(?:sitory)?)|(?:the )?(?:current|working) (?:folder|directory|dir)|cwd|it)$/i
const KNOWN_NAMES =
  /^(?:readme|license|licence|makefile|dockerfile|changelog|contributing|authors|notice|gemfile|rakefile|procfile)$/i

/** The request without politeness and without the punctuation around it. */
export function plainRequest(text: string): string {
  let plain = text.trim()
  for (let before = ''; before !== plain; ) {
    before = plain
    for (const pattern of POLITE) plain = plain.replace(pattern, '')
    plain = withoutEnd(plain).replace(POLITE_END, '')
  }
  return plain
}

/** The text without the punctuation at its end; a separate dot, as in `ls ..`, belongs to the text. */
export function withoutEnd(text: string): string {
  return text.replace(/[?!\s]+$/, '').replace(/(?<=[\w)`'"”’])[.,;:]+$/, '')
}

/** What is inside the quotes when the whole text is quoted, else the text. */
export function unquote(text: string): string {
  const match = new RegExp(`^${QUOTED.source}$`, 's').exec(text.trim())
  return match === null ? text.trim() : (match.slice(1).find((group) => group !== undefined) ?? '')
}

/** Whether the whole text is quoted. */
export function isQuoted(text: string): boolean {
  return unquote(text) !== text.trim()
}

/** The first text in backticks, or undefined. */
export function codeSpan(text: string): string | undefined {
  return /`([^`]+)`/.exec(text)?.[1]
}

/** The path that a phrase such as `here`, `the folder "my docs"` or `src/` means; undefined when it means none. */
export function pathFrom(phrase: string | undefined): string | undefined {
  const text = phrase?.trim() ?? ''
  if (text === '' || HERE.test(text)) return '.'
  if (isQuoted(text)) return unquote(text)
  const named = /^(?:(?:the|my|a|this|that) )?(?:file|folder|directory|dir|path)(?: (?:called|named))? (.+)$/i.exec(
    text,
  )
  const typed = /^(?:(?:the|my) )?(\S+) (?:folder|directory|dir|file)$/i.exec(text)
  const name = unquote(named?.[1] ?? typed?.[1] ?? text.replace(/^(?:the|my) (?=\S+$)/i, ''))
  return /^[^\s,;:?!"'`<>|]+$/.test(name) || isQuoted(named?.[1] ?? '') ? name : undefined
}

/** Whether a name is plainly one of a file: it has an extension, or is a name that files have. */
export function looksLikeFile(name: string): boolean {
  const last = name.slice(name.lastIndexOf('/') + 1)
  return /^\.?[^.]+.*\.[A-Za-z0-9_]+$|^\.[A-Za-z]\w+$/.test(last) || KNOWN_NAMES.test(last)
}

/** `a.txt, b.txt and "c d.txt"` as its parts. */
export function splitList(text: string): string[] {
  return splitOutside(text, /\s*,\s*(?:and\s+)?|\s+(?:and|&)\s+/gi).filter((part) => part !== '')
}

/** Requests to be done one after the other: `..., then ...`, and sentences. */
export function splitSteps(text: string): string[] {
  return splitOutside(text, /[\s,;.!?]*\b(?:and\s+)?[Tt]hen\b,?\s+|;\s+|[.!?]\s+(?=[A-Z])/g).filter(
    (part) => part.trim() !== '',
  )
}

/** Requests to be done at once: `read a.txt and list src`. */
export function splitClauses(text: string): string[] {
  const pattern = new RegExp(`(?:\\s*,\\s*(?:and\\s+)?|\\s+(?:and|&)\\s+)(?:also\\s+)?(?=(?:${VERBS})\\b)`, 'gi')
  return splitOutside(text, pattern).filter((part) => part.trim() !== '')
}

/** Splits where the pattern matches outside of quotes. */
function splitOutside(text: string, pattern: RegExp): string[] {
  const masked = text.replace(QUOTED, (quoted) => 'Q'.repeat(quoted.length))
  const parts: string[] = []
  let from = 0
  for (const match of masked.matchAll(pattern)) {
    parts.push(text.slice(from, match.index))
    from = match.index + match[0].length
  }
  return [...parts, text.slice(from)]
}
