/** `svc plugins verify DIR`: the manifest check and the conformance kit, in a process that may hang or crash. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type CliArguments, type CliContext, type PluginContext, SvcError } from 'svc/sdk'
import { formatCount, hasFlag, paint, printJson, quotePath, safeLine } from 'svc/sdk/kit/terminal'
import { ProcessSandbox } from 'svc/sdk/shell'
import type { ConformanceReport } from 'svc/sdk/testing'
import { describeOldName, findOldNamesIn } from './old-names.ts'
import { readVerifyOptions, type VerifyOptions } from './verify-options.ts'

type Case = ConformanceReport['cases'][number]

export async function verify(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<number> {
  const dir = resolve(io.cwd, input.args[0] ?? '.')
  if (!existsSync(join(dir, 'plugin.json')))
    throw new SvcError('PLUGIN_FOLDER', `There is no plugin.json in ${dir}. To begin a plugin: svc plugins new NAME`)
  if (hasFlag(input, 'link')) {
    const { linkProgram } = await import('./new/command.ts')
    linkProgram(dir)
  }
  const isJson = hasFlag(input, 'json')
  const options = await readVerifyOptions(ctx, dir, input, io)
  const onEnd = (done: Case) => {
    if (!isJson) io.out(line(io, done))
  }
  const report = await runKit(ctx, dir, io, { ...options, onEnd })
  const oldNames = await findOldNamesIn(ctx, dir)
  if (isJson) printJson(io, { ...report, oldNames })
  else {
    io.out(`${summary(report)}\n`)
    for (const each of oldNames) io.out(`old name  ${describeOldName(each)}\n`)
    if (oldNames.length > 0) io.out(`To rewrite old names: svc plugins migrate ${quotePath(input.args[0] ?? '.')}\n`)
  }
  return report.ok ? 0 : 1
}

/** Runs the kit on a folder, confined where the machine can; says so on standard error where it cannot. Ctrl-C ends it. */
export async function runKit(
  ctx: PluginContext<undefined>,
  dir: string,
  { signal, err }: CliContext,
  options: VerifyOptions & { readonly onEnd?: (done: Case) => void } = {},
): Promise<ConformanceReport> {
  const { conformanceInChild } = await import('svc/sdk/testing')
  const confinement = ctx.find(ProcessSandbox)
  const status = await confinement?.status()
  if (!status?.works)
    err(`The code of the plugin runs with your rights. ${status?.detail ?? 'The plugin confinement is not running'}.\n`)
  const confined = status?.works && confinement ? { confinement } : {}
  const report = await conformanceInChild(dir, { signal, ...confined, ...options })
  signal.throwIfAborted()
  return report
}

/** What went wrong, one sentence a case. */
export function failedCases({ cases }: ConformanceReport): string[] {
  return cases.flatMap(({ name, result, reason }) =>
    result === 'failed' ? safeLine(`${name}: ${reason ?? 'failed'}`) : [],
  )
}

function line(io: CliContext, { name, result, reason }: Case): string {
  const look = { ok: ['green', 'ok    '], failed: ['red', 'FAILED'], skipped: ['dim', '--    '] } as const
  const [style, word] = look[result]
  return `${paint(io, style, word)}  ${safeLine(name)}${reason ? `: ${safeLine(reason)}` : ''}\n`
}

function summary({ plugin, cases, ok }: ConformanceReport): string {
  const of = (result: Case['result']) => cases.filter((each) => each.result === result).length
  if (!ok)
    return `${plugin} does not keep the contracts of svc: ${of('failed')} of ${formatCount(cases.length, 'case')} failed.`
  const skipped = of('skipped') ? `, ${of('skipped')} could not be run here` : ''
  return `${plugin} keeps the contracts of svc: ${formatCount(of('ok'), 'case')} ok${skipped}.`
}
