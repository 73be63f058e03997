/** Messages of chats that name skills: those of a route of webhooks. */
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'
import { stage } from '../../messaging/gateway/stage.ts'
import { skillText, write } from './stage.ts'

test('a message is read with the skills that its route names, and without those that are not there', async () => {
  const home = write(temporaryFolder(), { 'skills/triage/SKILL.md': skillText('triage', 'd', 'Label it first.') })
  const { fake, model } = await stage(['done', 'done'], { home, plugins: ['skills'] })
  await fake.say('hook', 'A new issue', { skills: ['triage', 'absent'] })
  await vi.waitFor(() => expect(model.requests).toHaveLength(1))
  const read = (at: number) => model.requests[at]?.messages.findLast(({ role }) => role === 'user')?.text ?? ''
  expect(read(0)).toMatch(/^Skill triage [\s\S]*Label it first\.\n\nA new issue/)
  await vi.waitFor(() => expect(fake.sent).toHaveLength(1))
  await fake.say('hook', 'Another one')
  await vi.waitFor(() => expect(model.requests).toHaveLength(2))
  expect(read(1)).not.toContain('Label it first')
})
