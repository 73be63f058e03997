/** People of the stand-in for Telegram, and how the service marks what they write. */

/** People and groups have numbers. */
export function createNumber(name: string): string {
  return String([...name].reduce((sum, one) => (sum * 31 + one.charCodeAt(0)) % 1e9, 7))
}

/** A command at the beginning is marked. */
export function commandIn(text: string): { readonly type: string; readonly offset: number; readonly length: number }[] {
  const [command] = /^\/\w+(@\w+)?/.exec(text) ?? []
  return command ? [{ type: 'bot_command', offset: 0, length: command.length }] : []
}
