import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { assessCommand } from '../../../../plugins/safety/command-risk/assess.ts'

type Verdict = 'allowed' | 'asked' | 'blocked'

/** One command a line; a line break in a command is written as `␤`. */
function corpus(name: string): string[] {
  const text = readFileSync(new URL(`./corpus/${name}.txt`, import.meta.url), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replaceAll('␤', '\n'))
}

async function verdict(command: string): Promise<Verdict> {
  const { never, dangers } = await assessCommand(command, { cwd: '/srv/project' })
  if (never !== undefined) return 'blocked'
  return dangers.length ? 'asked' : 'allowed'
}

/** Spellings that change nothing of what a shell does. */
const disguises: readonly ((command: string) => string)[] = [
  (command) => `  ${command}  `,
  (command) => `true; ${command}`,
  (command) => `ls && ${command}`,
  (command) => `(${command})`,
  (command) => `sudo ${command}`,
  (command) => `nohup ${command} &`,
  (command) => `env A=1 ${command}`,
  (command) => `command ${command}`,
  (command) => `\\${command}`,
  (command) => `${command.slice(0, 1)}''${command.slice(1)}`,
  (command) => `${command.slice(0, 1)}\\${command.slice(1)}`,
  (command) => `${command.slice(0, 1)}\\\n${command.slice(1)}`,
  (command) => command.replaceAll(' ', '$' + '{IFS}'),
  (command) => command.replaceAll(' ', '\t'),
  (command) => `bash -c '${command}'`,
  (command) => `eval '${command}'`,
  (command) => `sh -c "sh -c '${command}'"`,
  (command) => `echo '${command}' | sh`,
  (command) => `sh <<< '${command}'`,
  (command) => `bash <<E\n${command}\nE\n`,
  (command) => `echo ${Buffer.from(command).toString('base64')} | base64 -d | bash`,
  (command) => `eval "$(printf '${[...Buffer.from(command)].map((byte) => `\\x${byte.toString(16)}`).join('')}')"`,
  (command) => `x='${command}'; $x`,
  (command) => `f() { ${command}; }; f`,
  (command) => `if true; then ${command}; fi`,
  (command) => `echo "$(${command})"`,
  (command) => `\u001b[31m${command}\u001b[0m`,
]
const plainHard = [
  'rm -rf /',
  'rm -rf /etc',
  'rm -r -f ~',
  'mkfs.ext4 /dev/sda1',
  'dd if=/dev/zero of=/dev/sda',
  'reboot now',
  'kill -9 -1',
  'shutdown -h now',
  'init 0 now',
]
const plainDangerous = [
  'rm -r src',
  'git reset --hard',
  'git push --force',
  'pkill node',
  'chmod 777 x',
  'systemctl stop nginx',
  'docker rm web',
  'chown -R root x',
]
const plainHarmless = [
  'ls -la',
  'git status',
  'cat README.md',
  'grep -r foo src',
  'npm run build',
  'mkdir -p dist',
  'node index.js',
  'echo hello world',
]
const disguised = (commands: readonly string[]) =>
  commands.flatMap((command) => disguises.map((disguise) => disguise(command)))

/** The cases for which the verdict is this, or is not. */
async function those(cases: readonly string[], fits: (verdict: Verdict) => boolean): Promise<string[]> {
  const found: string[] = []
  for (const command of cases) if (fits(await verdict(command))) found.push(command)
  return found
}

test('every command of the hard line is blocked, however it is written', async () => {
  const cases = [...corpus('hard-line'), ...disguised(plainHard)]
  const missed = await those(cases, (each) => each !== 'blocked')
  console.log(`hard line: ${cases.length - missed.length} of ${cases.length} blocked`)
  expect(missed).toEqual([])
})

test('at least 98 of 100 dangerous commands are asked about', async () => {
  const cases = [...corpus('dangerous'), ...disguised(plainDangerous)]
  const missed = await those(cases, (each) => each === 'allowed')
  const rate = 1 - missed.length / cases.length
  console.log(`dangerous: ${(rate * 100).toFixed(1)} % of ${cases.length} asked`, missed)
  expect(cases.length).toBeGreaterThanOrEqual(300)
  expect(rate).toBeGreaterThanOrEqual(0.98)
})

test('at most 2 of 100 harmless commands are asked about, and none is blocked', async () => {
  const sudoless = disguises.filter((disguise) => !disguise('x').includes('sudo'))
  const cases = [...corpus('harmless'), ...plainHarmless.flatMap((command) => sudoless.map((each) => each(command)))]
  const alarms = await those(cases, (each) => each !== 'allowed')
  const rate = alarms.length / cases.length
  console.log(`harmless: ${(rate * 100).toFixed(1)} % false alarms of ${cases.length}`, alarms)
  expect(corpus('harmless').length).toBeGreaterThanOrEqual(300)
  expect(await those(alarms, (each) => each === 'blocked')).toEqual([])
  expect(rate).toBeLessThanOrEqual(0.02)
})

/** Each set was complete before anything that it showed to be missed was mended. */
const others = ['fresh', 'later', 'last'] as const

test.for(others)('of other dangerous commands (%s) at least 99 of 100 are asked about', async (set) => {
  const cases = corpus(`${set}-dangerous`)
  const missed = await those(cases, (each) => each === 'allowed')
  const rate = 1 - missed.length / cases.length
  console.log(`${set} dangerous: ${(rate * 100).toFixed(1)} % of ${cases.length} asked`, missed)
  expect(cases.length).toBeGreaterThan(100)
  expect(rate).toBeGreaterThanOrEqual(0.99)
})

test.for(others)(
  'of other harmless commands (%s) at most 5 of 100 are asked about, and none is blocked',
  async (set) => {
    const cases = corpus(`${set}-harmless`)
    const alarms = await those(cases, (each) => each !== 'allowed')
    const rate = alarms.length / cases.length
    console.log(`${set} harmless: ${(rate * 100).toFixed(1)} % false alarms of ${cases.length}`, alarms)
    expect(cases.length).toBeGreaterThan(100)
    expect(await those(alarms, (each) => each === 'blocked')).toEqual([])
    expect(rate).toBeLessThanOrEqual(0.05)
  },
)
