/** What a terminal can do, by the variables that it sets. */
import type { ColorCount } from './colors.ts'
import type { NotificationKind } from './modes.ts'
import { readTerminfo, type Terminfo } from './terminfo.ts'

export interface TerminalKind {
  readonly colors: ColorCount
  /** Switch to the alternate screen and back. */
  readonly enter: string
  readonly leave: string
  /** Undefined: it is not known to show notifications. */
  readonly notifications?: NotificationKind | undefined
}

/** The environment of the terminal. */
export interface TerminalNames {
  readonly term: string | undefined
  readonly colorterm: string | undefined
  readonly noColor: string | undefined
  /** TERM_PROGRAM: which program it is, where it says so. */
  readonly program?: string | undefined
}

/** What a terminal is when nothing is known of it: all that people use speak xterm's language. */
const usual: Terminfo = { colors: 16, isAnsi: true, enter: '\x1b[?1049h', leave: '\x1b[?1049l' }

/** Undefined when it cannot show a full screen. */
export function terminalKind(names: TerminalNames): TerminalKind | undefined {
  const { term } = names
  if (term === undefined || term === 'dumb' || term === 'unknown') return undefined
  const info = readTerminfo(term) ?? usual
  if (!info.isAnsi) return undefined
  return {
    colors: countColors(names, info),
    enter: info.enter || '\x1b[H\x1b[2J',
    leave: info.leave || '\x1b[H\x1b[2J',
    notifications: findNotifications(names),
  }
}

/** In tmux and screen the terminal outside is not known, and they do not pass on what they do not know. */
function findNotifications({ term = '', program = '' }: TerminalNames): NotificationKind | undefined {
  if (/^(tmux|screen)/.test(term)) return undefined
  if (/kitty/.test(term)) return 99
  if (/^(rxvt-unicode|foot)/.test(term)) return 777
  if (/ghostty|wezterm/i.test(`${term} ${program}`)) return 777
  return /^iterm/i.test(program) ? 9 : undefined
}

function countColors({ term = '', colorterm = '', noColor }: TerminalNames, info: Terminfo): ColorCount {
  if (noColor) return 0
  if (/^(truecolor|24bit)$/i.test(colorterm) || /-direct|truecolor|kitty|alacritty|ghostty|wezterm/.test(term))
    return 16777216
  if (info.colors >= 256 || /256/.test(term)) return 256
  return info.colors < 8 ? 0 : 16
}
