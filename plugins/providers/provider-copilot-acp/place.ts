/** Where Copilot CLI is: a program on the path, or an address at which one listens. Nothing is started. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type PluginContext, Secrets, SvcError } from 'svc/sdk'

export type Deps = Pick<PluginContext<undefined>, 'use' | 'log'>

/** The file of the program; undefined when it is not there. */
export function findProgram({ use }: Pick<Deps, 'use'>): string | undefined {
  const secrets = use(Secrets)
  const named = secrets.get('COPILOT_CLI_PATH')
  if (named !== undefined) return isProgram(named) ? named : undefined
  const names = process.platform === 'win32' ? ['copilot.exe', 'copilot.cmd'] : ['copilot']
  const folders = (secrets.get('PATH') ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Where a program listens; undefined: one is started. Throws `COPILOT_ADDRESS`. */
export function readAddress({ use }: Pick<Deps, 'use'>): { readonly host: string; readonly port: number } | undefined {
  const text = use(Secrets).get('COPILOT_ACP_BASE_URL')?.replace(/\/+$/, '')
  if (text === undefined || text === '' || text === 'acp://copilot') return undefined
  const [, host = '', port = ''] = /^(?:acp|tcp):\/\/(localhost|127\.0\.0\.1|\[::1\]):(\d{1,5})$/.exec(text) ?? []
  if (host !== '' && Number(port) > 0 && Number(port) < 65_536)
    return { host: host.replace(/[[\]]/g, ''), port: Number(port) }
  const message = `COPILOT_ACP_BASE_URL is "${text}". It looks like acp://127.0.0.1:3000, where copilot --acp --port 3000 runs, and names this machine: the connection is not encrypted.`
  throw new SvcError('COPILOT_ADDRESS', message)
}

export function explainMissing({ use }: Pick<Deps, 'use'>): string {
  const named = use(Secrets).get('COPILOT_CLI_PATH')
  return named === undefined
    ? 'copilot was not found on the path. Install it: npm install -g @github/copilot'
    : `COPILOT_CLI_PATH names ${named}, which is not a program.`
}
