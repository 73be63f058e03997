/**
 * The pipe through which a shell's output comes in. Node gives children a socket, which programs cannot open again
 * (`echo problem > /dev/stderr` fails with ENXIO on Linux); a named pipe behaves like the one of any other shell.
 */
import { execFile } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Both ends. The caller closes `writer` (a file descriptor) once the child has it, and destroys `reader`. */
export interface OutputPipe {
  readonly reader: Socket
  readonly writer: number
}

/** A new pipe, or undefined where none can be made: no `mkfifo`, no temporary folder. */
export async function openOutputPipe(): Promise<OutputPipe | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-')).catch(() => undefined)
  if (folder === undefined) return undefined
  try {
    const path = join(folder, 'output')
    await promisify(execFile)('mkfifo', ['-m', '600', path])
    return openEnds(path)
  } catch {
    // The caller then takes a socket, which serves all commands but those that open /dev/stdout again.
    return undefined
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function openEnds(path: string): OutputPipe {
  // The reading end first and without blocking: opening the other end then finds its partner at once.
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const writer = openSync(path, constants.O_WRONLY)
    return { reader: new Socket({ fd: readEnd, readable: true, writable: false }), writer }
  } catch (error) {
    closeSync(readEnd)
    throw error
  }
}
