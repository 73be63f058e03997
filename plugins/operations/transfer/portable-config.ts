/** config.yaml for another machine: without settings that name files of this one, and without keys. Pure but for `exists`. */
import { isSecretSetting, isVariableReference, maskSecretComments } from 'svc/sdk/kit/text'
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

const ABSOLUTE = /^(?:\/[^/]|[A-Za-z]:[\\/]|\\\\)/

/** Undefined for a text that is not YAML: what is secret in it is not known. */
export function makePortable(text: string, { exists, mask }: PortableConfigOptions): PortableConfig | undefined {
  const document = parseDocument(text)
  if (document.errors.length > 0) return undefined
  const leftOut: { path: readonly unknown[]; why: 'path' | 'secret' }[] = []
  const isSecret = (key: unknown, value: Node) => {
    if (!mask) return false
    const texts = listTexts(value).filter((each) => each !== '' && !isVariableReference(each))
    const isNamed = isSecretSetting(String(key)) && texts.length > 0
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
  const shown = mask ? maskSecretComments(mask(portable)) : portable
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
      if (!isScalar(key) || !isNode(value) || !isSecretSetting(String(key.value))) return
      isFound ||= listTexts(value).some((each) => each !== '' && !isVariableReference(each))
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
