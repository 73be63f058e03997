/** What may follow the slash commands of the display. */
import type { Completion } from 'svc/sdk'
import type { Setting } from './switch.ts'

/** The choices that begin with what was typed, and other words that the command knows. */
export async function complete(
  setting: Setting,
  words: readonly string[],
  args: string,
): Promise<readonly Completion[]> {
  const typed = args.trimStart()
  const from = args.length - typed.length
  const choices = await setting.choices()
  const others = words.filter((word) => !choices.some(({ id }) => id === word)).map((id) => ({ id }))
  return [...choices, ...others]
    .filter(({ id }) => id.toLowerCase().startsWith(typed.toLowerCase()))
    .map((choice) => {
      const { id, label, detail } = { label: undefined, detail: undefined, ...choice }
      const said = [label, detail].filter((part) => part !== undefined && part !== '').join(', ')
      return { text: id, from, ...(said !== '' && { detail: said }) }
    })
}
