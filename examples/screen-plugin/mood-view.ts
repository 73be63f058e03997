/** A list of moods with a line for the user's own word. */
import type { OverlayView, StyledLine, TerminalInput, TuiContext } from 'svc/sdk/terminal'

export const MOODS: readonly string[] = ['calm', 'curious', 'in a hurry']

/** `done` ends the view with what was chosen. */
export function moodView(ui: Pick<TuiContext, 'field'>, wanted: string, done: (mood?: string) => void): OverlayView {
  const own = ui.field()
  own.insert(wanted)
  let at = 0
  const keys: Readonly<Record<string, () => void>> = {
    up: () => {
      at = (at + MOODS.length - 1) % MOODS.length
    },
    down: () => {
      at = (at + 1) % MOODS.length
    },
    enter: () => done(own.isEmpty ? MOODS[at] : own.text),
  }
  return {
    keys: 'Enter choose · Esc close',
    lines({ rows }) {
      const moods = MOODS.map((mood, index): StyledLine => {
        return index === at ? [{ text: `❯ ${mood}`, role: 'selected' }] : [{ text: `  ${mood}` }]
      })
      const line: StyledLine = [{ text: '✎ ', color: '#ffaa33' }, { text: own.text }]
      return [line, ...moods].slice(0, rows)
    },
    get cursor() {
      return { row: 0, column: 2 + own.before.length }
    },
    input(input: TerminalInput) {
      if (input.type === 'text') own.insert(input.text)
      if (input.type !== 'key') return input.type === 'text' ? 'taken' : 'ignored'
      const work = keys[input.name]
      if (work) work()
      else if (!own.key(input.name)) return 'ignored'
      return 'taken'
    },
  }
}
