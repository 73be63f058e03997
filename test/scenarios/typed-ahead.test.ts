/** Lines that are pasted or typed before they are asked for, in a real terminal with the built program. */
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Reply } from '../support/model-replies.ts'
import { type RecordedRequest, startModelServer } from '../support/model-server.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { root } from '../support/repository.ts'
import { missingTmux, Tmux } from '../support/tmux.ts'

const program = join(root, 'dist/kernel/bin.cjs')
const absent = missingTmux()

interface Wire {
  readonly role: string
  readonly content?: unknown
}

const getMessages = ({ body }: RecordedRequest): readonly Wire[] => (body['messages'] as Wire[] | undefined) ?? []
const getLastMessage = (request: RecordedRequest): string => JSON.stringify(getMessages(request).at(-1)?.content ?? '')

async function plainChat(reply: (request: RecordedRequest) => Reply | Promise<Reply>) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-typed-ahead-'))
  onTestFinished(() => removeFolder(folder))
  const server = await startModelServer({ replies: reply })
  onTestFinished(() => server.close())
  const [home, cwd] = [join(folder, 'home'), join(folder, 'project')]
  for (const each of [home, join(cwd, 'src')]) mkdirSync(each, { recursive: true })
  const model = `model:\n  provider: custom\n  base_url: ${server.url}\n  default: fake-model\n  context_length: 200000\n`
  writeFileSync(join(home, 'config.yaml'), model)
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, SVC_HOME: home, TERM: 'tmux-256color', SHELL: '/bin/sh' }
  const command = [process.execPath, program, 'chat', '--plain']
  const terminal = new Tmux({ command, columns: 100, rows: 40, cwd, env })
  onTestFinished(() => terminal.close())
  await terminal.shows(/^>/m)
  return { terminal, cwd, server }
}

describe.skipIf(absent !== undefined)(`typed ahead${absent ? ` (${absent})` : ''}`, () => {
  test('lines of one paste are sent one after the other, and the unfinished last one waits at the prompt', {
    timeout: 60_000,
  }, async () => {
    const { terminal, server } = await plainChat(
      (request) => `heard ${getLastMessage(request).match(/(\w+) thing/)?.[1]}`,
    )
    terminal.paste('the first thing\nthe second thing\nthe thïrd thing\nthe last')
    await terminal.shows(
      /> the first thing\nheard first\n> the second thing\nheard second\n> the thïrd thing\nheard \S+\n> the last/,
    )
    terminal.line(' thing')
    await terminal.shows(/> the last thing\nheard last\n>/)
    const asked = server.requests.map(getLastMessage).filter((text) => text.includes('thing'))
    expect(asked.map((text) => /first|second|thïrd|last/.exec(text)?.[0])).toEqual(['first', 'second', 'thïrd', 'last'])
  })

  test.for([
    ['a line', 'once\n'],
    ['the beginning of a line', 'o'],
  ] as const)(
    '%s that was typed before an approval was shown does not answer it',
    { timeout: 60_000 },
    async ([, early]) => {
      let begin = () => {}
      const arrived = new Promise<void>((resolve) => {
        begin = resolve
      })
      let answer = () => {}
      const typed = new Promise<void>((resolve) => {
        answer = resolve
      })
      const { terminal, cwd, server } = await plainChat(async (request) => {
        if (getMessages(request).at(-1)?.role === 'tool') return 'The turn is over.'
        if (!getLastMessage(request).includes('clean up')) return 'Another question.'
        begin()
        await typed
        return { calls: [{ name: 'terminal', arguments: { command: 'rm -rf src' } }] }
      })
      terminal.line('clean up')
      await arrived
      terminal.type(early)
      await terminal.shows(new RegExp(`clean up\\s+${early.trim()}`))
      answer()
      await terminal.shows(/Allow\?[^\n]*: *$/m)
      terminal.line('x')
      await terminal.shows(/Allow\?[^\n]*: x\s+Allow\?/)
      expect(existsSync(join(cwd, 'src'))).toBe(true)
      terminal.line('deny')
      await terminal.shows(new RegExp(`The turn is over\\.\\s+> ${early.trim()}`))
      if (!early.endsWith('\n')) terminal.line('nce')
      await terminal.shows(/> once\s+Another question\./)
      expect(existsSync(join(cwd, 'src'))).toBe(true)
      expect(server.requests.filter((request) => /^"once"$/.test(getLastMessage(request)))).toHaveLength(1)
    },
  )
})
