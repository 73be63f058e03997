import type { CliCommand } from 'svc/sdk'
import { describe, expect, test } from 'vitest'
import { findEntry, isAdded, withAdded } from '../../program/command-entry.ts'

const entry = (name: string, more: object = {}) => ({ name, description: `Does ${name}`, ...more })
const entries = [
  entry('mcp', { subcommands: ['list'] }),
  entry('mcp install', { example: 'mcp install time' }),
  entry('mcp list'),
]

describe('a command that is spread over plugins', () => {
  test('two words name the added subcommand, and what follows is for it', () => {
    expect(findEntry(entries, ['mcp', 'install', 'time', '--yes'])).toEqual({
      entry: entries[1],
      after: ['time', '--yes'],
    })
  })

  test('its own subcommands cannot be taken over by another plugin', () => {
    expect(findEntry(entries, ['mcp', 'list', 'x'])).toEqual({ entry: entries[0], after: ['list', 'x'] })
  })

  test('other words are for the command itself', () => {
    expect(findEntry(entries, ['mcp'])).toEqual({ entry: entries[0], after: [] })
    expect(findEntry(entries, ['mcp', 'installed', 'x'])).toEqual({ entry: entries[0], after: ['installed', 'x'] })
  })

  test('nothing is found for a word that is no command, or only the first of two', () => {
    expect(findEntry(entries, ['install'])).toBeUndefined()
    expect(findEntry([entry('mcp install')], ['mcp'])).toBeUndefined()
    expect(findEntry(entries, [])).toBeUndefined()
  })

  test('its help has the subcommands of all, once each, and no hidden ones', () => {
    const command: CliCommand = { name: 'mcp', description: '', subcommands: [{ name: 'list', description: 'Own' }] }
    const more = [...entries, ...entries, entry('mcp login', { hidden: true }), entry('mcpx run'), entry('other run')]
    expect(withAdded(command, more).subcommands).toEqual([
      { name: 'list', description: 'Own' },
      { name: 'install', description: 'Does mcp install', examples: ['mcp install time'] },
    ])
  })

  test('a command without added subcommands stays what it is', () => {
    const command: CliCommand = { name: 'echo', description: '' }
    expect(withAdded(command, entries)).toBe(command)
  })

  test('added subcommands are told from commands', () => {
    expect(entries.map(isAdded)).toEqual([false, true, true])
  })
})
