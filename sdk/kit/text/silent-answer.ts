const SILENT: ReadonlySet<string> = new Set(['', 'NO_REPLY', '[SILENT]'])

/** Whether an answer of a model is, as a whole, one of the words by which it says that it has nothing to say. @since 0.2 */
export function isSilentAnswer(text: string): boolean {
  return SILENT.has(text.trim())
}
