import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { test } from 'vitest'
import { openShell, temporaryFolder } from './support.ts'
test('x', async () => {
  using folder = temporaryFolder()
  const bad: string[][] = []
  let terminal = await openShell(folder.path); let hist: string[] = []
  const unit = fc.constantFrom(...'\'"`$\\{}(\n #;!<>*?[]~= -1a', 'if ', 'done', '<<a', '$((')
  for (const command of fc.sample(fc.string({ unit, maxLength: 20 }), 60000)) {
    hist.push(command)
    const o = await terminal.run(command, { timeoutMs: 1000 })
    if (o.end === 'timeout') bad.push(hist.slice(-4))
    if (!terminal.shell.alive) { terminal = await openShell(folder.path); hist = [] }
  }
  writeFileSync('/tmp/ft/bad.json', JSON.stringify(bad, null, 1))
  await terminal[Symbol.asyncDispose]()
}, 200000)
