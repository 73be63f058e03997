import type { CliContext } from 'svc/sdk'
import { expect, test } from 'vitest'
import { LineReader } from '../../../../plugins/terminal-ui/chat/terminal-approvals.ts'

/** A terminal on which lines are typed one by one, at whatever prompt is open. */
function terminal() {
  const prompts: string[] = []
  let type: (line: string) => void = () => {}
  const ask: CliContext['ask'] = (prompt, { typedAhead = false, signal } = {}) => {
    prompts.push(`${prompt}${typedAhead ? '+' : ''}`)
    return new Promise((resolve) => {
      type = resolve
      signal?.addEventListener('abort', () => resolve(undefined), { once: true })
    })
  }
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
  return { lines: new LineReader({ ask } as CliContext), prompts, type: (line: string) => type(line), settled }
}

test('a question that comes up at the prompt gets its own line, and the prompt is shown again', async () => {
  const { lines, prompts, type, settled } = terminal()
  const line = lines.prompt('> ')
  await settled()
  const allowed = lines.ask('Allow? ')
  await settled()
  expect(prompts).toEqual(['> +', 'Allow? '])
  type('once')
  expect(await allowed).toBe('once')
  await settled()
  expect(prompts.slice(2)).toEqual(['> +'])
  type('hello')
  expect(await line).toBe('hello')
})

test('a question that is given up leaves the next line to the next question', async () => {
  const { lines, prompts, type, settled } = terminal()
  const end = new AbortController()
  const first = lines.ask('One? ', end.signal)
  const second = lines.ask('Two? ')
  await settled()
  expect(prompts).toEqual(['One? '])
  end.abort()
  expect(await first).toBeUndefined()
  await settled()
  expect(prompts).toEqual(['One? ', 'Two? '])
  type('yes')
  expect(await second).toBe('yes')
})
