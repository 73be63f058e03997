import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { lacks } from '../../tools/shell/tool-terminal/session.ts'
import { cannotConfine, openWorld, skipped } from './support.ts'

/** What people and agents do all day; each must end with 0. */
const commands: readonly (readonly [command: string, needs?: string])[] = [
  ['git status'],
  ['git add . && git commit -qm one && git log --oneline | grep one'],
  ['git checkout -q -b topic && git switch -q main && git branch'],
  ['git stash -u; git diff --stat; git tag v1; git rev-parse HEAD'],
  ['echo "console.log(6 * 7)" > a.js && node a.js | grep 42'],
  [
    'printf \'{"scripts":{"test":"node a.js","build":"mkdir -p dist && cp a.js dist/"}}\' > package.json && npm test && npm run build',
  ],
  ["node -e \"require('node:fs').writeFileSync('b.txt', String(process.pid))\" && rm b.txt"],
  ['python3 -c "print(1)"', 'python3'],
  ['python3 -m venv --without-pip .venv && .venv/bin/python -c "import json"', 'python3'],
  ['printf "all:\\n\\techo made > made\\n" > Makefile && make && cat made', 'make'],
  ['printf "int main(){return 0;}" > a.c && cc a.c -o a.out && ./a.out', 'cc'],
  ['grep -rn one src | head -3; find . -name "*.txt" | wc -l; ls -la; wc -l src/a.txt'],
  ['sed -i s/one/two/ src/a.txt && grep two src/a.txt && cp src/a.txt c.txt && mv c.txt d.txt && rm d.txt'],
  ['tar czf /tmp/x.tgz src && tar tzf /tmp/x.tgz && mkdir -p out && tar xzf /tmp/x.tgz -C out && rm -rf out'],
  ['echo note > /tmp/note && cat "$TMPDIR/note" && mktemp'],
  ['echo x > ~/.cache-file && cat ~/.cache-file && mkdir -p ~/.cache/tool'],
  ['ps aux | head -3; kill -0 $$; sleep 0.01 & wait; nproc; date; whoami; hostname; df . | tail -1'],
  [
    "node -e \"const s=require('http').createServer((q,r)=>r.end('hi')).listen(3000,()=>fetch('http://localhost:3000').then(r=>r.text()).then(t=>{console.log(t);process.exit()}))\" | grep hi",
  ],
  ['(exec 3<>/dev/null; echo ok >&3) && echo problem > /dev/stderr'],
  ['cd src && pwd | grep src$ && cd ..'],
]

describe.skipIf(cannotConfine)(`everyday commands in a confined shell${skipped}`, () => {
  test('run as they do without confinement', { timeout: 120_000 }, async () => {
    await using world = await openWorld()
    const failed: unknown[] = []
    for (const [command, program] of commands) {
      if (program !== undefined && lacks(program, '--version')) continue
      const { text, data } = await world.run(command)
      if (data['exitCode'] !== 0) failed.push([command, text])
    }
    expect(failed).toEqual([])
  })

  test('leave a project as it would be without confinement', async () => {
    const world = await openWorld()
    const { project, run } = world
    await run('echo inside > file')
    expect(existsSync(join(project, '.envrc'))).toBe(true)
    expect(readFileSync(join(project, 'file'), 'utf8')).toBe('inside\n')
    await world.session.kernel.stop()
    await vi.waitFor(() => expect(readdirSync(project).sort()).toEqual(['.git', '.vscode', 'file', 'src']))
    expect(readdirSync(join(project, '.git'))).not.toContain('commondir')
    await world[Symbol.asyncDispose]()
  })

  test('keep folder and variables, in the foreground, in the background and in a terminal', async () => {
    await using world = await openWorld()
    await world.run('x=kept; export Y=sent; cd src')
    expect((await world.run('echo $x; pwd')).text).toBe(`kept\n${world.project}/src`)
    expect((await world.run('test -t 0 && pwd', { pty: true })).text).toBe(`${world.project}/src`)
    const { data } = await world.run('echo up; sleep 300', { background: true })
    await vi.waitFor(async () =>
      expect((await world.session.process({ action: 'poll', id: data['processId'] })).text).toContain('up'),
    )
    expect((await world.session.process({ action: 'kill', id: data['processId'] })).text).toContain('killed')
    const late = await world.run('mkdir deep; cd deep; sleep 300', { timeout: 0.4 })
    expect(late.data).toMatchObject({ exitCode: 124 })
    await vi.waitFor(() => expect(world.session.started()).toEqual([]), { timeout: 5000 })
  })
})
