/** `svc config migrate`: brings config.yaml to this version, and asks once for variables that are new. */
import { join } from 'node:path'
import {
  type CliInput,
  type CliIo,
  Config,
  type EnvironmentVariable,
  type PluginContext,
  Plugins,
  Secrets,
} from 'svc/sdk'
import { readText, writeText } from './atomic-write.ts'
import { yamlDiff } from './masked-diff.ts'
import {
  CONFIG_VERSION,
  type Migration,
  migrated,
  migrations,
  refuseNewer,
  stepsAfter,
  versionOf,
} from './migrations.ts'
import { declaredVariables, isSecretVariable } from './secret-names.ts'
import { toJson } from './values.ts'
import type { ConfigWriter } from './writer.ts'
import { readSource } from './yaml-source.ts'

type Context = PluginContext<unknown>

/** What a migration does; tests bring steps of their own. */
export interface MigrateOptions extends CliInput {
  readonly steps?: readonly Migration[]
}

/** Shows the difference, keeps the old file beside the new one, and writes. */
export async function migrate(ctx: Context, writer: ConfigWriter, input: MigrateOptions, io: CliIo): Promise<number> {
  const { options, steps = migrations } = input
  const { file } = ctx.use(Config)
  const { text } = await readText(file)
  refuseNewer(text, file)
  const version = versionOf(text === undefined ? undefined : readSource(text, file).values)
  const due = text === undefined ? [] : stepsAfter(version, steps)
  const diff = due.length > 0 ? yamlDiff('config.yaml', text, migrated(text as string, due, file), () => false) : ''
  if (options['json'] !== true)
    io.out(
      due.length > 0 ? `${due.map(toLine).join('')}${diff}` : `config.yaml is at version ${version}, the newest.\n`,
    )
  const done = due.length > 0 ? await write(writer, file, version, steps) : undefined
  if (options['json'] === true)
    io.out(
      toJson({
        from: version,
        to: due.at(-1)?.to ?? version,
        steps: due.map(({ to, description }) => ({ to, description })),
        diff,
        ...done,
      }),
    )
  else if (done) io.out(`Written. The old file is ${done.backup}; to take it back: svc config undo\n`)
  if (io.interactive && options['json'] !== true) await askForVariables(ctx, writer, due, io)
  return 0
}

async function write(writer: ConfigWriter, file: string, version: number, steps: readonly Migration[]) {
  let backup = ''
  const make = async (now: string | undefined) => {
    const text = now ?? ''
    backup = await backUp(file, text, version)
    return migrated(text, stepsAfter(versionOf(readSource(text, file).values), steps), file)
  }
  const change = await writer.rewrite(make, { author: 'svc config migrate', reason: `migrate from version ${version}` })
  return { backup, change: change?.id }
}

/** A backup is never overwritten by another text. */
async function backUp(file: string, text: string, version: number): Promise<string> {
  for (let count = 1; ; count++) {
    const backup = `${file}.bak-v${version}${count === 1 ? '' : `-${count}`}`
    const { text: there } = await readText(backup)
    if (there === undefined) await writeText(backup, text, { mode: 0o600 })
    if (there === undefined || there === text) return backup
  }
}

/** Enter skips; either way a variable is asked for once. */
async function askForVariables(
  ctx: Context,
  writer: ConfigWriter,
  steps: readonly Migration[],
  io: CliIo,
): Promise<void> {
  const file = join(ctx.dataDir, 'asked.json')
  const asked = new Set(JSON.parse((await readText(file)).text ?? '[]') as string[])
  const introduced = new Set(steps.flatMap(({ env }) => env))
  const declared = declaredVariables(
    ctx
      .use(Plugins)
      .list()
      .map(({ manifest }) => manifest),
  )
  const open = declared.filter(
    ({ name }) => introduced.has(name) && !asked.has(name) && ctx.use(Secrets).get(name) === undefined,
  )
  if (open.length > 0) io.out('New variables; Enter leaves one unset:\n')
  const answers: { path: string; value: string }[] = []
  for (const variable of open) {
    const answer = await io.ask(`  ${question(variable)}: `, { secret: isSecretVariable(variable.name, declared) })
    if (answer === undefined) break
    asked.add(variable.name)
    if (answer.trim() !== '') answers.push({ path: variable.name, value: answer.trim() })
  }
  if (answers.length > 0)
    await writer.write(answers, { author: 'svc config migrate', reason: 'answers to new variables' })
  if (open.length > 0) await writeText(file, `${JSON.stringify([...asked])}\n`, { mode: 0o600 })
}

function question({ name, description }: EnvironmentVariable): string {
  return `${name} (${description.replace(/\.$/, '')})`
}

function toLine({ to, description }: Migration): string {
  return `Version ${to} of ${CONFIG_VERSION}: ${description}\n`
}
