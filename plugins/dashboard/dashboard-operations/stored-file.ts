/** A file of one folder as a download, as it was when it was opened. */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { SvcError } from 'svc/sdk'
import { type DashboardReply, dashboardReply } from 'svc/sdk/dashboard'

/** `file` is an absolute path. Throws `DASHBOARD_STORED_FILE`. */
export async function sendStoredFile(file: string): Promise<DashboardReply> {
  // A link is not followed: it may lead out of the folder.
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW).catch((cause: unknown) => {
    throw absent(file, cause)
  })
  const stats = await handle.stat()
  if (!stats.isFile()) {
    await handle.close()
    throw absent(file)
  }
  return dashboardReply({
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(stats.size),
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(basename(file))}`,
      'cache-control': 'no-store',
    },
    body: (async function* () {
      try {
        // What is appended meanwhile is not sent: the length was told.
        if (stats.size > 0) yield* handle.createReadStream({ autoClose: false, end: stats.size - 1 })
      } finally {
        await handle.close()
      }
    })(),
  })
}

function absent(file: string, cause?: unknown): SvcError {
  const message = `${basename(file)} is no file in ${dirname(file)}.`
  return new SvcError('DASHBOARD_STORED_FILE', message, { status: 404, cause })
}
