/** Bundles: files, slash commands and the shell. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { open as openSkills, skillText, write } from '../skills/stage.ts'

const files = {
  'skills/poem/SKILL.md': skillText('poem', 'Write a poem.', 'Four lines that rhyme.'),
  'skills/deploy/SKILL.md': skillText('deploy', 'Deploy the site.', 'Run make.'),
}

const open = (more: Readonly<Record<string, string>>, options: Parameters<typeof openSkills>[0] = {}) =>
  openSkills({ files: { ...files, ...more }, plugins: ['bundles', 'conversation', 'prompt'], ...options })

test('the name of a bundle is a command: the instruction, its skills and the task are read', async () => {
  const { talk, lastText } = await open({
    'skill-bundles/release.yaml':
      'name: Release It\ndescription: Release a version\nskills: [deploy, poem]\ninstruction: Ask first.\n',
  })
  const person = talk()
  expect(await person.type('/release-it 2.1')).toBe('')
  expect(lastText('user')).toMatch(
    /^Ask first\.\n\nSkill deploy [\s\S]*Run make\.[\s\S]*Skill poem [\s\S]*rhyme\.\n\n2\.1$/,
  )
  const offered = await person.conversation.complete('/release')
  expect(offered).toContainEqual(expect.objectContaining({ text: '/release-it ', detail: 'Release a version' }))
  expect(await person.type('/bundles')).toBe('- `/release-it` Release a version (deploy, poem)')
})

test('a bundle comes before a skill of its name; skills that are not there are named', async () => {
  const { talk, lastText } = await open(
    {
      'skill-bundles/poem.yml': 'skills: [deploy, absent, off]\n',
      'skill-bundles/none.yaml': 'skills: [absent]\n',
      'skills/off/SKILL.md': skillText('off', 'd'),
    },
    { config: { skills: { disabled: ['off'] } } },
  )
  const person = talk()
  expect(await person.type('/poem')).toBe('Used without skills that are not there: absent, off.')
  expect(lastText('user')).toMatch(/Run make\.[\s\S]*Skills that are not there: absent, off\./)
  expect(lastText('user')).not.toContain('rhyme')
  expect(await person.type('/none')).toBe('None of its skills is there: absent.')
})

test('files that cannot be used are named with the reason, and the first of one name counts', async () => {
  const { kernel } = await open({
    'skill-bundles/a.yaml': 'name: twin\nskills: [poem]\n',
    'skill-bundles/b.yaml': 'name: Twin\nskills: [deploy]\n',
    'skill-bundles/c.yaml': 'skills: [',
    'skill-bundles/d.yaml': 'description: no skills\n',
    'skill-bundles/e.yaml': 'name: "+"\nskills: [poem]\n',
    'skill-bundles/f.yaml': 'description: "a\u200bb"\nskills: [poem]\n',
    'skill-bundles/g.yaml': `skills: [poem]\ninstruction: ${'x'.repeat(500_000)}\n`,
    'skill-bundles/notes.txt': 'not a bundle',
  })
  const { bundles, problems } = JSON.parse((await kernel.run(['bundles', '--json'])).out)
  expect(bundles.map(({ slug, skills }: { slug: string; skills: string[] }) => [slug, ...skills])).toEqual([
    ['twin', 'poem'],
  ])
  expect(problems.map(({ reason }: { reason: string }) => reason)).toEqual([
    'another file has the name twin',
    expect.stringContaining('it is not YAML'),
    expect.stringContaining('skills: '),
    'the name has no letter and no digit',
    'it has characters that cannot be seen',
    'it is too large',
  ])
})

test('a bundle is created, shown, replaced, read again and deleted in the shell', async () => {
  const { kernel, home, talk } = await open({})
  const created = await kernel.run(['bundles', 'create', 'My Release', '-s', 'poem', '-s', 'absent', '-i', 'Be brief.'])
  const file = join(home, 'skill-bundles/my-release.yaml')
  expect(created.out).toBe(`Created ${file}. Type /my-release in a conversation.\n`)
  expect(created.err).toContain('Not among the skills now: absent.')
  expect(readFileSync(file, 'utf8')).toBe('name: My Release\nskills:\n  - poem\n  - absent\ninstruction: Be brief.\n')
  expect((await kernel.run(['bundles', 'show', 'my release'])).out).toMatch(/missing +absent\n[\s\S]*\nBe brief\.\n$/)
  expect(await kernel.run(['bundles', 'create', 'my-release', '-s', 'deploy'])).toMatchObject({
    code: 1,
    err: /is a bundle my-release already/,
  })
  const asked = await kernel.run(['bundles', 'create', 'my-release', '--force'], {
    interactive: true,
    answers: ['deploy, poem'],
  })
  expect(asked).toMatchObject({ code: 0, out: expect.stringContaining('deploy, poem\n') })
  expect((await kernel.run(['bundles', 'create', 'x'])).err).toContain('Name the skills of the bundle')
  expect((await kernel.run(['bundles', 'create', '+', '-s', 'poem'])).err).toContain('no letter and no digit')
  write(home, { 'skill-bundles/late.yaml': 'skills: [poem]\n' })
  expect(JSON.parse((await kernel.run(['bundles', 'reload', '--json'])).out)).toEqual({
    added: ['late'],
    removed: [],
    unchanged: ['my-release'],
    total: 2,
  })
  expect((await kernel.run(['bundles', 'list'])).out).toMatch(/\/late +poem +Use poem together\n.*\n2 bundles\n$/)
  expect(await talk().type('/late')).toBe('')
  expect((await kernel.run(['bundles', 'delete', 'late'])).err).toContain('add --yes')
  expect(await kernel.run(['bundles', 'delete', 'late', '--yes'])).toMatchObject({ code: 0, out: 'Deleted late.\n' })
  expect(existsSync(join(home, 'skill-bundles/late.yaml'))).toBe(false)
  expect(await kernel.run(['bundles', 'show', 'late'])).toMatchObject({ code: 1, err: /no bundle late/ })
})

test('without a folder of bundles there are none, and it is said how to make one', async () => {
  const { kernel, talk } = await open({})
  expect((await kernel.run(['bundles'])).out).toContain('svc bundles create')
  expect(await talk().type('/bundles')).toBe('There are no bundles. svc bundles create makes one.')
})
