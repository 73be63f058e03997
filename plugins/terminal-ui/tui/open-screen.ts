/** A screen of any plugin, opened so that its faults are charged to its plugin. */
import type { ContributionRegistry } from 'svc/sdk/host'
import type { Overlay, OverlayView, StyledLine, TuiContext } from 'svc/sdk/terminal'

const FAILED = 'Esc close'

/** What the screen shows; undefined if it cannot be opened. A screen that fails later closes at the next key. */
export function openCharged(
  screen: Overlay,
  screens: ContributionRegistry<Overlay>,
  ui: TuiContext,
): OverlayView | undefined {
  const view = screens.attempt(screen, () => screen.open(ui), isView)
  return (
    view && {
      lines: (room) => screens.attempt(screen, () => view.lines(room).slice(0, room.rows), isLines) ?? [],
      input: (input) => screens.attempt(screen, () => view.input(input), isOutcome) ?? 'close',
      get keys() {
        return screens.attempt(screen, () => view.keys, isText) ?? FAILED
      },
      get cursor() {
        return screens.attempt(screen, () => view.cursor)
      },
      get releases() {
        return screens.attempt(screen, () => view.releases === true) ?? false
      },
      close: () => screens.attempt(screen, () => view.close?.()),
    }
  )
}

/** Whether a value is a line: spans with a text each. */
export function isLine(value: unknown): value is StyledLine {
  return Array.isArray(value) && value.every((span) => isText((span as { text?: unknown } | null)?.text))
}

export function isLines(value: unknown): boolean {
  return Array.isArray(value) && value.every(isLine)
}

export const isText = (value: unknown) => typeof value === 'string'
export const isOutcome = (value: unknown) => ['taken', 'ignored', 'close'].includes(value as string)
export const isView = (value: unknown) => {
  const { lines, input } = (value ?? {}) as Record<string, unknown>
  return typeof lines === 'function' && typeof input === 'function'
}
