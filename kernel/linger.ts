/** The end of a process whose command is done: what a plugin left open does not keep it alive. */

/** Long enough for what closes in passing, such as a connection that is kept for another request. */
const LINGER_MS = 1000

/**
 * Ends the process a moment after its command has ended, if something still keeps it alive, and says what. Output that
 * waits for its reader is waited for. Costs nothing when nothing is left: the timer itself keeps no process alive.
 */
export function endSoon(plugins: readonly string[], say: (text: string) => void): void {
  const end = () => {
    if (process.stdout.writableLength + process.stderr.writableLength > 0) return again()
    const held = [...counted(process.getActiveResourcesInfo())].filter(([kind]) => !isOwn(kind))
    const what = held.map(([kind, count]) => `${count} ${kind}`).join(', ')
    const whose = plugins.length > 0 ? ` A plugin did not release it: one of ${plugins.join(', ')}?` : ''
    if (what) say(`svc: the command has ended, but ${what} were still open.${whose} SVC_AUDIT=1 names it.\n`)
    process.exit()
  }
  const again = () => void setTimeout(end, LINGER_MS).unref()
  again()
}

/** Standard streams. */
function isOwn(kind: string): boolean {
  return ['TTYWrap', 'PipeWrap', 'FSReqCallback'].includes(kind)
}

function counted(kinds: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}
