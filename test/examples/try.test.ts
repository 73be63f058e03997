import { expect, test } from 'vitest'
test('a b c', async () => { const m = await import('../../examples/hello-plugin/index.ts'); expect(m.default.setup).toBeTypeOf('function') })
