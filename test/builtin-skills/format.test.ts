/** Built-in skills keep the public format, find their files, and are short enough to be read. */
import { lstatSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesBelow, manifests, read, root, sourcesBelow } from '../support/repository.ts'
import { builtInSkills } from './skills.ts'

const skills = builtInSkills()
const FIELDS = ['name', 'description', 'license', 'compatibility', 'metadata', 'platforms']
const OWN_FIELDS = ['tags', 'related_skills', 'requires_toolsets']
const toolsets = new Set(
  sourcesBelow('plugins').flatMap((file) => [...read(file).matchAll(/toolset: '(\w+)'/g)].map(([, set]) => set)),
)
const REPLACED = /\b(?:nobody|whoever|somebody|anybody|anew)\b|\bgo(?:es)? on with\b|\b(?:is|are) none of\b/i

test('there are at least 25 built-in skills, each with a name of its own', () => {
  expect(skills.length).toBeGreaterThanOrEqual(25)
  expect(new Set(skills.map(({ name }) => name)).size).toBe(skills.length)
})

test.for(skills)('the front matter of $name is that of the public format', ({ name, folder, header }) => {
  expect(folder).toMatch(/^builtin-skills\/[a-z]+\/[a-z0-9]+(?:-[a-z0-9]+)*$/)
  expect(header['name']).toBe(name)
  const description = String(header['description'])
  expect(description.length).toBeGreaterThan(40)
  expect(description.length).toBeLessThanOrEqual(300)
  expect(description).toMatch(/\bUse it (?:for|to|when|whenever|before|with|regularly|during)\b/)
  expect(header['license']).toBe('MIT')
  expect(String(header['compatibility'] ?? '').length).toBeLessThanOrEqual(500)
  const strange = Object.keys(header).filter((key) => ![...FIELDS, 'required_environment_variables'].includes(key))
  expect(strange).toEqual([])
})

test.for(skills)('what svc reads in the front matter of $name is known', ({ header }) => {
  const { svc = {} } = (header['metadata'] ?? {}) as { svc?: Record<string, readonly string[]> }
  expect(Object.keys(svc).filter((key) => !OWN_FIELDS.includes(key))).toEqual([])
  const names = skills.map(({ name }) => name)
  expect(svc['related_skills']?.filter((name) => !names.includes(name)) ?? []).toEqual([])
  expect(svc['requires_toolsets']?.filter((name) => !toolsets.has(name)) ?? []).toEqual([])
  const platforms = (header['platforms'] ?? []) as readonly string[]
  expect(platforms.filter((name) => !['linux', 'macos', 'windows'].includes(name))).toEqual([])
})

test.for(skills)('SKILL.md of $name is short, and names all other files of the skill and no others', (skill) => {
  expect(skill.body.split('\n').length).toBeLessThanOrEqual(100)
  expect(skill.body).toMatch(/^\n?# \S/)
  const named = new Set([...skill.body.matchAll(/\b(?:references|scripts|assets)\/[\w./-]*\w/g)].map(([path]) => path))
  expect([...named].sort()).toEqual(skill.files.filter((file) => file !== 'SKILL.md').sort())
})

test.for(skills)('files of $name are small, plain and without links', ({ folder, files }) => {
  for (const file of files) {
    const path = join(root, folder, file)
    expect(lstatSync(path).isSymbolicLink(), file).toBe(false)
    expect(statSync(path).size, file).toBeLessThan(32 * 1024)
    const text = read(`${folder}/${file}`)
    // Hidden marks would be found by a scan of skills, and with reason.
    expect(text.match(/[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/g), file).toBeNull()
    expect(text.match(/[^\S\n]+$/m), `${file} has blanks at the end of a line`).toBeNull()
    expect(text.endsWith('\n'), file).toBe(true)
    expect(REPLACED.exec(text)?.[0], file).toBeUndefined()
  }
})

test('the telephony skill asks for the variables of the SMS platform, by their names there', () => {
  const sms = manifests().find(({ name }) => name === 'platform-sms')
  const known = sms?.env?.map(({ name }) => name).filter((name) => name.startsWith('TWILIO_'))
  const asked = skills.find(({ name }) => name === 'telephony')?.header['required_environment_variables']
  expect((asked as { name: string }[]).map(({ name }) => name).sort()).toEqual(known?.sort())
})

test('the folder of built-in skills holds skills, their index and one README only', () => {
  const inSkills = skills.flatMap(({ folder, files }) => files.map((file) => `${folder}/${file}`))
  const others = filesBelow('builtin-skills').filter((file) => !inSkills.includes(file))
  expect(others).toEqual(['builtin-skills/README.md', 'builtin-skills/index.json'])
})
