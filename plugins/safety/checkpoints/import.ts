/** Puts files into the store: one `git fast-import`, whatever their number. Source: git-fast-import(1). */
import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync } from 'node:fs'
import { SvcError } from 'svc/sdk'
import type { FileState } from './cache.ts'
import type { Git, GitPipe } from './git.ts'
import { toPathBytes } from './path.ts'
import { createStatMark } from './scan-files.ts'

/** What is to be put there. */
export interface Import {
  readonly root: string
  /** Where the state is noted, so that its objects are kept. */
  readonly ref: string
  /** The tree that it differs from; left out: all files are `changed`. */
  readonly base: string | undefined
  readonly gone: readonly string[]
  readonly changed: readonly string[]
  /** Where their content comes from; left out: from the files of this machine. */
  readonly read?: (path: string) => Promise<Content | 'gone' | 'unreadable'>
  readonly files: ReadonlyMap<string, FileState>
  /** Seconds since 1970. */
  readonly at: number
  /** The message, with a list of files that could not be read. */
  readonly message: (unreadable: readonly string[]) => string
  /** The ref that makes a snapshot of it; undefined if it is not a snapshot. */
  readonly keep: (tree: string) => string | undefined
}

/** What was put there. */
export interface Imported {
  readonly id: string
  readonly tree: string
  readonly unreadable: readonly string[]
  /** Files that changed while they were read, or were removed. */
  readonly unsure: readonly string[]
}

/** All or nothing: a process that ends half way leaves no trace in the refs. Throws `CHECKPOINT_GIT`. */
export async function importFiles(git: Git, wanted: Import): Promise<Imported> {
  const talk = git.talk(['fast-import', '--quiet', '--force', '--done', '--date-format=raw'])
  try {
    const blobs = await writeBlobs(talk, wanted)
    const { changes, ...rest } = blobs
    const message = Buffer.from(wanted.message(rest.unreadable))
    await talk.write(
      `commit ${wanted.ref}\nmark :1\ncommitter svc <svc@localhost> ${wanted.at} +0000\ndata ${message.length}\n`,
    )
    await talk.write(message)
    await talk.write(wanted.base === undefined ? '\ndeleteall\n' : `\nM 040000 ${wanted.base} ""\n`)
    await talk.write(wanted.gone.map((path) => `D ${quotePath(path)}\n`).join(''))
    await talk.write(`${changes.join('')}ls ""\n\nget-mark :1\n`)
    const [, tree] = /^040000 tree ([0-9a-f]+)\t/.exec((await talk.output.line()) ?? '') ?? []
    const id = await talk.output.line()
    const ref = tree && wanted.keep(tree)
    await talk.write(`${ref ? `reset ${ref}\nfrom :1\n\n` : ''}done\n`)
    await talk.end()
    if (!tree || !id) throw new SvcError('CHECKPOINT_GIT', 'git fast-import: it did not say what it made')
    return { tree, id, ...rest }
  } catch (error) {
    talk.kill()
    throw error
  }
}

async function writeBlobs(talk: GitPipe, { root, changed, files, read }: Import) {
  const result = { changes: [] as string[], unreadable: [] as string[], unsure: [] as string[] }
  for (const [at, path] of changed.entries()) {
    const look = files.get(path) as FileState
    const content = read ? await read(path) : readContent(root, path, look)
    if (typeof content === 'string') {
      result[content === 'unreadable' ? 'unreadable' : 'unsure'].push(path)
      result.changes.push(`D ${quotePath(path)}\n`)
      continue
    }
    if (!content.sure) result.unsure.push(path)
    // Mark 1 is the commit.
    const mark = at + 2
    await talk.write(`blob\nmark :${mark}\ndata ${content.bytes.length}\n`)
    await talk.write(content.bytes)
    await talk.write('\n')
    result.changes.push(`M ${toGitMode(look)} :${mark} ${quotePath(path)}\n`)
  }
  return result
}

function toGitMode({ link, mode }: FileState): string {
  if (link) return '120000'
  return mode & 0o100 ? '100755' : '100644'
}

/** As git reads paths: in double quotes, with escapes for all that is not plain. */
function quotePath(path: string): string {
  const plain = path.replace(/["\\\u0000-\u001f\u007f-\u00ff]/g, (sign) => {
    return `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`
  })
  return `"${plain}"`
}

/** `sure`: it did not change while it was read. */
export interface Content {
  readonly bytes: Buffer
  readonly sure: boolean
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
/** The file was removed or replaced. */
const GONE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL', 'ENXIO'])

/** Does not follow links or block on pipes. `gone` if it was removed; `unreadable` if it exists. */
function readContent(root: string, path: string, look: FileState): Content | 'gone' | 'unreadable' {
  const place = toPathBytes(root, path)
  try {
    if (look.link) return { bytes: readlinkSync(place, { encoding: 'buffer' }), sure: true }
    const file = openSync(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      const before = fstatSync(file)
      if (!before.isFile()) return 'gone'
      const bytes = readFileSync(file)
      const after = fstatSync(file)
      return { bytes, sure: createStatMark(before) === createStatMark(after) && after.size === bytes.length }
    } finally {
      closeSync(file)
    }
  } catch (error) {
    return GONE.has((error as NodeJS.ErrnoException).code ?? '') ? 'gone' : 'unreadable'
  }
}
