import { printAddress } from 'svc/sdk/kit/terminal'
import { expect, test } from 'vitest'
import { readTerminalQrCode } from '../../support/qr-code.ts'

/** What is printed at a terminal like that. */
async function print(address: string, options: { color?: boolean; columns?: number; rows?: number } = {}) {
  const { color = true, columns = 80, rows } = options
  let said = ''
  const out = (text: string) => {
    said += text
  }
  const terminal = rows === undefined ? {} : { terminal: { output: { rows } } as never }
  await printAddress({ out, color, columns, ...terminal }, address)
  return said
}

const ADDRESSES = [
  'https://t.me/svc_test_bot',
  'sms:+15550100000',
  'https://matrix.to/#/%40svc%3Aexample.org',
  `nostr:npub1${'q'.repeat(58)}`,
  'sgnl://linkdevice?uuid=bGluayAw&pub_key=a2V5IDAuLi4uLi4uLi4uLi4uLi4uLi4uLi4uLi4uLi4u',
  `https://simplex.chat/contact#/?v=2-7&smp=${'x'.repeat(300)}`,
]

test('a phone reads from the terminal what stands below the code', async () => {
  for (const address of ADDRESSES) {
    const said = await print(address, { columns: 200 })
    expect(readTerminalQrCode(said), address).toBe(address)
    expect(said.endsWith(`\u001b[0m\n${address}\n`)).toBe(true)
  }
})

test('the code is black on white, has its quiet zone, and its rows are of one length', async () => {
  const said = await print('https://t.me/svc_test_bot')
  const rows = said.split('\n').slice(0, -2)
  for (const row of rows) expect(row).toMatch(/^\u001b\[30;47m {4}[ ▀▄█]+ {4}\u001b\[0m$/)
  const plain = rows.map((row) => row.slice('\u001b[30;47m'.length, -'\u001b[0m'.length))
  // Version 2 has 25 modules, and 4 light ones on each side; two are one character high.
  expect(new Set(plain.map((row) => row.length))).toEqual(new Set([33]))
  expect(plain).toHaveLength(17)
  const blank = ' '.repeat(33)
  expect([plain[0], plain[1], plain.at(-2)?.replaceAll(/[▀]/g, ' '), plain.at(-1)]).toEqual([
    blank,
    blank,
    blank,
    blank,
  ])
})

test('only the address is printed where the code could not be scanned', async () => {
  const address = 'https://t.me/svc_test_bot'
  const link = `${address}\n`
  expect(await print(address, { color: false })).toBe(link)
  expect(await print(address, { columns: 32 })).toBe(link)
  expect(await print(address, { columns: 33 })).not.toBe(link)
  expect(await print(address, { rows: 17 })).toBe(link)
  expect(await print(address, { rows: 18 })).not.toBe(link)
  const long = `https://example.org/${'x'.repeat(3000)}`
  expect(await print(long, { columns: 1000 })).toBe(`${long}\n`)
  expect(await print('https://a.example/\u001b[2J', { color: false })).not.toContain('\u001b')
})
