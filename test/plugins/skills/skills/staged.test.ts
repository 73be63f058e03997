/** Changes of the agent that wait for a person: shown as they are, made once, and lost by no crash. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeTalk } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { open as openSkills, skillText } from './stage.ts'

const POEM = 'skills/writing/poem/SKILL.md'
const files = { [POEM]: skillText('poem', 'Write a poem about anything.', 'Four lines.\n\nThey rhyme.') }
const ODE = skillText('ode', 'Praise a thing in verse. Use at festivals.', 'Begin with O.')
const PATCH = { action: 'patch', name: 'poem', old_string: 'Four lines.', new_string: 'Six lines.' }
const CREATE = { action: 'create', name: 'ode', content: ODE }

/** A home in which these changes wait. */
async function stage(
  inputs: readonly Readonly<Record<string, unknown>>[],
  options: Parameters<typeof openSkills>[0] = {},
) {
  const calls = inputs.map((input) => ({ calls: [{ name: 'skill_manage', input: { reason: 'r', ...input } }] }))
  const scene = await openSkills({
    files,
    replies: [...calls, 'done'],
    config: { skills: { write_approval: true } },
    ...options,
  })
  const talk = fakeTalk(scene.kernel, { person: { confirm: true } })
  if (inputs.length > 0) await talk.type('go')
  const svc = (...words: string[]) => scene.kernel.run(['skills', ...words])
  const results = (scene.model.requests.at(-1)?.messages ?? []).filter(({ role }) => role === 'tool')
  const pending = async () => JSON.parse((await svc('pending', '--json')).out).pending
  return { ...scene, talk, svc, pending, dir: join(scene.home, 'data/skills/pending'), results }
}

test('with write_approval a change waits as a diff, and is made when it is approved', async () => {
  const { svc, pending, skills, results, talk } = await stage([PATCH, CREATE])
  const [one, two] = await pending()
  expect(JSON.parse(results[0]?.text ?? '')).toMatchObject({ success: true, staged: true, pending_id: one.id })
  expect((await skills.read('poem')).text).toContain('Four lines.')
  expect(await skills.find('ode')).toBeUndefined()
  expect((await svc('pending', one.id)).out).toMatch(
    /change SKILL\.md of the skill poem\nreason: r\n[\s\S]*-Four.*\n\+Six/,
  )
  expect(await talk.type('/skills')).toContain('2 changes of the agent wait: /skills pending')
  expect(await talk.type('/skills pending')).toContain(`- \`${two.id}\` keep the skill ode`)
  expect(await talk.type(`/skills pending ${one.id}`)).toMatch(/```diff\n[\s\S]*\+Six lines\.[\s\S]*```/)
  expect(await talk.type(`/skills approve ${one.id}`)).toBe(`- \`${one.id}\` Changed SKILL.md of poem (edit 1).`)
  expect((await skills.read('poem')).text).toContain('Six lines.')
  expect((await svc('approve', two.id)).err).toContain('add --yes')
  expect((await svc('approve', two.id, '--yes')).out).toContain('Created ode')
  expect(await skills.find('ode')).toMatchObject({ trust: 'model' })
  expect((await svc('pending')).out).toBe('No change of the agent waits.\n')
  expect((await svc('approve', one.id, '--yes')).err).toContain(`No change ${one.id} is waiting`)
})

test('what is rejected changes nothing, and all can be decided at once', async () => {
  const { svc, pending, skills, talk } = await stage([PATCH, CREATE])
  const [one] = await pending()
  expect((await svc('reject', one.id, '--yes')).out).toBe(`${one.id}: Nothing was changed.\n`)
  expect(await talk.type('/skills reject all')).toMatch(/^- `[0-9a-f]{8}` Nothing was changed\.$/)
  expect(await pending()).toEqual([])
  expect((await skills.read('poem')).text).toContain('Four lines.')
  expect(await talk.type('/skills approve all')).toBe('No change of the agent waits.')
  expect(await talk.type('/skills approve')).toContain('/skills approve ID')
})

test('the same change waits once, and changes of one file are approved one after another', async () => {
  const rhyme = { ...PATCH, old_string: 'They rhyme.', new_string: 'They never rhyme.' }
  const { svc, pending, skills } = await stage([PATCH, PATCH, rhyme])
  expect(await pending()).toHaveLength(2)
  expect((await svc('approve', 'all', '--yes')).code).toBe(0)
  expect((await skills.read('poem')).text).toMatch(/Six lines\.\n\nThey never rhyme\./)
})

test('what would differ from what was shown is shown once more before it is made', async () => {
  const rewrite = { action: 'edit', name: 'poem', content: skillText('poem', 'Write a poem.', 'All new.') }
  const { svc, pending, skills, home } = await stage([rewrite])
  const [one] = await pending()
  writeFileSync(join(home, POEM), skillText('poem', 'Write a poem about anything.', 'Mine, and longer than before.'))
  const refused = await svc('approve', one.id, '--yes')
  expect(refused.code).toBe(1)
  expect(refused.out).toContain('Look at the change once more')
  expect((await svc('pending')).out).toContain('-Mine, and longer than before.')
  expect((await svc('approve', one.id, '--yes')).code).toBe(0)
  expect((await skills.read('poem')).text.trim()).toBe('All new.')
})

test('one that cannot be made waits on', async () => {
  const { svc, pending, home } = await stage([PATCH])
  writeFileSync(join(home, POEM), skillText('poem', 'Write a poem about anything.', 'Nine lines now.'))
  const { code, out } = await svc('approve', 'all', '--yes')
  expect(code).toBe(1)
  expect(out).toContain('old_string is not in the file')
  expect(await pending()).toHaveLength(1)
})

test('changes that wait outlive the process, and one that a crash left behind after it was made is not made twice', async () => {
  const first = await stage([PATCH, CREATE])
  const kept = readdirSync(first.dir).filter((name) => name.endsWith('.json'))
  const copies = new Map(kept.map((name) => [name, readFileSync(join(first.dir, name))]))
  await first.kernel.stop()
  const { svc, pending, home } = await stage([], { home: first.home, files: {} })
  expect(await pending()).toHaveLength(2)
  await svc('approve', 'all', '--yes')
  // As a kill leaves it between the change and the removal of its file.
  for (const [name, data] of copies) writeFileSync(join(first.dir, name), data)
  expect((await svc('approve', 'all', '--yes')).out.match(/It was made before\./g)).toHaveLength(2)
  expect(JSON.parse((await svc('edits', '--json')).out).edits).toHaveLength(1)
  expect(existsSync(join(home, 'skills/ode/SKILL.md'))).toBe(true)
})

test('a file that cannot be read is named, stays, and hides no other', async () => {
  const { svc, dir, talk } = await stage([PATCH])
  writeFileSync(join(dir, '00000000.json'), '{"id":')
  const { out } = await svc('pending')
  expect(out).toContain('change SKILL.md of the skill poem')
  expect(out).toContain('cannot be read: ')
  expect(await talk.type('/skills pending')).toContain('00000000.json')
  await svc('approve', 'all', '--yes')
  expect(readdirSync(dir)).toContain('00000000.json')
})

test('no more than fifty wait, and people of a group decide about none', async () => {
  const { kernel, dir, pending } = await stage([PATCH])
  const [one] = await pending()
  const by = { platform: 'p', chatId: 'c', userId: 'u', chatKind: 'group' } as const
  const group = fakeTalk(kernel, { commands: 'gateway', by, person: { confirm: true } })
  expect(await group.type(`/skills approve ${one.id}`)).toContain('in a direct chat')
  expect(await pending()).toHaveLength(1)
  for (let at = 0; at < 49; at += 1) {
    const id = `000000${at + 10}`
    writeFileSync(join(dir, `${id}.json`), JSON.stringify({ ...one, id, input: { ...one.input, reason: id } }))
  }
  await kernel.stop()
  const full = await stage([CREATE], { home: join(dir, '../../..'), files: {} })
  expect(full.results[0]?.text).toContain('50 changes wait for the user already')
})
