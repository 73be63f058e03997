/** Two apps of one server that answer the same path. */
import { SvcError } from 'svc/sdk'
import type { Listener } from './listener.ts'

export interface PathTaken {
  readonly path: string
  readonly owner: Listener
  readonly other: Listener
}

/** Whether `other` is the same app as `listener` in an earlier generation of its plugin. */
export function isOlder(other: Listener, listener: Listener): boolean {
  return (
    other.caller?.plugin === listener.caller?.plugin &&
    other.app.name === listener.app.name &&
    other.app.prefix === listener.app.prefix
  )
}

/** The error names both plugins, and the one to disable. */
export function pathTaken({ path, owner, other }: PathTaken): SvcError {
  const place = `"${path}" on ${owner.app.host}:${owner.app.port}`
  return new SvcError(
    'HTTP_PATH_TAKEN',
    `${formatOwner(owner)} and ${formatOwner(other)} both want ${place}. Give one of them another port or path, or disable one.`,
  )
}

function formatOwner({ app, caller }: Listener): string {
  return caller ? `${app.name} (plugin ${caller.plugin})` : app.name
}
