import { parse } from 'dotenv'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { editEnv, parseAssignments, readEnv } from '../../../../plugins/configuration/config/env-edit.ts'

const set = (text: string, name: string, value: string) => editEnv(text, [{ name, value }])
const unset = (text: string, name: string) => editEnv(text, [{ name, value: undefined }])

describe('writing .env', () => {
  it('appends a variable to an empty file and to one without a last line ending', () => {
    expect(set('', 'A_TOKEN', 'x')).toBe('A_TOKEN=x\n')
    expect(set('B=1', 'A_TOKEN', 'x')).toBe('B=1\nA_TOKEN=x\n')
  })

  it('changes one value and leaves comments, order, export and blanks alone', () => {
    const text = '# keys\n\nexport OPENAI_API_KEY = old # mine\nB=2\n'
    expect(set(text, 'OPENAI_API_KEY', 'new')).toBe('# keys\n\nexport OPENAI_API_KEY = new # mine\nB=2\n')
  })

  it('keeps the quotes a value had', () => {
    expect(set('A="x"\n', 'A', 'y')).toBe('A="y"\n')
    expect(set("A='x'\n", 'A', 'y z')).toBe("A='y z'\n")
  })

  it('changes other quotes when the old ones cannot hold the value', () => {
    expect(readEnv(set("A='x'\n", 'A', "it's"))).toEqual({ A: "it's" })
    expect(set("A='x'\n", 'A', "it's")).toBe('A="it\'s"\n')
  })

  it('changes the last of several assignments, because that one counts', () => {
    expect(set('A=1\nA=2\n', 'A', '3')).toBe('A=1\nA=3\n')
  })

  it('removes every assignment of a name with its line', () => {
    expect(unset('# c\nA=1\nB=2 # b\nA=3\n', 'A')).toBe('# c\nB=2 # b\n')
    expect(unset('# c\nA=1\n', 'MISSING')).toBe('# c\nA=1\n')
  })

  it('is not fooled by a name inside a value of several lines', () => {
    const text = 'KEY="-----BEGIN\nA=not me\n-----END"\nA=me\n'
    expect(set(text, 'A', 'you')).toBe('KEY="-----BEGIN\nA=not me\n-----END"\nA=you\n')
    expect(unset(text, 'KEY')).toBe('A=me\n')
  })

  it('keeps Windows line endings', () => {
    expect(set('A=1\r\nB=2\r\n', 'A', 'x')).toBe('A=x\r\nB=2\r\n')
    expect(set('A=1\r\n', 'C', '3')).toBe('A=1\r\nC=3\r\n')
    expect(unset('A=1\r\nB=2\r\n', 'A')).toBe('B=2\r\n')
  })

  it('fills an empty value in front of its comment', () => {
    expect(set('A= # later\nB=1\n', 'A', 'x')).toBe('A=x # later\nB=1\n')
    expect(set('A=\nB=1\n', 'A', 'x')).toBe('A=x\nB=1\n')
  })

  it('writes nothing when the value is there already', () => {
    const text = "A='same'\n"
    expect(set(text, 'A', 'same')).toBe(text)
  })

  it('says so when no quotes can hold a value, and when a name is none', () => {
    expect(() => set('', 'A', '\'"`#\n')).toThrow(/every kind of quote/)
    expect(() => set('', 'A B', 'x')).toThrow(/letters, digits/)
  })

  it('round-trips any value through dotenv and leaves all other lines as they were', () => {
    const value = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom('a', ' ', '#', "'", '"', '\n', '\\', '$', '=', 'é', '\r\n') }),
    )
    const line = fc.constantFrom(
      '# note',
      '',
      'B=1',
      "export C='two words' # c",
      'D="1\n2"',
      'E: yaml',
      'F=`b`  ',
      'G=',
    )
    fc.assert(
      fc.property(fc.array(line), value, fc.constantFrom('\n', '\r\n'), (lines, wanted, eol) => {
        const text = lines.join(eol)
        let after: string
        try {
          after = set(text, 'NEW_TOKEN', wanted)
        } catch {
          return /['"`\r]/.test(wanted)
        }
        expect(parse(after)).toEqual({ ...parse(text), NEW_TOKEN: wanted })
        expect(after.startsWith(text)).toBe(true)
        expect(unset(after, 'NEW_TOKEN').trimEnd()).toBe(text.trimEnd())
      }),
      { numRuns: 500 },
    )
  })

  it('sees the assignments that dotenv sees', () => {
    const text = fc.string({
      unit: fc.constantFrom('A', 'B', '=', ' ', '\n', '"', "'", '#', 'export ', ':', 'x', '\r\n'),
    })
    fc.assert(
      fc.property(text, (anything) => {
        expect(new Set(parseAssignments(anything).map(({ name }) => name))).toEqual(
          new Set(Object.keys(parse(anything))),
        )
      }),
      { numRuns: 1000 },
    )
  })
})
