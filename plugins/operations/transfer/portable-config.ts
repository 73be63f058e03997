/** config.yaml for another machine: without settings that name files of this one, and without keys. Pure but for `exists`. */
import { type Document, isNode, isScalar, isSeq, type Node, parseDocument, visit } from 'yaml'

export interface PortableConfigOptions {
  /** Whether a path leads to something on this machine. */
  readonly exists: (path: string) => boolean
  /** Hides what is known to be secret; undefined: keys stay. */
  readonly mask: ((text: string) => string) | undefined
}

export interface PortableConfig {
  readonly text: string
  readonly leftOut: readonly { readonly path: string; readonly why: 'path' | 'secret' }[]
}

const SECRET_KEY =
  /(?:^|[_-]|[a-z](?=[A-Z]))(?:key|token|secret|password|passphrase|passwd|authorization|cookie|credential)s?$|apikey$/i
/** A reference to a variable is not a secret. */
const REFERENCE = /^\$\{\w+\}$/
const ABSOLUTE = /^(?:\/[^/]|[A-Za-z]:[\\/]|\\\\)/
const IN_COMMENT = /(#[^\r\n]*?(?:key|token|secret|password)[\w-]*\s*[:=]\s*)(\S[^\r\n]*)/gi

/** Undefined for a text that is not YAML: what is secret in it is not known. */
export function makePortable(text: string, { exists, mask }: PortableConfigOptions): PortableConfig | undefined {
  const document = parseDocument(text)
  if (document.errors.length > 0) return undefined
  const leftOut: { path: readonly unknown[]; why: 'path' | 'secret' }[] = []
  const isSecret = (key: unknown, value: Node) => {
    if (!mask) return false
    const texts = listTexts(value).filter((each) => each !== '' && !REFERENCE.test(each))
    const isNamed = SECRET_KEY.test(String(key)) && texts.length > 0
    return (
      isNamed ||
      (isSeq(value) && hasNamedSecret(value)) ||
      ((isScalar(value) || isSeq(value)) && texts.some((each) => mask(each) !== each))
    )
  }
  const isOfMachine = (value: Node) =>
    (isScalar(value) || isSeq(value)) && listTexts(value).some((each) => ABSOLUTE.test(each) && exists(each))
  visit(document, {
    Pair(_, { key, value }, ancestors) {
      if (!isScalar(key) || !isNode(value)) return
      const above = ancestors.flatMap((node) => ('key' in node && isScalar(node.key) ? [node.key.value] : []))
      // What is in a list of mappings cannot be named by keys alone: the list is judged as a whole by its own pair.
      if (ancestors.some(isSeq)) return
      const why = isSecret(key.value, value) ? 'secret' : isOfMachine(value) ? 'path' : undefined
      if (!why) return
      leftOut.push({ path: [...above, key.value], why })
      return visit.SKIP
    },
  })
  for (const { path } of leftOut) document.deleteIn(path)
  const portable = leftOut.length > 0 ? render(document) : text
  if (portable === undefined) return undefined
  const shown = mask ? mask(portable).replace(IN_COMMENT, '$1***') : portable
  return { text: shown, leftOut: leftOut.map(({ path, why }) => ({ path: path.join('.'), why })) }
}

/** Undefined where something refers to what was taken out. */
function render(document: Document): string | undefined {
  try {
    return document.toString({ lineWidth: 0 })
  } catch {
    // An alias without its anchor.
    return undefined
  }
}

/** Of a list: one of its mappings has a key. */
function hasNamedSecret(list: Node): boolean {
  let isFound = false
  visit(list, {
    Pair(_, { key, value }) {
      if (!isScalar(key) || !isNode(value) || !SECRET_KEY.test(String(key.value))) return
      isFound ||= listTexts(value).some((each) => each !== '' && !REFERENCE.test(each))
    },
  })
  return isFound
}

/** Of a value and all below it. */
function listTexts(value: Node): string[] {
  const texts: string[] = []
  visit(value, {
    Scalar(at, { value: text }) {
      if (at !== 'key' && typeof text === 'string') texts.push(text)
    },
  })
  return texts
}
