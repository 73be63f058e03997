/** The tool a model means when it does not quite say its name. */
import { distance } from 'fastest-levenshtein'

/** The least likeness, 0 to 1, at which a name counts as a slip of the pen. */
const LIKENESS = 0.7

/** The name of a tool there is, or undefined. `ReadFile`, `read-file` and `read_file_tool` all mean `read_file`. */
export function meantTool(typed: string, names: readonly string[]): string | undefined {
  const plain = snake(typed)
  const exact = names.find((name) => name === plain) ?? names.find((name) => name === plain.replace(/_?tool$/, ''))
  if (exact) return exact
  const scored = names.map((name) => ({
    name,
    likeness: 1 - distance(plain, name) / Math.max(plain.length, name.length),
  }))
  const [best, second] = scored.sort((a, b) => b.likeness - a.likeness)
  return best && best.likeness >= LIKENESS && best.likeness > (second?.likeness ?? 0) ? best.name : undefined
}

function snake(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase()
}
