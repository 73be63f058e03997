/** Homes on two machines. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished } from 'vitest'
import { packTar, readTar } from '../../../../plugins/operations/backups/tar.ts'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'

export const START = Date.UTC(2026, 0, 1)

export async function openMachine(files: Record<string, unknown> = {}, env: Record<string, string> = {}) {
  const place = temporaryFolder()
  const home = join(place, 'home')
  mkdirSync(home, { mode: 0o700 })
  writeFiles(home, files)
  const clock = virtualClock(START)
  const kernel = await testKernel({ plugins: ['transfer', 'backups', 'sessions'], home, clock, env })
  onTestFinished(() => kernel.stop())
  const run = (words: readonly string[], setting: Parameters<typeof kernel.run>[1] = {}) =>
    kernel.run(words, { cwd: place, ...setting })
  const ask = async (...words: string[]) => {
    const { code, out, err } = await run([...words, '--json'])
    expect({ code, err }).toMatchObject({ code: 0 })
    return JSON.parse(out) as Record<string, unknown> & { file: string; notes: string[] }
  }
  return { place, home, kernel, clock, run, ask, at: (path: string) => join(home, path) }
}

/** The entries of an archive that is not encrypted. */
export async function readEntries(bytes: Uint8Array): Promise<Record<string, string>> {
  const entries: Record<string, string> = {}
  for await (const { header, body } of readTar(new Blob([bytes as Uint8Array<ArrayBuffer>]).stream())) {
    const parts: Uint8Array[] = []
    for await (const part of body) parts.push(part)
    entries[header.name] = Buffer.concat(parts).toString('latin1')
  }
  return entries
}

/** An archive of these entries, as a stranger may write one. */
export async function packEntries(entries: readonly (readonly [name: string, text: string])[]): Promise<Buffer> {
  const { packer, zipped } = packTar()
  const read = new Response(zipped).arrayBuffer()
  for (const [name, text] of entries) {
    const data = Buffer.from(text, 'latin1')
    const type = name.endsWith('/') ? 'directory' : 'file'
    const writer = packer.add({ name, size: data.length, mode: type === 'file' ? 0o600 : 0o700, type }).getWriter()
    if (data.length > 0) await writer.write(data)
    await writer.close()
  }
  packer.finalize()
  return Buffer.from(await read)
}
