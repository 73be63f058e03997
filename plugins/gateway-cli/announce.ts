/** What a gateway says while it runs: a line for people, or one of JSON for programs. */
import type { CliIo, PlatformState, PlatformStatus } from 'svc/sdk'

const codes = { bold: '1', dim: '2', red: '31', green: '32', yellow: '33' } as const
type Style = keyof typeof codes

/** Something that happened. */
export interface Notice {
  readonly type: 'gateway' | 'door' | 'warning' | 'supervisor'
  readonly message: string
  readonly style?: Style
  readonly facts?: Readonly<Record<string, unknown>>
}

/** Where it is said, and when. */
export interface Announcer {
  notice(notice: Notice): void
  platform(status: PlatformStatus): void
}

/** What is announced is part of the answer, so it goes to standard output; warnings go beside it. */
export function announcer(
  io: Pick<CliIo, 'out' | 'err' | 'color'>,
  form: 'text' | 'json',
  now: () => number,
): Announcer {
  const json = (event: object) => io.out(`${JSON.stringify({ at: new Date(now()).toISOString(), ...event })}\n`)
  return {
    notice({ type, message, style, facts }) {
      if (form === 'json') return json({ type, message, ...facts })
      const text = `${paint(io, style, oneLine(message))}\n`
      if (type === 'warning') io.err(text)
      else io.out(text)
    },
    platform(status) {
      if (form === 'json') json({ type: 'platform', ...status })
      else if (status.state !== 'connecting' && status.state !== 'disabled') io.out(`${platformLine(io, status)}\n`)
    },
  }
}

const styles: Readonly<Record<PlatformState, Style>> = {
  connected: 'green',
  connecting: 'dim',
  degraded: 'yellow',
  retrying: 'yellow',
  paused: 'dim',
  disabled: 'dim',
  fatal: 'red',
}

/** `telegram    connected`, with the reason where there is one. */
export function platformLine(io: Pick<CliIo, 'color'>, status: PlatformStatus, more = ''): string {
  const { name, state, reason } = status
  const said = [reason && oneLine(reason), more].filter(Boolean).join(' ')
  return `${name.padEnd(13)} ${paint(io, styles[state], state.padEnd(10))} ${said}`.trimEnd()
}

/** In colour where the terminal shows colours; `color` follows https://no-color.org. */
export function paint(io: Pick<CliIo, 'color'>, style: Style | undefined, text: string): string {
  return io.color && style ? `\u001b[${codes[style]}m${text}\u001b[0m` : text
}

/** Without what could steer a terminal. */
export function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim()
}
