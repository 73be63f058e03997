/** Finds tools by words: BM25 (Robertson and Zaragoza, 2009) over names, toolsets, descriptions and parameters. */
import type { RegisteredTool } from 'svc/sdk/host'
import { toDefinition } from './definition.ts'

/** How soon more of the same word says nothing new, and how much long texts are held back. */
const SATURATION = 1.2
const LENGTH_WEIGHT = 0.4
/** A word in a name says more than one in a text. */
const NAME_WEIGHT = 3
const TOOLSET_WEIGHT = 2
/** What the beginning of a word counts: `screens` finds `screenshot`. */
const PREFIX_WEIGHT = 0.6
const SHORTEST_PREFIX = 3

interface Document {
  readonly tool: RegisteredTool
  readonly words: ReadonlyMap<string, number>
  readonly length: number
}

/** The tools that have something to do with the query, the best first. */
export function rank(query: string, tools: readonly RegisteredTool[], limit: number): readonly RegisteredTool[] {
  const documents = tools.map(createDocument)
  const average = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, documents.length)
  const terms = [...new Set(splitWords(query))]
  const weights = new Map(terms.map((term) => [term, rarity(term, documents)]))
  return documents
    .map(({ tool, ...document }) => {
      const norm = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * document.length) / Math.max(1, average))
      const parts = terms.map((term) => {
        const count = occurrences(term, document.words)
        return ((weights.get(term) ?? 0) * count * (SATURATION + 1)) / (count + norm)
      })
      const exact = tool.name === query.trim() ? Number.MAX_SAFE_INTEGER : 0
      return { tool, score: parts.reduce((sum, part) => sum + part, exact) }
    })
    .filter(({ score }) => score > 0)
    .sort((one, two) => two.score - one.score || (one.tool.name < two.tool.name ? -1 : 1))
    .slice(0, limit)
    .map(({ tool }) => tool)
}

/** Words in lower case, singular: `takeScreenshots` is `take` and `screenshot`. */
function splitWords(text: string): string[] {
  const words =
    text
      .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return words.map((word) => (word.length > 3 ? word.replace(/(?<=[^s])s$/, '') : word))
}

function createDocument(tool: RegisteredTool): Document {
  const { description, parameters } = toDefinition(tool)
  const words = new Map<string, number>()
  const count = (text: string, weight: number) => {
    for (const word of splitWords(text)) words.set(word, (words.get(word) ?? 0) + weight)
  }
  count(tool.name, NAME_WEIGHT)
  count(tool.toolset, TOOLSET_WEIGHT)
  count(description, 1)
  count(Object.keys((parameters['properties'] ?? {}) as object).join(' '), 1)
  return { tool, words, length: [...words.values()].reduce((sum, each) => sum + each, 0) }
}

function occurrences(term: string, words: ReadonlyMap<string, number>): number {
  const whole = words.get(term)
  if (whole !== undefined) return whole
  let partly = 0
  for (const [word, count] of words) if (isBeginning(term, word)) partly += count * PREFIX_WEIGHT
  return partly
}

function isBeginning(one: string, two: string): boolean {
  const shorter = Math.min(one.length, two.length)
  return shorter >= SHORTEST_PREFIX && (one.startsWith(two) || two.startsWith(one))
}

/** Words that few tools have tell more; those that all have tell a little. */
function rarity(term: string, documents: readonly Document[]): number {
  const having = documents.filter(({ words }) => occurrences(term, words) > 0).length
  return Math.log(1 + (documents.length - having + 0.5) / (having + 0.5))
}
