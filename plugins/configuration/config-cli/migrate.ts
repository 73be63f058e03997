/** `svc config migrate`: brings config.yaml to this version, and asks once for variables that are new. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CliArguments, CliContext, PluginContext } from 'svc/sdk'
import { ConfigFile, type EnvironmentVariable } from 'svc/sdk/host'
import { toJson } from './output.ts'

type Context = PluginContext<undefined>

/** Says what was done and how to take it back. */
export async function migrate(ctx: Context, { options }: CliArguments, io: CliContext): Promise<number> {
  const { from, to, steps, change, backup, variables, plugins } = await ctx.use(ConfigFile).migrate()
  if (options['json'] === true) {
    io.out(toJson({ from, to, steps, plugins, diff: change?.diff ?? '', backup, change: change?.id }))
    return 0
  }
  for (const step of steps) io.out(`Version ${step.to} of ${to}: ${step.description}\n`)
  if (!change) io.out(`config.yaml is at version ${from}, the newest.\n`)
  else io.out(`${change.diff}Written. The old file is ${backup}; to take it back: svc config undo\n`)
  for (const plugin of plugins) io.out(`The settings of ${plugin} were migrated; to take it back: svc config undo\n`)
  if (io.interactive) await askForVariables(ctx, variables, io)
  return 0
}

/** Whether it is set or not, a variable is offered once. */
async function askForVariables(ctx: Context, variables: readonly EnvironmentVariable[], io: CliContext): Promise<void> {
  const config = ctx.use(ConfigFile)
  const file = join(ctx.dataDir, 'asked.json')
  const asked = new Set(JSON.parse(await readFile(file, 'utf8').catch(emptyList)) as string[])
  const open = variables.filter(({ name }) => !asked.has(name))
  if (open.length === 0) return
  const answers = await askFor(config, open, io)
  for (const { name } of open) asked.add(name)
  if (answers.length > 0)
    await config.write(answers, { author: 'svc config migrate', reason: 'answers to new variables' })
  await mkdir(ctx.dataDir, { recursive: true, mode: 0o700 })
  await writeFile(file, `${JSON.stringify([...asked])}\n`, { mode: 0o600 })
}

interface Answer {
  readonly path: string
  readonly value: string
}

/** Selected by name, which saves twenty confirmations. */
async function askFor(config: ConfigFile, open: readonly EnvironmentVariable[], io: CliContext): Promise<Answer[]> {
  io.out(`New variables: ${open.map(({ name }) => name).join(', ')}\n`)
  const answers: Answer[] = []
  for (;;) {
    const name = (await io.ask('  Name of one to set (Enter ends): '))?.trim()
    if (!name) return answers
    if (!open.some((variable) => variable.name === name)) io.out(`  There is no ${name} among them.\n`)
    else {
      const { secret } = await config.read(name)
      const value = (await io.ask(`  ${name}: `, { secret }))?.trim()
      if (value) answers.push({ path: name, value })
    }
  }
}

function emptyList(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '[]'
  throw error
}
