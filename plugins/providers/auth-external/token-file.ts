/** The file in which a program keeps its tokens. */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type PluginContext, Secrets } from 'svc/sdk'
import type { OAuthTokens } from 'svc/sdk/provider'
import type { Program } from './programs.ts'

export type Deps = Pick<PluginContext<unknown>, 'use' | 'log'>

export function getPath({ folder: { variable, usual }, file }: Program, deps: Deps): string {
  const secrets = deps.use(Secrets)
  const own = variable === undefined ? undefined : secrets.get(variable)
  return own === undefined ? join(secrets.get('HOME') ?? homedir(), usual, file) : join(own, file)
}

/** What it holds now; undefined when it is not there or cannot be read. */
export function readFile(program: Program, deps: Deps): Readonly<Record<string, unknown>> | undefined {
  const path = getPath(program, deps)
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      deps.log.warn(`the tokens of ${program.label} cannot be read`, { path, error: (error as Error).name })
    return undefined
  }
}

export function readTokens(program: Program, deps: Deps): OAuthTokens | undefined {
  const file = readFile(program, deps)
  const tokens = file && program.read(file)
  for (const secret of [tokens?.accessToken, tokens?.refreshToken])
    if (secret !== undefined) deps.use(Secrets).protect(secret)
  return tokens
}
