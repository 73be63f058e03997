/** Loaded before a program: SIGUSR2 has its garbage collected, since memory is compared and not when V8 comes to it. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** V8 gives back the pages of a heap that was larger over several collections. */
const TIMES = 15

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
// Compiled code that was stored fits one set of flags.
setFlagsFromString('--no-expose-gc')

process.on('SIGUSR2', async () => {
  for (let count = 0; count < TIMES; count++) {
    collect()
    await new Promise((resolve) => setTimeout(resolve, 150))
  }
})
