#!/usr/bin/env node
/** The one file every command runs. It stays free of imports: `--version` pays for them all. */
const [first] = process.argv.slice(2)
// Until a command reports its end the run has failed: what waits for something that never comes ends the process, too.
process.exitCode = 1
let hasEnded = false
process.once('beforeExit', () => {
  // Nothing is left to do: the system takes the memory back in one go, which Node would do object by object.
  if (hasEnded) return process.listenerCount('beforeExit') > 0 ? undefined : process.exit()
  const words = process.argv.slice(2).findIndex((word) => word.startsWith('-'))
  const command = ['svc', ...process.argv.slice(2, words < 0 ? 4 : Math.min(4, words + 2))].join(' ')
  const what = `"${command}" never finished: it waits for something that cannot come any more`
  process.stderr.write(`svc: ${what}. It may have done a part of its work. Please report this.\n`)
})
const end = (code: number) => {
  hasEnded = true
  process.exitCode = code
}
if (first === '--version' || first === '-v' || first === '-V') {
  import('./stdout.ts').then(({ sayVersion }) => sayVersion()).then(() => end(0))
} else {
  import('./main.ts').then(({ main }) => main(process.argv.slice(2))).then(end)
}
