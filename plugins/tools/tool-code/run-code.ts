/** Runs a script: writes it down, starts it locked up or as it was allowed, serves its calls, and says what came of it. */
import { accessSync, constants, realpathSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { type ResultFile, SvcError, type Tool, type ToolContext, type ToolResult } from 'svc/sdk'
import type { SandboxedLaunch } from 'svc/sdk/shell'
import { Calls } from './calls.ts'
import { javascriptPreamble, pythonPreamble } from './preamble.ts'
import { STANDARD_PATH } from './sandbox.ts'
import { type ScriptOutcome, ScriptProcess } from './script-process.ts'
import type { CodeDeps, Script } from './tools.ts'

/** Variables that a script is given; nothing else of the environment reaches it. */
const VARIABLES = ['PATH', 'HOME', 'USER', 'LANG', 'TZ']
const HEAP_MEGABYTES = 1024

/** With what the gates were told of the script. */
type JudgedDeps = CodeDeps & { readonly mustLockUp: boolean }
/** With the tools that this script may call. */
type RunDeps = JudgedDeps & { readonly callable: readonly Tool[] }

/** Throws `CODE_NOT_ALLOWED` and `CODE_NO_PYTHON`; what the script does wrong is in the result. */
export async function runCode(script: Script, turn: ToolContext, deps: JudgedDeps): Promise<ToolResult> {
  const sandbox = await deps.sandbox()
  const isLockedUp = await sandbox.works()
  if (!isLockedUp && deps.mustLockUp)
    throw new SvcError('CODE_NOT_ALLOWED', 'Not run: what locks scripts up has gone since it was judged. Run it again.')
  if (!isLockedUp && !deps.canAsk())
    throw new SvcError('CODE_NOT_ALLOWED', 'Not run: the script cannot be confined, and no person can be asked.')
  const folder = realpathSync(await mkdtemp(join(tmpdir(), 'svc-code-')))
  try {
    const environment = { ...createEnvironment(deps), ...(await deps.variables(script.code, turn)) }
    const callable = deps.tools()
    const names = callable.map(({ name }) => name)
    const command = await prepare(script, join(folder, 'script'), environment, names)
    const free = { command, environment, cwd: turn.cwd, close: async () => undefined }
    const launch = isLockedUp ? await sandbox.launch({ cwd: turn.cwd, folder, environment }, command) : free
    try {
      const result = await serve(launch, turn, { ...deps, callable })
      return result.failed || !script.attach?.length
        ? result
        : { ...result, files: listAttached(script.attach, turn.cwd) }
    } finally {
      await launch.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Whether they may be read is judged when they are. */
function listAttached(paths: readonly string[], cwd: string): readonly ResultFile[] {
  return paths.map((path) => ({ path: resolve(cwd, path) }))
}

/** Writes the files of the script; returns the command that runs them. */
async function prepare(
  { code, language }: Script,
  folder: string,
  environment: Readonly<Record<string, string>>,
  tools: readonly string[],
): Promise<readonly string[]> {
  const [preamble, script] = ['preamble', 'script'].map((name) =>
    join(folder, `${name}.${language === 'python' ? 'py' : 'mjs'}`),
  ) as [string, string]
  await mkdir(folder)
  await writeFile(preamble, language === 'python' ? pythonPreamble(tools) : javascriptPreamble(tools))
  await writeFile(script, code)
  if (language === 'javascript')
    return [process.execPath, `--max-old-space-size=${HEAP_MEGABYTES}`, '--import', preamble, script]
  return [pythonProgram(environment['PATH'] ?? ''), '-u', preamble, script]
}

async function serve(
  { command, environment, cwd }: Pick<SandboxedLaunch, 'command' | 'environment' | 'cwd'>,
  turn: ToolContext,
  { config, clock, mask, callable }: RunDeps,
): Promise<ToolResult> {
  const start = clock().monotonic()
  const calls = new Calls({
    turn,
    most: config.max_calls,
    tools: callable,
    busy: (state) => child.timer(state === 'begins' ? 'stands' : 'runs'),
  })
  const child = new ScriptProcess({
    command,
    environment,
    cwd,
    signal: turn.signal,
    clock: clock(),
    timeoutMs: config.timeout * 1000,
    answer: (line) => calls.answer(line),
  })
  const outcome = await child.ended()
  await calls.settled()
  const seconds = Math.round((clock().monotonic() - start) / 10) / 100
  return createResult(outcome, { calls: calls.made, seconds, timeout: config.timeout, mask })
}

interface Facts {
  readonly calls: number
  readonly seconds: number
  readonly timeout: number
  readonly mask: (text: string) => string
}

function createResult(outcome: ScriptOutcome, { calls, seconds, timeout, mask }: Facts): ToolResult {
  const [output, errors] = [mask(outcome.output).trimEnd(), mask(outcome.errors).trimEnd()]
  const error = describeEnd(outcome, timeout)
  const status = outcome.end === 'done' ? (error === undefined ? 'success' : 'error') : outcome.end
  const showsErrors = errors !== '' && (error !== undefined || output === '')
  const parts = [output, ...(showsErrors ? [errors] : []), ...(error === undefined ? [] : [`[${error}]`])]
  const text = parts.filter((part) => part !== '').join('\n')
  return {
    text: text === '' ? '(it printed nothing)' : text,
    data: {
      status,
      output,
      tool_calls_made: calls,
      duration_seconds: seconds,
      ...(error !== undefined && { error: [error, errors].filter((part) => part !== '').join('\n') }),
    },
    ...(error !== undefined && { failed: true }),
  }
}

function describeEnd({ end, code }: ScriptOutcome, timeout: number): string | undefined {
  switch (end) {
    case 'timeout':
      return `the script took longer than ${timeout} s and was ended`
    case 'interrupted':
      return 'the turn was interrupted and the script ended'
    case 'garbled':
      return 'the script sent more through its socket than a tool call, and was ended'
    case 'done':
      return code === 0 ? undefined : `exit ${code}`
  }
}

function createEnvironment({ variable }: CodeDeps): Record<string, string> {
  const given = VARIABLES.flatMap((name) => {
    const value = variable(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return { PATH: STANDARD_PATH, ...Object.fromEntries(given), PYTHONDONTWRITEBYTECODE: '1', TERM: 'dumb' }
}

function pythonProgram(path: string): string {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, 'python3')
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch {
      // Not in this folder.
    }
  }
  throw new SvcError('CODE_NO_PYTHON', 'There is no python3 on the PATH. Write the script in JavaScript.')
}
