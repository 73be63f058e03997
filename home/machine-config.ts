/** The layer of the machine: values that no home, profile, flag or environment variable can override. */
import { closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorMessage } from '../sdk/errors.ts'

/** Where the layer is, and who has to own it. */
export interface MachineFile {
  readonly file: string
  /** The only user id that may own the file and its folder; not compared on Windows. */
  readonly owner: number
}

/** The content of the layer. With a `problem` it cannot be relied on, so no turn may run. */
export interface MachineLayer {
  readonly file: string
  readonly values: Readonly<Record<string, unknown>>
  readonly problem?: string
}

/** Fixed: an environment variable such as ProgramData is the user's, who could point it elsewhere. */
export const machinePlace: MachineFile = {
  file: process.platform === 'win32' ? 'C:\\ProgramData\\svc\\config.yaml' : '/etc/svc/config.yaml',
  owner: 0,
}

/** Undefined if the file does not exist. Never throws. */
export async function readMachine({ file, owner }: MachineFile): Promise<MachineLayer | undefined> {
  let text: string
  try {
    text = readOwned(file, owner)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    return { file, values: {}, problem: errorMessage(error) }
  }
  const { parseYaml } = await import('../sdk/kit/text/yaml.ts')
  const parsed = text.trim() === '' ? { values: {} } : parseYaml(text)
  return 'values' in parsed ? { file, values: parsed.values } : { file, values: {}, problem: parsed.message }
}

/** A file that others can write is not a policy. The open file is checked, not its path, which may have been replaced. */
function readOwned(file: string, owner: number): string {
  const descriptor = openSync(file, 'r')
  try {
    const checked = [
      { path: dirname(file), stat: statSync(dirname(file)) },
      { path: file, stat: fstatSync(descriptor) },
    ]
    for (const { path, stat } of process.platform === 'win32' ? [] : checked) {
      if (stat.uid !== owner) throw new Error(`${path} belongs to user ${stat.uid}, not to user ${owner}`)
      if ((stat.mode & 0o022) !== 0) throw new Error(`${path} can be written by others than its owner`)
    }
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}
