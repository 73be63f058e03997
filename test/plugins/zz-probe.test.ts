import { test } from 'vitest'
import { testKernel } from 'svc/sdk/testing'
import { Tools } from 'svc/sdk'
import { execSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
test('probe', async () => {
  execSync('rm -rf /tmp/ft/w; mkdir -p /tmp/ft/w/src /tmp/ft/w/node_modules/x; cd /tmp/ft/w; echo "# hello\nworld" > readme.md; seq 1 3000 > src/num.txt; cp /bin/ls src/ls; ln -s readme.md link; ln -s /tmp/ft/out outlink; touch "new\nline"; printf "a\\r\\nb\\r\\n" > crlf.txt; mkfifo pipe; head -c 100000000 /dev/zero | tr "\\0" "x" > big; yes "some line of text here" | head -c 100000000 > big.log')
  let out = ''
  const k = await testKernel({ plugins: ['agent', 'tool-files'] })
  writeFileSync(k.home + '/.env', 'A_KEY=verysecretvalue\n')
  out += JSON.stringify(k.problems())
  const tools = k.all(Tools)
  for (const t of tools.all()) { const d = JSON.stringify({ name: t.name, description: t.description, parameters: (t.input as any)['~standard'].jsonSchema.input({ target: 'draft-2020-12' }) }); out += `${d.length} ${d}\n` }
  const run = async (name: string, input: any) => {
    const tool = tools.get(name)!
    const t = performance.now()
    const p: any = await tool.input['~standard'].validate(input)
    let r: any
    try { r = p.issues ? p.issues : await tool.run(p.value, { sessionId: 's', turnId: 't', callId: 'c', cwd: '/tmp/ft/w', signal: new AbortController().signal, key: 'k', progress: () => {} }) } catch (e: any) { r = { code: e.code, message: e.message, stack: e.code ? undefined : e.stack } }
    out += `\n>>> ${name} ${JSON.stringify(input).slice(0,200)} ${(performance.now() - t).toFixed(1)}ms\n${r.text?.slice(0, 600) ?? JSON.stringify(r)}\n${JSON.stringify(r.data)?.slice(0, 500)}\n`
  }
  await run('list_files', {})
  await run('list_files', { depth: 3 })
  await run('list_files', { glob: '*.txt' })
  await run('list_files', { path: '/usr', depth: 9 })
  await run('list_files', { path: 'nope' })
  await run('list_files', { path: 'readme.md' })
  await run('read_file', { path: 'readme.md' })
  await run('read_file', { path: 'src/num.txt', offset: 2990 })
  await run('read_file', { path: 'src/num.txt', offset: 5, limit: 3 })
  await run('read_file', { path: 'src/num.txt', offset: 50000 })
  await run('read_file', { path: 'src/ls' })
  await run('read_file', { path: 'src' })
  await run('read_file', { path: 'pipe' })
  await run('read_file', { path: '/dev/zero' })
  await run('read_file', { path: 'redme.md' })
  await run('read_file', { path: 'sr/num.txt' })
  await run('read_file', { path: 'big' })
  await run('read_file', { path: 'big.log' })
  await run('read_file', { path: 'big.log', offset: 4000000 })
  await run('read_file', { path: 'crlf.txt' })
  await run('read_file', { path: k.home + '/.env' })
  await run('write_file', { path: 'a/b/c.txt', content: 'one\ntwo\n' })
  await run('write_file', { path: 'a/b/c.txt', content: 'one\n2\nthree\n' })
  await run('write_file', { path: 'a/b/c.txt', content: 'one\n2\nthree\n' })
  await run('write_file', { path: 'crlf.txt', content: 'a\nc\n' })
  await run('write_file', { path: 'link', content: 'x' })
  await run('write_file', { path: 'outlink', content: 'x' })
  await run('write_file', { path: '/etc/hosts', content: 'x' })
  await run('write_file', { path: k.home + '/config.yaml', content: 'x' })
  await run('write_file', { path: 'readme.md/x', content: 'x' })
  await run('write_file', { path: 'src', content: 'x' })
  await run('search_files', { pattern: '^29\\d9$' })
  await run('search_files', { pattern: 'hello', glob: '*.md' })
  await run('search_files', { pattern: '(unclosed', path: 'src' })
  await run('search_files', { pattern: '1', path: 'src/num.txt', limit: 3 })
  await run('search_files', { pattern: '(x+x+)+y' })
  await run('search_files', { pattern: 'TERMINAL', path: '/work/main/plugins' })
  await run('search_files', { pattern: 'qqqq1', path: '/work/main' })
  writeFileSync('/tmp/ft/out.txt', out)
  await k.stop()
}, 100000)
