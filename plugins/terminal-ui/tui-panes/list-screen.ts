/** A screen that is a list: hands keys to the list, and those that do something to the screen's owner. */
import type { OverlayView, StyledLine, TerminalInput } from 'svc/sdk/terminal'
import type { List } from './list.ts'

type Outcome = ReturnType<OverlayView['input']>

/** What makes one list different from another. */
export interface ListScreen<Item> {
  readonly list: List<Item>
  /** Keys for the last row. */
  keys(): string
  /** A key with the item below the cursor. Single characters come only while none goes into the filter. */
  key(name: string, item: Item | undefined): Outcome
  /** Takes input before the list does, or leaves it by `undefined`: while a text is typed in. */
  before?(input: TerminalInput): Outcome | undefined
  /** A word to the user, in the place of the details. */
  note?(): StyledLine | undefined
  /** A picture is about to be made. */
  looked?(): void
  close?(): void
}

export function listScreen<Item>(screen: ListScreen<Item>): OverlayView {
  return {
    lines(room) {
      screen.looked?.()
      return screen.list.lines(room, screen.note?.())
    },
    get keys() {
      return screen.keys()
    },
    input: (input) => screen.before?.(input) ?? take(screen, input),
    close: () => screen.close?.(),
  }
}

function take<Item>(screen: ListScreen<Item>, input: TerminalInput): Outcome {
  switch (input.type) {
    case 'key':
      return isCharacter(input.name) ? takeCharacter(screen, input.name) : takeKey(screen, input.name)
    case 'text':
      return takeText(screen, input.text)
    case 'paste':
      screen.list.type(input.text)
      return 'taken'
    case 'mouse':
      return screen.list.key(input.action) ? 'taken' : 'ignored'
    default:
      return 'ignored'
  }
}

function takeKey<Item>(screen: ListScreen<Item>, name: string): Outcome {
  if (name === 'escape') {
    // A pending two-letter command can be cancelled without leaving the screen.
    const outcome = screen.key(name, screen.list.selected)
    if (outcome !== 'ignored') return outcome
    return screen.list.clear() ? 'taken' : 'close'
  }
  if (name === 'space') return takeCharacter(screen, ' ')
  const outcome = screen.key(name, screen.list.selected)
  if (outcome !== 'ignored') return outcome
  return screen.list.key(name) ? 'taken' : 'ignored'
}

/** Letters that were typed fast come together. */
function takeText<Item>(screen: ListScreen<Item>, text: string): Outcome {
  if (screen.list.typing) {
    screen.list.type(text)
    return 'taken'
  }
  for (const character of text) {
    const outcome = takeCharacter(screen, character)
    if (outcome === 'close') return outcome
  }
  return 'taken'
}

function takeCharacter<Item>(screen: ListScreen<Item>, character: string): Outcome {
  const { list } = screen
  const outcome = list.typing ? 'ignored' : screen.key(character, list.selected)
  if (outcome !== 'ignored') return outcome
  list.type(character === '/' && !list.typing ? '' : character)
  return 'taken'
}

/** Names of other keys are words, or have a modifier before them. */
function isCharacter(name: string): boolean {
  return /^\P{C}$/u.test(name)
}
