/**
 * Files of a Bot API server that runs with `--local`: `getFile` gives a path on the machine of the server, and nothing is downloaded
 * (https://core.telegram.org/bots/api#using-a-local-bot-api-server).
 */
import { createReadStream } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { isAbsolute, relative } from 'node:path'
import { errorMessage, SvcError } from 'svc/sdk'
import { readWithLimit } from 'svc/sdk/platform'

/** Only what lies below the folder of the server is read. Throws `TELEGRAM_FILE` or `PLATFORM_FILE_LARGE`. */
export async function readLocalFile(
  path: string,
  { folder, name, maxBytes, signal }: { folder: string; name: string; maxBytes: number; signal: AbortSignal },
): Promise<Uint8Array> {
  try {
    const [root, file] = await Promise.all([realpath(folder), realpath(path)])
    const inside = relative(root, file)
    if (!isAbsolute(path) || inside === '' || inside.startsWith('..') || isAbsolute(inside))
      throw new SvcError('TELEGRAM_FILE', `The Bot API server names a file outside of ${folder} for ${name}.`)
    return await readWithLimit(createReadStream(file, { signal }), { name, maxBytes })
  } catch (cause) {
    signal.throwIfAborted()
    if (cause instanceof SvcError) throw cause
    const advice = 'Set platforms.telegram.local_dir to the folder of the server, and let svc read it.'
    throw new SvcError('TELEGRAM_FILE', `${name} cannot be read: ${errorMessage(cause)}. ${advice}`, { cause })
  }
}
