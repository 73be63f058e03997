/** `svc config migrate`: brings config.yaml to this version, and asks once for variables that are new. */
import { basename, join } from 'node:path'
import { type CliInput, type CliIo, type EnvironmentVariable, type PluginContext, Plugins, Secrets } from 'svc/sdk'
import { readText, writeText } from './atomic-write.ts'
import { isSecretSchema, schemaAt } from './json-schema.ts'
import { yamlDiff } from './masked-diff.ts'
import { CONFIG_VERSION, type Migration, migrated, refuseNewer, stepsAfter, versionOf } from './migrations.ts'
import { declaredVariables, isSecretVariable } from './secret-names.ts'
import { toJson } from './values.ts'
import { readView } from './view.ts'
import type { ConfigWriter } from './writer.ts'
import { readSource } from './yaml-source.ts'
import type { Path } from './yaml-steps.ts'

type Context = PluginContext<unknown>

/** Shows the difference, keeps the old file beside the new one, and writes. */
export async function migrate(ctx: Context, writer: ConfigWriter, { options }: CliInput, io: CliIo): Promise<number> {
  const { file, exists, source, whole } = await readView(ctx)
  refuseNewer(source.text, file)
  const from = versionOf(exists ? source.values : undefined)
  const steps = exists ? stepsAfter(from) : []
  const isSecret = (path: Path) => isSecretSchema(schemaAt(whole, path))
  const diff = yamlDiff(basename(file), source.text, migrated(source.text, steps, file), isSecret)
  const say = (text: string) => (options['json'] === true ? undefined : io.out(text))
  say(steps.length > 0 ? `${steps.map(toLine).join('')}${diff}` : `config.yaml is at version ${from}, the newest.\n`)
  const done = steps.length > 0 ? await write(writer, file, from) : undefined
  if (done) say(`Written. The old file is ${done.backup}; to take it back: svc config undo\n`)
  const told = steps.map(({ to, description }) => ({ to, description }))
  if (options['json'] === true) io.out(toJson({ from, to: steps.at(-1)?.to ?? from, steps: told, diff, ...done }))
  else if (io.interactive) await askForVariables(ctx, writer, steps, io)
  return 0
}

async function write(writer: ConfigWriter, file: string, from: number) {
  let backup = ''
  const make = async (text = '') => {
    backup = await backUp(file, text, from)
    return migrated(text, stepsAfter(versionOf(readSource(text, file).values)), file)
  }
  const change = await writer.rewrite(make, {
    author: 'svc config migrate',
    reason: `migrate from version ${from}`,
  })
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
