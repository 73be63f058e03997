/** Where the gateway listens, as it is said to people: what a socket is bound to, never what one would like it to be. */
import type { CliContext } from 'svc/sdk'
import { paint, safeLine } from 'svc/sdk/kit/terminal'
import type { ListenAddress } from './running-gateway.ts'

/** `webhook       listens    0.0.0.0:8644`. */
export function formatListenAddress({ name, url, bound, isReachable }: ListenAddress): string {
  const place = isReachable ? `${bound} (here: ${url})` : url
  return `${name.padEnd(13)} listens    ${safeLine(place)}`
}

/** What to know of a door that others can come to; undefined when none can. */
export function findListenWarning({ name, bound, isReachable }: ListenAddress): string | undefined {
  if (!isReachable) return undefined
  return `${name} can be reached from other machines: it is bound to ${safeLine(bound)}. Set its host to 127.0.0.1 if they are not meant to.`
}

/** A line for each, with its warning below. */
export function printDoors(io: Pick<CliContext, 'out' | 'color'>, doors: readonly ListenAddress[]): void {
  for (const door of doors) {
    io.out(`  ${formatListenAddress(door)}\n`)
    const warning = findListenWarning(door)
    if (warning !== undefined) io.out(`  ${paint(io, 'yellow', warning)}\n`)
  }
}
