/** Which files of a message are one message of a platform, and which of them it does not take. */
import type { Outbox, Platform } from 'svc/sdk/platform'
import type { KeptFile } from './store.ts'

type DeclinedFile = ReturnType<Outbox['send']>['declined'][number]

/** Files by their places in the message. */
export interface FilePlan {
  readonly albums: readonly (readonly number[])[]
  readonly declined: readonly (DeclinedFile & { readonly index: number })[]
}

/** Albums are in the order of their first files. */
export function planFiles(files: readonly KeptFile[], { limits, label }: Pick<Platform, 'limits' | 'label'>): FilePlan {
  const declined: (DeclinedFile & { readonly index: number })[] = []
  const albums: { readonly group: string | undefined; readonly members: number[]; bytes: number }[] = []
  const maxBytes = limits.albumBytes ?? Number.POSITIVE_INFINITY
  const most = Math.max(1, limits.album ?? 1)
  for (const [index, file] of files.entries()) {
    const reason = refusal(file, limits.files, label)
    if (reason !== undefined) {
      declined.push({ index, name: file.name, reason })
      continue
    }
    const group = file.isVoice ? undefined : findAlbumGroup(file.kind, limits.albumKinds)
    const open = albums.findLast((album) => group !== undefined && album.group === group)
    if (open && open.members.length < most && open.bytes + file.size <= maxBytes) {
      open.members.push(index)
      open.bytes += file.size
    } else albums.push({ group, members: [index], bytes: file.size })
  }
  return { albums: albums.map(({ members }) => members), declined }
}

/** What the chat reads in place of files. The path says nothing to people elsewhere, and is not theirs to know. */
export function declinedText(declined: readonly DeclinedFile[]): string {
  const lines = declined.map(({ name, reason }) => `📎 ${name.replaceAll('`', "'")}: ${reason}.`)
  const rest = declined.length === 1 ? 'The file stays on the machine of svc.' : 'The files stay on the machine of svc.'
  return [...lines, rest].join('\n\n')
}

/** `12.3 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 999_950 ? `${Number((bytes / 1e3).toFixed(1))} kB` : `${Number((bytes / 1e6).toFixed(1))} MB`
}

function refusal({ size }: KeptFile, max: number | undefined, label: string): string | undefined {
  if (max === undefined) return `${label} takes no files`
  return size > max ? `${label} takes files of at most ${sizeText(max)}, and this one has ${sizeText(size)}` : undefined
}

/** Files of one group may be in one album; a kind in no group is sent alone. */
function findAlbumGroup(kind: KeptFile['kind'], groups: Platform['limits']['albumKinds']): string | undefined {
  return groups ? groups.find((group) => group.includes(kind))?.join() : 'any'
}
