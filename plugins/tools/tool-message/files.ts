/** Files that a model names: read through the guard, so that no secret and nothing outside of what it may read leaves. */
import { basename } from 'node:path'
import { errorMessage, SvcError } from 'svc/sdk'
import type { OutboxFile } from 'svc/sdk/platform'
import type { GuardedFiles } from 'svc/sdk/safety'

/** No platform takes more. */
const MAX_BYTES = 100 * 2 ** 20

/** Reads all or none. Throws `MESSAGE_FILE`, or the reason of the signal. */
export async function readFiles(
  paths: readonly string[],
  place: { readonly cwd: string; readonly signal: AbortSignal },
  guard: GuardedFiles | undefined,
): Promise<readonly (OutboxFile & { readonly path: string })[]> {
  if (!guard && paths.length > 0)
    throw new SvcError('MESSAGE_FILE', 'Not sent: nothing here judges which files may leave.')
  const files: (OutboxFile & { readonly path: string })[] = []
  for (const path of paths) if (guard) files.push(await readFile(path, place, guard))
  return files
}

/** The bytes are those of the file that was judged, also when a link is exchanged meanwhile. */
async function readFile(
  asked: string,
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
  guard: GuardedFiles,
): Promise<OutboxFile & { readonly path: string }> {
  const name = basename(asked)
  try {
    const { bytes, size, path } = await guard.read(asked, cwd, { maxBytes: MAX_BYTES + 1, signal })
    if (Math.max(size, bytes.length) > MAX_BYTES)
      throw new Error(`it has ${size} bytes, and at most ${MAX_BYTES} are sent`)
    if (bytes.length === 0) throw new Error('it is empty')
    return { name, bytes, path }
  } catch (cause) {
    signal.throwIfAborted()
    throw new SvcError('MESSAGE_FILE', `Not sent: ${name}: ${errorMessage(cause)}`, { cause })
  }
}
