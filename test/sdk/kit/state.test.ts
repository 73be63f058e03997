import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bundleScript, temporaryFolder } from '../../plugins/sessions/storage/support.ts'

test('several processes that change one state at the same time lose nothing', async () => {
  const file = join(temporaryFolder(), 'counter.json')
  const script = await bundleScript(join(import.meta.dirname, 'state-child.ts'))
  const children = [1, 2, 3].map(() =>
    spawn(process.execPath, [script, file, '30'], { stdio: ['pipe', 'pipe', 'inherit'] }),
  )
  onTestFinished(() => children.forEach((child) => void child.kill('SIGKILL')))
  const say = (child: (typeof children)[number]) => once(child.stdout, 'data').then(([text]) => String(text).trim())
  expect(await Promise.all(children.map(say))).toEqual(Array(3).fill('ready'))
  const results = children.map(say)
  for (const child of children) child.stdin.write('go')
  expect(await Promise.all(results)).toEqual(Array(3).fill('done'))
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ version: 1, value: { count: 90 } })
})

test('a process that is killed while it changes the state leaves it whole, and the next one continues', async () => {
  const file = join(temporaryFolder(), 'counter.json')
  const script = await bundleScript(join(import.meta.dirname, 'state-child.ts'))
  const first = spawn(process.execPath, [script, file, '100000'], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(first.stdout, 'data')
  first.stdin.write('go')
  const count = (): number => {
    try {
      return JSON.parse(readFileSync(file, 'utf8')).value.count
    } catch {
      return 0
    }
  }
  while (count() < 5) await new Promise((resolve) => setTimeout(resolve, 5))
  first.kill('SIGKILL')
  await once(first, 'exit')
  const before = count()
  const second = spawn(process.execPath, [script, file, '1'], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void second.kill('SIGKILL'))
  await once(second.stdout, 'data')
  second.stdin.write('go')
  await once(second.stdout, 'data')
  expect(count()).toBe(before + 1)
})
