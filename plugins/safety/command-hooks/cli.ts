/** `svc hooks`: the same from the shell, and the consent to hooks of a project. */
import { type CliArguments, type CliCommand, type CliContext, confirmCommand, SvcError } from 'svc/sdk'
import { formatColumns, printJson, safeBlock, safeLine } from 'svc/sdk/kit/terminal'
import { formatHook } from './hook.ts'
import { findTop, type ProjectHooks, readProject } from './project.ts'
import { formatResult, shownHooks, tryHooks } from './report.ts'
import { type HookRunner, listProblems } from './runner.ts'
import type { TrustedProjects } from './trust.ts'

const MAX_SAMPLE = 1_048_576
const json = { flags: '--json', description: 'The result as JSON' }
const yes = { flags: '-y, --yes', description: 'Do not ask' }

export function hooksCommand(runner: HookRunner, trusted: TrustedProjects): CliCommand {
  const list = (input: CliArguments, io: CliContext) => showHooks(runner, input, io)
  return {
    name: 'hooks',
    description: 'Commands that run at moments of a conversation. Without a command: those of this folder.',
    options: [json],
    examples: ['hooks', 'hooks test PreToolUse', 'hooks trust'],
    run: list,
    subcommands: [
      { name: 'list', description: 'All hooks with their source', options: [json], run: list },
      {
        name: 'test',
        description:
          'Run a hook, or the hooks of an event, with a sample event; JSON on standard input replaces its fields',
        arguments: '<hook-or-event>',
        options: [json],
        examples: ['hooks test PreToolUse#1', `hooks test Stop --json`],
        run: (input, io) => testHooks(runner, input, io),
      },
      {
        name: 'trust',
        description: 'Agree to the hooks of this project as they are now',
        options: [yes, json],
        examples: ['hooks trust'],
        run: (input, io) => trust(trusted, input, io),
      },
      {
        name: 'distrust',
        description: 'Take the consent back: the hooks of this project do not run any more',
        options: [json],
        run: async (input, io) => {
          const project = await findTop(io.cwd)
          const changed = trusted.forget(project)
          if (input.options['json'] === true) return printJson(io, { project, changed })
          io.out(changed ? `The hooks of ${safeLine(project)} do not run any more.\n` : 'They were not trusted.\n')
        },
      },
    ],
  }
}

async function showHooks(runner: HookRunner, input: CliArguments, io: CliContext): Promise<void> {
  const known = await runner.known(io.cwd)
  const hooks = shownHooks(known, runner.last)
  const { project, problem } = known
  const problems = [...listProblems(known.hooks), ...(problem === undefined ? [] : [problem])]
  if (input.options['json'] === true) {
    const about = project && { folder: project.project, state: project.state, hash: project.hash, files: project.files }
    return printJson(io, { hooks, ...(about && { project: about }), problems })
  }
  if (hooks.length === 0 && problems.length === 0)
    io.out('There are no hooks. They are configured in the block hooks of config.yaml.\n')
  const rows = hooks.map(({ id, matcher, inactive, command }) => [id, matcher || '*', inactive ?? 'runs', command])
  for (const line of formatColumns(rows)) io.out(`${line}\n`)
  for (const each of problems) io.err(`${safeBlock(each)}\n`)
  if (project && project.state !== 'trusted')
    io.err('The hooks of the project do not run: `svc hooks trust` shows them and asks.\n')
}

async function testHooks(runner: HookRunner, input: CliArguments, io: CliContext): Promise<number> {
  const bytes = await io.stdin(MAX_SAMPLE)
  const sample = bytes?.length ? getSample(Buffer.from(bytes).toString('utf8')) : {}
  const tried = await tryHooks(runner, input.args[0] ?? '', { cwd: io.cwd, sample, signal: io.signal })
  const results = tried.map(({ hook, run }) => ({
    ...{ id: hook.id, command: formatHook(hook), result: formatResult(run), ms: run.ms },
    ...{ code: run.end.code ?? null, stdout: run.end.stdout, stderr: run.end.stderr },
    ...{ failed: run.answer.failure !== undefined, decision: run.answer.decision ?? null },
  }))
  if (input.options['json'] === true) printJson(io, { results })
  else
    for (const { id, result, ms, stdout, stderr } of results) {
      io.out(`${safeLine(id)}  ${safeLine(result)}  (${ms} ms)\n`)
      for (const text of [stdout, stderr])
        if (text.trim()) io.out(`${safeBlock(text.trimEnd()).replace(/^/gm, '    ')}\n`)
    }
  return results.some(({ failed }) => failed) ? 1 : 0
}

function getSample(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch (cause) {
    throw new SvcError('HOOKS_SAMPLE', `The sample event on standard input is not JSON: ${(cause as Error).message}`, {
      cause,
    })
  }
  throw new SvcError('HOOKS_SAMPLE', 'The sample event on standard input is not a JSON object.')
}

async function trust(trusted: TrustedProjects, input: CliArguments, io: CliContext): Promise<number | undefined> {
  const read = async () => readProject(await findTop(io.cwd))
  const shown = await read()
  if (!shown) throw new SvcError('HOOKS_NO_PROJECT', 'No file .svc/hooks.yaml belongs to this folder.')
  const asked = await confirmCommand(io, 'Run these commands from now on?', input.options, () => show(shown, io))
  if (!asked) return 1
  const now = await read()
  if (now?.hash !== shown.hash)
    throw new SvcError(
      'HOOKS_CHANGED',
      'The hooks of the project changed while the question was open. Nothing was agreed to.',
    )
  trusted.agree(shown)
  const { project, hash, files } = shown
  if (input.options['json'] === true) printJson(io, { project, hash, files })
  else io.out(`Trusted as they are now: ${shown.hooks.length} hooks, ${files.length} files. A change asks again.\n`)
  return 0
}

function show({ project, hooks, files }: ProjectHooks, io: CliContext): void {
  io.out(`${safeLine(project)}\n`)
  const rows = hooks.map((hook) => [hook.event, hook.matcher || '*', formatHook(hook), hook.needs.join(' ')])
  for (const line of formatColumns(rows)) io.out(`  ${line}\n`)
  io.out(`Covered by the consent: ${files.map(safeLine).join(', ')}\n`)
}
