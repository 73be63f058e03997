/** The end of a process whose command is done: what a plugin left open does not keep it alive. */

/** Long enough for handles that close on their own, such as a keep-alive connection. */
const LINGER_MS = 700

/** What is open by kind, by plugin. */
type Held = ReadonlyMap<string, Readonly<Record<string, number>>>

/**
 * Ends the process a moment after its command has ended, if something still keeps it alive, and reports what and whose it is.
 * Output that waits for its reader is waited for. Costs nothing when nothing is left: the timer itself keeps no process alive.
 */
export function endSoon(held: () => Held, say: (text: string) => void): void {
  const end = () => {
    if (process.stdout.writableLength + process.stderr.writableLength > 0) return again()
    const whose = [...held()].map(([plugin, counts]) => `${plugin} (${formatCounts(Object.entries(counts))})`)
    const kinds = [...countKinds(process.getActiveResourcesInfo())].filter(([kind]) => !isOwn(kind))
    if (whose.length > 0)
      say(`svc: the command has ended, but plugins still held something open: ${whose.join(', ')}.\n`)
    else if (kinds.length > 0)
      say(`svc: the command has ended, but ${formatCounts(kinds)} were still open. SVC_AUDIT=1 names the plugin.\n`)
    process.exit()
  }
  const again = () => void setTimeout(end, LINGER_MS).unref()
  again()
}

function formatCounts(counts: readonly (readonly [kind: string, count: number])[]): string {
  return counts.map(([kind, count]) => `${count} ${kind}`).join(', ')
}

/** Standard streams. */
function isOwn(kind: string): boolean {
  return ['TTYWrap', 'PipeWrap', 'FSReqCallback'].includes(kind)
}

function countKinds(kinds: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}
