import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { seal, sealingKey, unseal } from '../../../../plugins/configuration/config/encrypt.ts'

describe('sealed data', () => {
  it('opens with its own key only and shows nothing of what it holds', async () => {
    const home = mkdtempSync(join(tmpdir(), 'svc-seal-'))
    let count = 0
    const random = { next: () => 0, hex: (bytes: number) => String(count++ % 10).repeat(bytes * 2), uuid: () => '' }
    const key = await sealingKey(join(home, 'undo.key'), random)
    expect(statSync(join(home, 'undo.key')).mode & 0o777).toBe(0o600)
    expect(await sealingKey(join(home, 'undo.key'), random)).toEqual(key)
    const text = seal({ secret: 'canary' }, key, random)
    expect(Buffer.from(text, 'base64').toString('latin1')).not.toContain('canary')
    expect(unseal(text, key)).toEqual({ secret: 'canary' })
    expect(() => unseal(text, Buffer.alloc(32, 7))).toThrow(/cannot be taken back/)
    expect(readFileSync(join(home, 'undo.key'), 'utf8')).toHaveLength(64)
    rmSync(home, { recursive: true })
  })
})
