/** Files of tasks. */
import { existsSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { confirmCommand, errorMessage, SvcError } from 'svc/sdk'
import { MAX_TASK_ATTACHMENT_BYTES } from 'svc/sdk/kanban'
import { hasFlag, printJson, safeLine } from 'svc/sdk/kit/terminal'
import type { Action } from './cli.ts'
import { getChange, getNumber } from './values.ts'

export const attach: Action = async (boards, input, io) => {
  const [id = '', name = ''] = input.args
  const file = resolve(io.cwd, name)
  const number = getNumber(input, 'get', '--get')
  if (number !== undefined) {
    const { bytes, ...attachment } = await boards.attachment(number)
    if (attachment.taskId !== id)
      throw new SvcError('CLI_USAGE', `Attachment ${number} is not at ${id}: svc kanban show ${id} lists its own.`)
    if (existsSync(file) && !(await confirmCommand(io, `Replace ${safeLine(file)}?`, input.options))) return 1
    await writeFile(file, bytes)
    if (hasFlag(input, 'json')) printJson(io, { attachment, file })
    else io.out(`${safeLine(attachment.name)} is in ${safeLine(file)}.\n`)
    return 0
  }
  const bytes = await read(file)
  const attachment = await boards.attach(id, {
    ...{ name: basename(file), mediaType: 'application/octet-stream', bytes, by: getChange(input).by },
  })
  if (hasFlag(input, 'json')) printJson(io, { attachment })
  else io.out(`${safeLine(attachment.name)} is attachment ${attachment.id} of ${id}.\n`)
  return 0
}

async function read(file: string): Promise<Uint8Array> {
  try {
    const { size } = await stat(file)
    if (size > MAX_TASK_ATTACHMENT_BYTES)
      throw new SvcError('KANBAN_FILE', `${file} has ${size} bytes, ${MAX_TASK_ATTACHMENT_BYTES} is the most.`)
    return await readFile(file)
  } catch (error) {
    if (error instanceof SvcError) throw error
    throw new SvcError('KANBAN_FILE', `${file} cannot be read: ${errorMessage(error)}`)
  }
}
