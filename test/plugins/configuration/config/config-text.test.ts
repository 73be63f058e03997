import { YamlEditor } from 'svc/sdk/host'
import { testKernel } from 'svc/sdk/testing'
import { describe, expect, it } from 'vitest'
import { ConfigText, parseKeys } from '../../../../plugins/configuration/config/config-text.ts'

describe('the text of config.yaml', () => {
  it('is refused with the file, the place and what to do when it cannot be parsed', async () => {
    await using kernel = await testKernel({ plugins: ['yaml-edit'] })
    const text = new ConfigText(kernel.use(YamlEditor), '/home/config.yaml')
    await expect(text.read('a: 1\na: 2\n')).rejects.toMatchObject({
      code: 'CONFIG_UNREADABLE',
      message: expect.stringMatching(/^\/home\/config\.yaml, line 2, column 1: .*keep one of the two/),
    })
  })

  it.each([
    ['a: 5\n', 'a.b', 1, 'CONFIG_PATH', 'a is 5 and holds no keys'],
    ['a: &x {k: 1}\nb: *x\n', 'b.k', 2, 'CONFIG_ALIAS', 'b is an alias'],
    ['a: &x 5\nb: *x\n', 'a', undefined, 'CONFIG_EDIT_UNSAFE', 'cannot be changed without'],
  ])('tells why an edit is refused in words of the configuration: %j', async (before, key, value, code, message) => {
    await using kernel = await testKernel({ plugins: ['yaml-edit'] })
    const text = new ConfigText(kernel.use(YamlEditor), 'config.yaml')
    const refused = expect(text.edit(before, [{ path: parseKeys(key), value }])).rejects
    await refused.toMatchObject({ code, message: expect.stringMatching(`${message}.* Nothing was written\\.$`) })
  })

  it('has keys with dots between them', () => {
    expect(parseKeys('a."b.c".0')).toEqual(['a', 'b.c', '0'])
    expect(() => parseKeys('a..b')).toThrow(/"a\.\.b" is not a key/)
  })
})
