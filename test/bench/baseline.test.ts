/** The scripts that the product is compared with do the work they claim to do. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { startModelServer } from '../support/model-server.ts'

const run = promisify(execFile)

async function ask(script: string, url: string): Promise<string> {
  const file = `${import.meta.dirname}/baseline/${script}.mjs`
  const { stdout } = await run(process.execPath, [file, url, 'fake-model', 'What is here?'])
  return stdout
}

describe('the scripts to compare with', () => {
  it.each(['floor-one-shot', 'bare-one-shot', 'sdk-one-shot'])('%s asks and prints the answer', async (script) => {
    const server = await startModelServer({ replies: [{ text: ['Three ', 'files — ', 'all small.'] }] })
    try {
      expect(await ask(script, server.url)).toBe('Three files — all small.\n')
      expect(server.requests[0]?.body).toMatchObject({ stream: true, messages: [{ content: 'What is here?' }] })
    } finally {
      await server.close()
    }
  })

  it.each(['floor-rounds', 'bare-rounds'])('%s runs the commands it is given', async (script) => {
    const call = (command: string) => ({
      calls: [{ id: command, name: 'terminal', arguments: { command }, pieces: 3 }],
    })
    const replies = [call('echo one; echo two'), call('printf three'), 'Done.']
    const server = await startModelServer({ replies })
    try {
      expect(await ask(script, server.url)).toBe('Done.\n')
      const last = server.requests.at(-1)?.body ?? {}
      const messages = last['messages'] as { role: string; content: string }[]
      const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
      expect(results).toEqual(['one\ntwo\n', 'three'])
    } finally {
      await server.close()
    }
  })
})
