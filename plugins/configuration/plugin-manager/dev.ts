/** `svc plugins dev DIR`: a command of svc in a process of its own, with the plugin of a folder in place. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type CliArguments, type CliContext, Home, type PluginContext, SvcError } from 'svc/sdk'
import { hasFlag } from 'svc/sdk/kit/terminal'

/** As a shell reports a process that a signal ended. */
const SIGNAL_CODES: Readonly<Partial<Record<NodeJS.Signals, number>>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }

/** Ends with the command, and with its exit code. */
export async function develop(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<number> {
  const [folder = '.', ...words] = input.args
  const dir = resolve(io.cwd, folder)
  if (!existsSync(join(dir, 'plugin.json')))
    throw new SvcError('PLUGIN_FOLDER', `There is no plugin.json in ${dir}. To begin a plugin: svc plugins new NAME`)
  const command = words.length > 0 ? words : ['chat']
  io.err(`svc: runs ${dir} in place with svc ${command.join(' ')}; edits are followed\n`)
  const { profile = 'default' } = ctx.use(Home)
  const debug = hasFlag(input, 'inspect') ? ['--inspect', '--enable-source-maps'] : []
  const [, program = ''] = process.argv
  const own = [...process.execArgv, ...debug, program, '--profile', profile]
  const child = spawn(process.execPath, [...own, '--plugin', dir, ...command], { cwd: io.cwd, stdio: 'inherit' })
  // Ctrl-C reaches the child, which has the terminal; it decides whether that is its end.
  const leave = io.onInterrupt(() => {})
  const end = () => void child.kill('SIGTERM')
  io.signal.addEventListener('abort', end, { once: true })
  if (io.signal.aborted) end()
  try {
    return await new Promise((done, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) => done(code ?? (signal && SIGNAL_CODES[signal]) ?? 1))
    })
  } finally {
    leave()
    io.signal.removeEventListener('abort', end)
  }
}
