import { expect, test } from 'vitest'
import { newSyntaxProblem } from '../../../../plugins/tools/tool-files/syntax.ts'
import { fileTools, workspace } from './support.ts'

test.each([
  ['a.json', '{"a": 1,}', 'a.json is not valid JSON now: it cannot be parsed from line 1, column 9 on'],
  ['a.json', '{\n  "a": 1\n  "b": 2\n}', 'a.json is not valid JSON now: it cannot be parsed from line 3, column 3 on'],
  ['sub/a.JSON', '{"a": [1, 2', /not valid JSON now: it/],
  ['a.yaml', 'a: b: c\n', /^a\.yaml is not valid YAML now: .+ at line 1/],
  ['a.yml', 'one: 1\n---\n- [\n', /^a\.yml is not valid YAML now: .+ at line/],
])('%s with %j is reported', async (name, text, said) => {
  expect(await newSyntaxProblem(`/p/${name}`, undefined, text)).toEqual(
    typeof said === 'string' ? said : expect.stringMatching(said),
  )
  expect(await newSyntaxProblem(`/p/${name}`, 'a:\n  - 1\n', text)).toBe(
    /json$/i.test(name) ? undefined : await newSyntaxProblem(`/p/${name}`, undefined, text),
  )
})

test.each([
  ['a.json', '{"a": [1, 2]}\n'],
  ['a.json', '\uFEFF{}'],
  ['a.json', ' \n'],
  ['tsconfig.build.json', '{ /* why */ "a": 1, }'],
  ['.vscode/settings.json', '{ // why\n}'],
  ['a.yaml', 'a: 1\n---\nb: [1, 2]\n'],
  ['deploy.yaml', 'name: {{ .Values.name }}\n{{- if x }}\n'],
  ['tags.yml', 'a: !Ref b\n'],
  ['a.txt', '{"a": '],
  ['data.jsonl', '{}\n{}\n'],
])('%s with %j is not', async (name, text) => {
  expect(await newSyntaxProblem(`/p/${name}`, undefined, text)).toBeUndefined()
})

test('a file that was not valid before either is not reported again', async () => {
  expect(await newSyntaxProblem('/p/a.json', '{"a": }', '{"b": }')).toBeUndefined()
  expect(await newSyntaxProblem('/p/a.json', '{"a": 1}', '{"b": }')).toContain('not valid JSON')
})

test('write_file and edits say that a change broke the syntax', async () => {
  using folder = workspace({ 'package.json': '{\n  "name": "x"\n}\n' })
  await using files = await fileTools()
  const write = (content: string) => files.call('write_file', { path: 'package.json', content }, folder.path)
  await files.call('read_file', { path: 'package.json' }, folder.path)
  expect((await write('{\n  "name": "x",\n}\n')).text).toMatch(
    /^Replaced package\.json: .*\n\[package\.json is not valid JSON now: it cannot be parsed from line 3, column 1 on\]$/,
  )
  expect((await write('{\n  "name": "x"\n}\n')).text).not.toContain('not valid')
  expect((await write('{\n  "name": "x"\n}\n')).text).not.toContain('not valid')
})
