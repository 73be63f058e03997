/** What a gateway says while it runs: a line for people, or one of JSON for programs. */
import type { CliContext } from 'svc/sdk'
import { paint, safeLine, type TextStyle } from 'svc/sdk/kit/terminal'
import type { PlatformState, PlatformStatus } from 'svc/sdk/platform'

/** Something that happened. */
export interface Notice {
  readonly type: 'gateway' | 'door' | 'warning' | 'supervisor'
  readonly message: string
  readonly style?: TextStyle
  readonly facts?: Readonly<Record<string, unknown>>
}

/** Where it is said, and when. */
export interface Announcer {
  notice(notice: Notice): void
  platform(status: PlatformStatus): void
}

/** Announcements are output, so they go to standard output; warnings go to standard error. */
export function announcer(
  io: Pick<CliContext, 'out' | 'err' | 'color'>,
  form: 'text' | 'json',
  now: () => number,
): Announcer {
  const json = (event: object) => io.out(`${JSON.stringify({ at: new Date(now()).toISOString(), ...event })}\n`)
  return {
    notice({ type, message, style, facts }) {
      if (form === 'json') return json({ type, message, ...facts })
      const text = `${paint(io, style, safeLine(message))}\n`
      if (type === 'warning') io.err(text)
      else io.out(text)
    },
    platform(status) {
      if (form === 'json') json({ type: 'platform', ...status })
      else if (status.state !== 'connecting' && status.state !== 'disabled') io.out(`${platformLine(io, status)}\n`)
    },
  }
}

const styles: Readonly<Record<PlatformState, TextStyle>> = {
  connected: 'green',
  connecting: 'dim',
  degraded: 'yellow',
  retrying: 'yellow',
  paused: 'dim',
  disabled: 'dim',
  fatal: 'red',
}

/** `telegram    connected`, with the reason where there is one. */
export function platformLine(io: Pick<CliContext, 'color'>, status: PlatformStatus, more = ''): string {
  const { name, state, reason } = status
  const said = [reason && safeLine(reason), more].filter(Boolean).join(' ')
  return `${name.padEnd(13)} ${paint(io, styles[state], state.padEnd(10))} ${said}`.trimEnd()
}
