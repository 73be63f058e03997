/** Looks into plain data of any shape: what a model wrote, or what was stored by another version. */

/** @since 0.1 */
export function field(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as Readonly<Record<string, unknown>>)[key]
}

/** The text there, if it is one. @since 0.1 */
export function textIn(value: unknown, key: string): string | undefined {
  const found = field(value, key)
  return typeof found === 'string' ? found : undefined
}

/** The number there, if it is a finite one. @since 0.1 */
export function numberIn(value: unknown, key: string): number | undefined {
  const found = field(value, key)
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined
}

/** The list at this key; empty if it is not a list. @since 0.1 */
export function listIn(value: unknown, key: string): readonly unknown[] {
  const found = field(value, key)
  return Array.isArray(found) ? found : []
}
