import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InlinePlugin } from 'svc'
import { BeforeToolCall, type ToolCallEvent } from 'svc/sdk'
import { type CommandAnalysis, CommandKnowledge, type CommandLocation } from 'svc/sdk/shell'
import { fakeToolTurn, testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { Written } from '../../../../plugins/safety/approvals/changed-files.ts'
import { Gate } from '../../../../plugins/safety/approvals/gate.ts'
import { readUnconfinedCommand } from '../../../../plugins/safety/approvals/unconfined.ts'
import { removeFolder } from '../../../support/remove-folder.ts'

const reading = (needs: readonly string[]): CommandAnalysis => ({ understood: true, unknown: [], needs })
/** The project names one host, which only its own commands need. */
const knowing = (needs: readonly string[]): CommandKnowledge => ({
  read: async (command) => reading(command === 'x' ? needs : ['network:git.corp.example']),
})
const place = { cwd: '/srv/project', project: '/srv/project' }
const reasons = async (needs: readonly string[]) =>
  (await readUnconfinedCommand('x', place, knowing(needs))).worries.map(({ why }) => why)

test('an understood command that reaches a host which the project does not name is asked about', async () => {
  expect(await reasons(['network:evil.example'])).toEqual(['reaches evil.example'])
  expect(await reasons(['network:evil.example', 'network:pypi.org'])).toEqual(['reaches evil.example'])
  expect(await reasons(['network'])).toEqual(['reaches any host'])
  expect(await reasons(['network:localhost', 'network:127.0.0.1', 'port:3000'])).toEqual([])
  expect(await reasons(['network:registry.npmjs.org'])).toEqual([])
  expect(await reasons(['network:git.corp.example'])).toEqual([])
})

function request(command: string): ToolCallEvent {
  const tool = { name: 'shell', description: 'Runs.', effect: 'once', toolset: 'x', reach: 'machine' } as const
  return { name: 'shell', input: {}, tool, acts: { command }, turn: fakeToolTurn({ cwd: '/srv/project' }) }
}

const failing: InlinePlugin = {
  name: 'knower',
  provides: ['command-knowledge'],
  setup: () => {
    throw new Error('no')
  },
}

test('where what knows commands does not run, every command is asked about, unless the user disabled it', async () => {
  const off = { plugins: { disabled: ['command-knowledge'] } }
  const disabled = await testKernel({ plugins: ['approvals'], config: off })
  expect(await disabled.call(BeforeToolCall, request('ls'))).toBeUndefined()
  await disabled.stop()
  const failed = await testKernel({ plugins: ['approvals'], with: [failing], config: off })
  expect(failed.find(CommandKnowledge)).toBeUndefined()
  expect(await failed.call(BeforeToolCall, request('ls'))).toMatchObject({
    decision: 'ask',
    reason: 'is not fully understood: what would tell does not run',
  })
  await failed.stop()
})

test('a reader is told what the session wrote, where it stands, and nothing once something unknown ran', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-written-')))
  writeFileSync(join(root, 'x.sh'), 'ls\n')
  const written = new Written()
  written.meet('old', false)
  expect(written.predicate('old')).toBeUndefined()
  written.meet('one', true)
  written.add('one', join(root, 'x.sh'))
  written.add('one', join(root, 'gone/y.sh'))
  const was = written.predicate('one')
  expect([was?.(join(root, 'x.sh')), was?.(join(root, 'gone/y.sh')), was?.(join(root, 'z.sh'))]).toEqual([
    true,
    true,
    false,
  ])
  written.lose('one')
  expect(written.predicate('one')).toBeUndefined()
  removeFolder(root)
})

test('the gate passes the files, the session, the folder of the shell and the project on', async () => {
  const places: CommandLocation[] = []
  const risk = { dangers: [], simple: true, text: 'x', spellings: ['x'], variables: new Map(), read: new Map() }
  const gate = new Gate({
    config: { deny: [], allow: [], unknown: 'ask' } as never,
    questions: () => ({ expect: () => undefined }) as never,
    risks: () => ({ command: async () => risk, write: async () => undefined, remember() {}, wrote() {} }) as never,
    knowledge: () => ({
      read: async (_command, at) => {
        places.push(at)
        return reading([])
      },
    }),
  })
  const command = request('x')
  await gate.decide(command)
  gate.runs(command)
  gate.note({ text: '', data: { cwd: '/srv/project/sub' } } as never, command)
  const write = { ...request('x'), acts: { writes: ['a.sh'] } }
  await gate.decide(write)
  gate.runs(write)
  gate.note({ text: '' } as never, write)
  await gate.decide(request('x'))
  expect(places.at(-1)).toMatchObject({
    cwd: '/srv/project/sub',
    project: '/srv/project',
    sessionId: command.turn.sessionId,
  })
  expect(places.at(-1)?.wasWritten?.('/srv/project/a.sh')).toBe(true)
  expect(places.at(-1)?.wasWritten?.('/srv/project/b.sh')).toBe(false)
  const confined = { ...request('y'), acts: { command: 'y', confined: { writable: ['/srv/project'], needs: [] } } }
  await gate.decide(confined)
  gate.runs(confined)
  await gate.decide(request('x'))
  expect(places.at(-1)?.wasWritten).toBeUndefined()
})
