/** The modes of a terminal that is taken over. https://invisible-island.net/xterm/ctlseqs/ctlseqs.html */
import type { TerminalKind } from './terminal-kind.ts'

/** What is asked for besides the screen. */
export interface ScreenOptions {
  readonly mouse: boolean
}

/** Takes the terminal over. What a terminal does not know it ignores. */
export function takeOver({ enter }: TerminalKind, { mouse }: ScreenOptions): string {
  return [
    // The title is put on the terminal's stack.
    '\x1b[22;2t',
    enter,
    // No wrapping at the edge, bracketed paste, focus reports.
    '\x1b[?7l\x1b[?2004h\x1b[?1004h',
    mouse ? captureMouse(true) : '',
    // Keys that would look the same, such as Enter with Shift: xterm's way and kitty's.
    '\x1b[>4;1m\x1b[>1u',
    // Last: where the first of these is not known it may be taken for an underline.
    '\x1b[m\x1b[?25l',
  ].join('')
}

/** Gives it back. The end of a string first: a crash may have cut one off. */
export function giveBack({ leave }: TerminalKind, { mouse }: ScreenOptions): string {
  return [
    '\x1b\\\x1b[?2026l\x1b]8;;\x1b\\',
    '\x1b[<u\x1b[>4m',
    mouse ? captureMouse(false) : '',
    '\x1b[?1004l\x1b[?2004l\x1b[?7h',
    '\x1b[m\x1b[?25h',
    leave,
    '\x1b[23;2t',
  ].join('')
}

/** Presses, drags and the wheel, with decimal places. */
export function captureMouse(captured: boolean): string {
  return captured ? '\x1b[?1000h\x1b[?1002h\x1b[?1006h' : '\x1b[?1006l\x1b[?1002l\x1b[?1000l'
}

/** A title without anything that would end it. */
export function createTitleSequence(text: string): string {
  return `\x1b]2;${text.replace(/[\x00-\x1f\x7f-\x9f]/g, ' ').slice(0, 200)}\x1b\\`
}

/** OSC 52: into the clipboard. */
export function clipboard(text: string): string {
  return `\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`
}

/** Key releases in addition to what `takeOver` asks for (kitty's protocol): flags 1 and 2 of the entry that is in force. */
export function reportReleases(on: boolean): string {
  return on ? '\x1b[=3;1u' : '\x1b[=1;1u'
}

/** How a terminal is asked for a notification: by kitty's OSC 99, iTerm2's OSC 9 or urxvt's OSC 777. */
export type NotificationKind = 9 | 99 | 777

/**
 * https://sw.kovidgoyal.net/kitty/desktop-notifications, https://iterm2.com/documentation-escape-codes.html; OSC 777 is that of
 * the extension `notify` of rxvt-unicode, which foot, Ghostty and WezTerm took over.
 */
export function createNotification(kind: NotificationKind, title: string, body: string): string {
  const [head, rest] = [cleanText(title), cleanText(body)]
  if (kind === 99) {
    const id = 'i=svc'
    return rest
      ? `\x1b]99;${id}:d=0;${head}\x1b\\\x1b]99;${id}:d=1:p=body;${rest}\x1b\\`
      : `\x1b]99;${id};${head}\x1b\\`
  }
  // A semicolon separates the title from the body.
  if (kind === 777) return `\x1b]777;notify;${head.replaceAll(';', ',')};${rest}\x1b\\`
  // ConEmu and Windows Terminal read a number and a semicolon at the beginning as another request.
  return `\x1b]9;${[head, rest]
    .filter(Boolean)
    .join(': ')
    .replace(/^(?=\d+;)/, ' ')}\x07`
}

const MAX_TEXT = 200

function cleanText(text: string): string {
  return text
    .replace(/[\x00-\x1f\x7f-\x9f]/g, ' ')
    .slice(0, MAX_TEXT)
    .trim()
}
