/** `${NAME}` in the texts of config.yaml, expanded as the kernel does when it reads the file. */

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** The value of a variable, or undefined when it is not set. */
export type Lookup = (name: string) => string | undefined

/** The variables that a text refers to. */
export function referencesIn(text: string): string[] {
  return [...text.matchAll(reference)].map(([, name]) => name as string)
}

/** The name when the text is one reference and nothing else. */
export function soleReference(value: unknown): string | undefined {
  return typeof value === 'string' ? /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(value)?.[1] : undefined
}

/** A value with all references replaced; one to an unset variable stays as it is written. */
export function expand(value: unknown, lookup: Lookup): unknown {
  if (typeof value === 'string') return value.replace(reference, (whole, name: string) => lookup(name) ?? whole)
  if (Array.isArray(value)) return value.map((item) => expand(item, lookup))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expand(item, lookup)]))
}
