/** A config.yaml that is wrong: the file, the key and what to do are named, and the file is left as it is. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type BuiltRun, runBuilt } from '../support/built.ts'
import { expectClear } from '../support/clear-error.ts'
import { temporaryFolder } from '../support/temporary.ts'

function demoHome(config = 'model:\n  provider: demo\n'): string {
  const home = temporaryFolder()
  writeFileSync(join(home, 'config.yaml'), config)
  return home
}

const svc = (home: string, ...argv: string[]): BuiltRun => runBuilt(argv, { home })

const configs: Record<string, string> = {
  'a list': '- a\n- b\n',
  'a text': 'just words\n',
  'no YAML': 'model: [unclosed\n  provider: "x\n',
  'wrong types': 'model:\n  provider: 5\n  default: [a]\nagent:\n  max_retries: many\nterminal: yes\nbudget: 5\n',
  'unknown keys': 'modle:\n  provider: demo\nmodel:\n  provider: demo\n  colour: blue\n',
  nulls: 'model:\nagent: null\nterminal: ~\nbudget:\n',
  tabs: 'model:\n\tprovider: demo\n',
  'twice the same key': 'model:\n  provider: demo\nmodel:\n  provider: openai\n',
  'an anchor bomb': `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefgh'
    .split('')
    .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[at]}`).join(',')}]`)
    .join('\n')}\n`,
  binary: '\0\x01\x02\xff\xfe',
  'deep nesting': `${Array.from({ length: 300 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')} 1\n`,
  'a model with spaces': 'model:\n  provider: demo\n  default: my own model\n',
  'a negative number': 'model:\n  provider: demo\nterminal:\n  timeout: -5\n',
}

test.each(Object.keys(configs))(
  'a config.yaml with %s is named with its line or key, and is left as it is',
  (name) => {
    const home = demoHome(configs[name])
    for (const argv of [
      ['config', 'show'],
      ['config', 'get', 'model.provider'],
      ['chat', '-q', 'List the files'],
    ]) {
      const ran = svc(home, ...argv)
      expectClear(ran)
      if (ran.code !== 0) expect(ran.err).toMatch(/config\.yaml|[a-z_]+\.[a-z_]+|model|terminal|budget|agent/)
    }
    expect(readFileSync(join(home, 'config.yaml'), 'utf8')).toBe(configs[name])
  },
  60_000,
)
