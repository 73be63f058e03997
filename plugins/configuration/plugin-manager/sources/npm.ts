/** Runs npm: no install scripts, nothing for development. */
import { SvcError } from 'svc/sdk'
import { type ChildRun, runChild } from 'svc/sdk/kit/process'

const quiet = ['--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
/** `svc` and what it brings are found by the program itself; a package of that name must not come from elsewhere. */
const peers = ['--legacy-peer-deps']

/** Runs `npm <words>` in a folder and returns its output. Throws `PLUGIN_NPM_MISSING`, `PLUGIN_NPM_FAILED` or the signal's reason. */
export async function npm(words: readonly string[], cwd: string, run: ChildRun): Promise<string> {
  const result = await runChild('npm', [...words, ...quiet, ...peers], run, { cwd }).catch((cause: unknown) => {
    run.signal.throwIfAborted()
    const message = 'npm could not be started. Install it, or name the folder of the plugin instead.'
    throw new SvcError('PLUGIN_NPM_MISSING', message, { cause })
  })
  if (result.code === 0) return result.out
  const { timedOutAfterMs } = result
  const reason =
    timedOutAfterMs === undefined
      ? findReason(result.err || result.out)
      : `it took longer than ${timedOutAfterMs / 1000} s`
  throw new SvcError('PLUGIN_NPM_FAILED', `npm ${words[0]} failed: ${reason}`)
}

/** What npm said went wrong, without its decoration. */
function findReason(said: string): string {
  const lines = said.split('\n').flatMap((line) => /^npm (?:error|ERR!) (?:\d{3} )?(.*)$/.exec(line)?.[1]?.trim() ?? [])
  const telling = lines.filter((line) => !/^(code |errno |A complete log|\d*$)/.test(line))
  return (telling.slice(0, 3).join(' ') || said.trim() || 'it said nothing').slice(0, 1000)
}
