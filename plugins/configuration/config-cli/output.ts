/** How values are printed. */

/** JSON for programs. */
export function toJson(value: unknown): string {
  return `${JSON.stringify(value ?? null, undefined, 2)}\n`
}

/** A value beside its key: texts bare, anything else as JSON. */
export function oneLine(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value)
}
