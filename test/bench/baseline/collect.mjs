/**
 * Loaded before a program: SIGUSR2 has its garbage collected for some seconds, since memory is compared and not when V8 comes to it.
 * V8 makes a young generation smaller only while a little is allocated; one that grew during the start stays so in a process that
 * does nothing at all.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const TIMES = 70
const PAUSE_MS = 100

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
// Compiled code that was stored fits one set of flags.
setFlagsFromString('--no-expose-gc')

process.on('SIGUSR2', async () => {
  let garbage
  for (let count = 0; count < TIMES; count++) {
    garbage = Array.from({ length: 200 }, () => ({ garbage }))
    collect()
    garbage = undefined
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
})
