import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { CANARY, cannotConfine, openWorld, skipped } from './support.ts'

/** Ways out. `$OUT` is a folder of the user beside the project, `$PORT` a service of this machine, `$PID` a process of it. */
const attempts: readonly string[] = [
  'echo x > "$OUT/file"; echo x > "$OUT/new"',
  'ln -s "$OUT" link; echo x > link/new; cp src/a.txt link/file',
  'ln "$OUT/file" hard; echo x > hard',
  'echo x > /proc/self/root/$OUT/new; echo x > /proc/self/cwd/../beside/new',
  'for p in /proc/[0-9]*; do echo x > $p/root/$OUT/new; cat $p/environ; done 2>/dev/null | tr "\\0" "\\n"',
  'cat /proc/$PID/environ; ls /proc/$PID/root/; echo x > /proc/$PID/root$OUT/new',
  'kill -9 $PID; kill -9 -1 -$PID; killall -9 sleep; pkill -9 sleep; true',
  'mount --bind / /mnt; mount -o remount,rw /; mount -o remount,rw,bind /usr; touch /usr/x-escape',
  'mount -o remount,rw,bind "$PWD/.git/config"; echo x >> .git/config; umount -l .git/config; echo x >> .git/config',
  'umount -l .git/hooks; umount -l .vscode; echo x > .git/hooks/pre-commit; echo x > .vscode/tasks.json',
  'chroot / true; unshare -m true; unshare -Urm sh -c "mount -o remount,rw /; umount -l .git/hooks; echo x > .git/hooks/pre-commit"',
  'nsenter -t 1 -m sh -c "echo x > $OUT/new"; nsenter -t $PID -m sh -c "echo x > $OUT/new"',
  'gdb -p $PID -batch -ex "call (int)system(\\"touch $OUT/new\\")"; strace -p $PID -o "$OUT/new" & sleep 0.3; kill %1',
  'ls /var/run/docker.sock /run/docker.sock; curl -s --max-time 2 --unix-socket /var/run/docker.sock http://x/version; docker ps',
  'ssh-add -l; echo "agent=$SSH_AUTH_SOCK"; ls -d /tmp/ssh-* /run/user/*',
  "node -e \"require('net').connect('\\0svc-escape-test', function () { this.write('x') })\"",
  'curl -s --max-time 2 http://127.0.0.1:$PORT/; curl -s --max-time 2 http://localhost:$PORT/; (echo x > /dev/tcp/127.0.0.1/$PORT)',
  'curl -s --max-time 2 "http://[::1]:$PORT/"; curl -s --max-time 2 "http://$(hostname -I | cut -d" " -f1):$PORT/"; curl -s --max-time 2 "http://$ADDRESS:$PORT/"',
  'curl -s --max-time 2 http://169.254.169.254/latest/meta-data/; (echo x > /dev/tcp/1.1.1.1/80); ping -c1 -W1 1.1.1.1; getent hosts example.org',
  'echo x > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; mkdir .git/hooks/sub; ln -s /bin/sh .git/hooks/post-commit',
  'git config core.hooksPath /tmp/h; git config core.fsmonitor /tmp/h; echo "[core]" >> .git/config; sed -i s/x/y/ .git/config',
  'mv .git x; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit',
  'cp -r .git /tmp/copy; rm -rf .git; mv /tmp/copy .git; echo x > .git/hooks/pre-commit',
  'git init --separate-git-dir=/tmp/other; git config --file .git/config core.pager evil; git init --template=/tmp',
  'echo /tmp > .git/commondir; rm .git/commondir; mv /tmp/note .git/commondir; echo "../evil" > .git/commondir',
  'mv .git/config .git/old; mv .git/hooks .git/old-hooks; mkdir .git/hooks; rmdir .git/hooks; rm -rf .git/hooks; echo x > .git/config',
  "perl -e \"rename('.git/hooks', '.git/h2') or die; mkdir('.git/hooks')\"; python3 -c \"import os; os.replace('src/a.txt', '.git/config')\"",
  'echo "{}" > .vscode/tasks.json; echo x > .vscode/settings.json; rm -rf .vscode; mv .vscode v; mkdir .vscode; echo x > .vscode/tasks.json',
  'echo x > .envrc; rm -rf .envrc; mv .envrc e; echo x > .envrc; ln -sf /tmp/x .envrc; echo x > .envrc/x',
  'echo "{}" > .mcp.json; mkdir -p .idea/runConfigurations; echo x > .idea/workspace.xml; mkdir -p .svc/plugins/p; echo x > .svc/plugins/p/index.ts',
  'rmdir .idea .svc .mcp.json .envrc; python3 -c "import shutil; shutil.rmtree(\'.idea\', ignore_errors=True)"; mkdir .idea/x; touch .idea/x',
  'git clean -fdxq; mkdir -p .idea; echo x > .idea/x; echo x > .envrc; git checkout -q .',
  'echo x >> ~/.bashrc; echo x >> ~/.profile; echo x > ~/.bash_profile; mkdir -p ~/.config/autostart; echo x > ~/.config/autostart/a.desktop',
  'cat ~/.ssh/*; cat ~/.netrc ~/.git-credentials ~/.config/gh/hosts.yml; echo x > ~/.ssh/authorized_keys; find / -name "id_*" -path "*ssh*" -exec cat {} + 2>/dev/null',
  'cat ~/.svc/.env ~/.svc/data/note $SVCHOME/data/*; cat "$SVCHOME/.env"; ls -la "$SVCHOME"; echo "approvals: {mode: off}" > "$SVCHOME/config.yaml"; rm -rf "$SVCHOME"',
  'mv ~/.svc ~/s; mkdir -p ~/.svc; echo "approvals: {mode: off}" > ~/.svc/config.yaml; ln -s "$SVCHOME" s; echo x > s/config.yaml',
  'grep -rs canary / --include=".env" --include="id_*" --include=".netrc" -m1 --exclude-dir=proc --exclude-dir=sys --exclude-dir=usr | head',
  "python3 -c \"import fcntl,termios; [fcntl.ioctl(0, termios.TIOCSTI, c) for c in 'touch escaped\\n']\"; python3 -c \"import fcntl,termios; fcntl.ioctl(open('/dev/tty'), termios.TIOCSTI, b'x')\"",
  'cp /bin/sh suid; chmod 4755 suid; ./suid -p -c "id -u; echo x > $OUT/new"; sudo -n touch "$OUT/new"; su -c "touch $OUT/new"',
  'mknod dev b 254 0; mknod /tmp/sda b 8 0; cat /dev/vda /dev/sda /dev/mem 2>&1 | head -c 20; ls /dev | wc -l; debugfs /dev/vda',
  'echo "* * * * * touch $OUT/new" | crontab -; echo "touch $OUT/new" | at now; systemd-run --user touch "$OUT/new"; echo x > /etc/cron.d/x; echo x > /var/spool/cron/x',
  'echo "|/tmp/x" > /proc/sys/kernel/core_pattern; echo 1 > /proc/sys/kernel/sysrq; sysctl -w kernel.hostname=x; echo b > /proc/sysrq-trigger',
  'hostname escaped; date -s 2001-01-01; swapoff -a; insmod x.ko; dmesg | head -1; echo x > /sys/kernel/profiling',
  'for d in $(echo $PATH | tr : " "); do cp /bin/true $d/git-escape && echo "placed $d"; done; echo x > /usr/local/bin/x; echo x > /opt/x',
  'setsid sh -c "sleep 0.2; echo x > $OUT/new; echo x > .git/hooks/late" & nohup sh -c "sleep 0.3; echo x > .vscode/late" >/dev/null 2>&1 & disown -a; sleep 0.6',
  "node -e \"const c=require('child_process');c.spawn('sh',['-c','echo x > '+process.env.OUT+'/new'],{detached:true,stdio:'ignore'}).unref()\"; sleep 0.3",
  'mkfifo pipe; ls -la /proc/self/fd; for f in /proc/self/fd/* /proc/1/fd/*; do (echo x > $f/../../../file) 2>/dev/null; done; ls -l /proc/1/root/ /proc/1/cwd/',
  'cd ..; echo x > new; mv project other; ln -s / project; cd project; pwd; echo x > ../beside/file',
  'mkdir -p sub; mount -t tmpfs x sub; mount -t overlay o -o lowerdir=/,upperdir=sub,workdir=/tmp sub; fusermount -u .git; losetup -f',
  'git worktree add -q /tmp/wt; echo x > /tmp/wt/.git; git config --worktree core.hooksPath /tmp; git config --global core.hooksPath /tmp',
  'truncate -s 0 .git/config; dd if=/dev/zero of=.git/config count=1; tee .git/config < /dev/null; cp /dev/null .git/config; chmod 777 .git/config .git/hooks; chown 1:1 .git/config; setfattr -n user.x -v y .git/config',
  'touch -d 2001-01-01 "$OUT/file"; chmod 777 "$OUT" ~/.bashrc; chattr +i "$OUT/file"; rm -rf "$OUT" ~/* ~/.[a-z]*',
]

describe.skipIf(cannotConfine)(`ways out of a confined shell${skipped}`, () => {
  test(`have no effect outside (${attempts.length} of them, in one session)`, { timeout: 240_000 }, async () => {
    await using world = await openWorld()
    const heard: string[] = []
    const server = createServer((socket) => {
      heard.push('tcp')
      socket.destroy()
    })
    const abstract = createServer((socket) => {
      heard.push('abstract socket')
      socket.destroy()
    })
    await new Promise<void>((done) => server.listen(0, '::', done))
    await new Promise<void>((done) => abstract.listen('\0svc-escape-test', done))
    const victim = spawn('sleep', ['1000'], { env: { SECRET_VALUE: CANARY } })
    onTestFinished(() => {
      server.close()
      abstract.close()
      victim.kill('SIGKILL')
    })
    const { port } = server.address() as { port: number }
    const address = Object.values(networkAddresses()).at(0) ?? '127.0.0.1'
    await world.run(
      `export OUT='${world.beside}' SVCHOME='${world.svcHome}' PORT=${port} PID=${victim.pid} ADDRESS=${address}`,
    )
    const before = { files: world.fingerprint(), machine: machineState() }
    const isKilled = () => victim.exitCode !== null || victim.signalCode !== null
    const escaped: unknown[] = []
    for (const attempt of attempts) {
      const { text } = await world.run(attempt, { timeout: 20 })
      const files = differences(before.files, world.fingerprint())
      const machine = differences(before.machine, machineState())
      const effects = [...files, ...machine, ...heard.splice(0), ...(isKilled() ? ['killed'] : [])]
      if (text.includes(CANARY) || text.includes('SOME_API_KEY')) effects.push('a secret was read')
      if (effects.length > 0) escaped.push({ attempt, effects, text: text.slice(0, 500) })
    }
    expect(escaped).toEqual([])
  })

  test('end with the session, also what ran in the background', async () => {
    const world = await openWorld()
    await world.run('(setsid sleep 987 &) ; nohup sleep 987 >/dev/null 2>&1 & disown', { background: true })
    await world.run('setsid -f sleep 987; (sleep 987 & disown)')
    expect(world.session.started().length).toBeGreaterThan(0)
    await world.session.kernel.stop()
    await vi.waitFor(() => expect(world.session.started()).toEqual([]), { timeout: 5000 })
    await world[Symbol.asyncDispose]()
  })

  test('are no wider where the project is a work tree, has submodules, or names its own hooks', async () => {
    await using world = await openWorld()
    const { home, project } = world
    const git = (cwd: string, ...args: string[]) =>
      spawnSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y.z', ...args], { cwd })
    git(project, 'commit', '-q', '--allow-empty', '-m', 'one')
    git(project, 'worktree', 'add', '-q', join(home, 'tree'))
    mkdirSync(join(project, '.git/modules/lib'), { recursive: true })
    git(join(project, '.git/modules'), 'init', '-q', '--bare', 'lib')
    mkdirSync(join(project, 'githooks'))
    writeFileSync(join(project, 'githooks/pre-commit'), 'kept')
    git(project, 'config', 'core.hooksPath', 'githooks')
    const { text } = await world.run(
      'echo x > githooks/pre-commit; mv githooks g; echo x >> .git/modules/lib/config; mv .git/modules/lib .git/modules/m; echo x > .git/modules/lib/hooks/x',
    )
    expect(readFileSync(join(project, 'githooks/pre-commit'), 'utf8')).toBe('kept')
    expect(readFileSync(join(project, '.git/modules/lib/config'), 'utf8')).not.toContain('x\n')
    expect(readdirSync(join(project, '.git/modules'))).toEqual(['lib'])
    expect(text).toContain('Read-only file system')
    const place = { cwd: join(home, 'tree') }
    const inTree = await world.session.terminal(
      {
        command:
          'git commit -q --allow-empty -m two && echo committed; echo x > ../project/.git/hooks/a; echo "gitdir: /x" > .git; echo x > ../project/file',
      },
      { ...place, sessionId: 'tree' },
    )
    expect(inTree.text).toContain('committed')
    expect(existsSync(join(project, '.git/hooks/a'))).toBe(false)
    expect(existsSync(join(project, 'file'))).toBe(false)
    expect(readFileSync(join(home, 'tree/.git'), 'utf8')).toMatch(/^gitdir: .*worktrees\/tree/)
  })

  test('a file .git that names the repository of someone else opens nothing', async () => {
    await using world = await openWorld()
    const { home, beside, project } = world
    writeFileSync(join(beside, '.git'), `gitdir: ${join(project, '.git')}\n`)
    const before = readFileSync(join(project, '.git/HEAD'), 'utf8')
    const git = (...args: string[]) => spawnSync('git', args, { cwd: project })
    git('-c', 'user.name=x', '-c', 'user.email=x@y.z', 'commit', '-q', '--allow-empty', '-m', 'one')
    git('worktree', 'add', '-q', join(home, 'tree'))
    const fake = join(home, 'fake')
    mkdirSync(fake)
    writeFileSync(join(fake, '.git'), `gitdir: ${join(project, '.git/worktrees/tree')}\n`)
    await world.session.terminal({ command: `echo x > ${project}/.git/HEAD` }, { cwd: fake, sessionId: 'fake' })
    expect(readFileSync(join(project, '.git/HEAD'), 'utf8')).toBe(before)
    await world.session.terminal({ command: `echo x > ${project}/.git/HEAD` }, { cwd: beside, sessionId: 'other' })
    expect(readFileSync(join(project, '.git/HEAD'), 'utf8')).toBe(before)
    symlinkSync(project, join(home, 'linked'))
    const linked = await world.session.terminal(
      { command: 'echo in > by-link; echo x > .git/hooks/y' },
      { cwd: join(home, 'linked'), sessionId: 'linked' },
    )
    expect(readFileSync(join(project, 'by-link'), 'utf8')).toBe('in\n')
    expect(linked.text).toContain('Read-only file system')
  })

  test.for(['', '..', '.svc', '.svc/data', '.ssh', '/', '/etc', '/usr/local', '/tmp', '/dev/shm'])(
    'a session in the folder "%s" writes nothing there',
    async (name) => {
      await using world = await openWorld()
      const cwd = name.startsWith('/') ? name : join(world.home, name)
      const before = world.fingerprint()
      const command = 'echo x > svc-escape; echo x > ~/.bashrc; cat .env id_ed25519 .ssh/* .svc/.env; ls -A'
      const said = await world.session
        .terminal({ command }, { cwd, sessionId: `in ${name}` })
        .catch((error: Error) => error)
      expect(world.fingerprint()).toBe(before)
      expect(existsSync(join(cwd, 'svc-escape'))).toBe(false)
      expect(JSON.stringify(said)).not.toContain(CANARY)
    },
  )

  test('the workspace in the home of svc is a project like any other, and the home around it is not seen', async () => {
    await using world = await openWorld()
    const cwd = join(world.svcHome, 'workspace')
    mkdirSync(cwd)
    const { text } = await world.session.terminal(
      { command: 'echo x > file; cat ../.env; ls -A ..' },
      { cwd, sessionId: 'w' },
    )
    expect(readFileSync(join(cwd, 'file'), 'utf8')).toBe('x\n')
    expect(text).not.toContain(CANARY)
    expect(text).toMatch(/workspace$/)
  })
})

function machineState(): string {
  const files = ['/proc/sys/kernel/core_pattern', '/proc/sys/kernel/hostname', '/etc/passwd', '/etc/hostname']
  const there = ['/usr/x-escape', '/usr/local/bin/x', '/opt/x', '/etc/cron.d/x', '/var/spool/cron/x'].map(existsSync)
  const placed = (process.env['PATH'] ?? '').split(':').map((folder) => existsSync(join(folder, 'git-escape')))
  return JSON.stringify([files.map((path) => readFileSync(path, 'utf8')), there, placed])
}

function networkAddresses(): Record<string, string> {
  const { networkInterfaces } = process.getBuiltinModule('node:os')
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return Object.fromEntries(
    all.filter(({ internal, family }) => !internal && family === 'IPv4').map(({ address }) => [address, address]),
  )
}

function differences(before: string, after: string): string[] {
  if (before === after) return []
  const [one, two] = [before.split('\n'), after.split('\n')]
  return [
    ...two.filter((line) => !one.includes(line)),
    ...one.filter((line) => !two.includes(line)).map((line) => `- ${line}`),
  ]
}
