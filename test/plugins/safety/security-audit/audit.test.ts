import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Clock } from 'svc/sdk'
import type { InlinePlugin } from 'svc/sdk/host'
import { type AuditComponent, AuditSources } from 'svc/sdk/safety'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { type OsvRecord, startOsvServer } from '../../../support/osv-server.ts'

const CRITICAL = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'
const LOW = 'CVSS:3.1/AV:N/AC:L/PR:H/UI:N/S:U/C:L/I:L/A:N'

function record(id: string, name: string, versions: string[], more: object = {}, ecosystem = 'npm'): OsvRecord {
  const ranges = [
    { type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '9.9.9' }] },
    { type: 'GIT', events: [{ introduced: '0' }, { fixed: 'c0ffee' }] },
  ]
  const affected = [{ package: { name, ecosystem }, versions, ranges }]
  return { id, modified: '2026-01-01T00:00:00Z', summary: `${id} of ${name}`, affected, ...more }
}

function component(name: string, version = '1.0.0', ecosystem = 'npm'): AuditComponent {
  return { name, version, ecosystem, source: 'test' }
}

function temporaryHome(files: Readonly<Record<string, string>> = {}): string {
  const home = mkdtempSync(join(tmpdir(), 'svc-audit-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  return home
}

/** Time limits of the network are real; waits before another attempt end at once. */
const withoutWaits: Clock = {
  ...virtualClock(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
  sleep: async () => undefined,
}

interface Scene {
  readonly records?: readonly OsvRecord[]
  readonly components?: readonly AuditComponent[] | (() => readonly AuditComponent[])
  readonly home?: string
  readonly page?: number
  readonly timeout?: number
}

/** A kernel with the audit and one source, as the plugin `mcp` would be. */
async function open({ records = [], components = [], home = temporaryHome(), page, timeout = 20 }: Scene) {
  const server = await startOsvServer(records, page)
  const source: InlinePlugin = {
    name: 'servers',
    with: ['security-audit'],
    contributes: { 'audit-sources': ['servers'] },
    setup: (ctx) => {
      ctx.add(AuditSources, {
        name: 'servers',
        kind: 'mcp',
        list: async () => ({ components: typeof components === 'function' ? components() : components }),
      })
    },
  }
  const kernel = await testKernel({
    home,
    clock: withoutWaits,
    plugins: ['security-audit', 'caches'],
    with: [source],
    config: { security_audit: { url: server.url, timeout } },
  })
  onTestFinished(async () => {
    await kernel.stop()
    await server[Symbol.asyncDispose]()
  })
  const audit = async (...options: string[]) => {
    const { code, out, err } = await kernel.run(['security', 'audit', '--skip-venv', '--json', ...options])
    return { code, err, report: out ? (JSON.parse(out) as Report) : undefined }
  }
  return { server, kernel, audit }
}

interface Report {
  total_components_scanned: number
  finding_count: number
  findings: { package: string; vuln_id: string; severity: string; fixed_versions: string[]; source: string }[]
  notes: string[]
}

test('a package without advisories is counted and found clean', async () => {
  const { audit } = await open({ components: [component('sound')] })
  const { code, report } = await audit()
  expect({ code, report }).toEqual({
    code: 0,
    report: { total_components_scanned: 1, finding_count: 0, findings: [], notes: [] },
  })
})

test('a finding says what it is, how severe, where it came from and what mends it', async () => {
  const records = [record('GHSA-1', 'weak', ['1.0.0'], { database_specific: { severity: 'HIGH' } })]
  const { audit, kernel } = await open({ records, components: [component('weak')] })
  const { report } = await audit()
  expect(report?.findings).toEqual([
    {
      package: 'weak',
      version: '1.0.0',
      ecosystem: 'npm',
      source: 'test',
      vuln_id: 'GHSA-1',
      severity: 'HIGH',
      summary: 'GHSA-1 of weak',
      fixed_versions: ['9.9.9'],
    },
  ])
  const { out } = await kernel.run(['security', 'audit', '--skip-venv'])
  expect(out).toBe(
    'HIGH  weak 1.0.0  GHSA-1\n  GHSA-1 of weak\n  Fixed in 9.9.9. From: test\n\n1 package looked up, 1 finding: 1 high\n',
  )
})

test.each([
  [[], 0],
  [['--fail-on', 'critical'], 0],
  [['--fail-on', 'high'], 1],
  [['--fail-on', 'moderate'], 1],
  [['--fail-on', 'low'], 1],
])('with %j a finding of severity high ends with %d', async (options, expected) => {
  const records = [record('GHSA-1', 'weak', ['1.0.0'], { database_specific: { severity: 'HIGH' } })]
  const { audit } = await open({ records, components: [component('weak')] })
  expect((await audit(...options)).code).toBe(expected)
})

test('an unknown severity for --fail-on is wrong usage, and nothing is asked', async () => {
  const { audit, server } = await open({ components: [component('weak')] })
  const { code, err } = await audit('--fail-on', 'severe')
  expect({ code, asked: server.requests }).toEqual({ code: 2, asked: [] })
  expect(err).toContain('--fail-on is low, moderate, high, critical, not severe')
})

test.each([
  ['MAL-2026-1', {}, 'CRITICAL'],
  [
    'GHSA-1',
    { database_specific: { severity: 'MODERATE' }, severity: [{ type: 'CVSS_V3', score: CRITICAL }] },
    'MODERATE',
  ],
  [
    'PYSEC-1',
    {
      severity: [
        { type: 'CVSS_V3', score: LOW },
        { type: 'CVSS_V3', score: CRITICAL },
      ],
    },
    'CRITICAL',
  ],
  ['PYSEC-2', { severity: [{ type: 'CVSS_V3', score: LOW }] }, 'LOW'],
  [
    'OSV-3',
    { severity: [{ type: 'CVSS_V4', score: 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N' }] },
    'CRITICAL',
  ],
  ['OSV-4', { severity: [{ type: 'CVSS_V2', score: 'AV:N/AC:L/Au:N/C:P/I:P/A:P' }] }, 'HIGH'],
  ['OSV-5', { severity: [{ type: 'CVSS_V3', score: 'not a vector' }] }, 'UNKNOWN'],
  ['OSV-6', { database_specific: { severity: 7 } }, 'UNKNOWN'],
])('%s with %j is %s', async (id, more, severity) => {
  const { audit } = await open({ records: [record(id, 'weak', ['1.0.0'], more)], components: [component('weak')] })
  expect((await audit()).report?.findings.map((finding) => finding.severity)).toEqual([severity])
})

test('one vulnerability in two databases is one finding, a withdrawn advisory is none', async () => {
  const records = [
    record('PYSEC-1', 'weak', ['1.0.0'], { aliases: ['CVE-1'] }),
    record('GHSA-1', 'weak', ['1.0.0'], { aliases: ['CVE-1'], database_specific: { severity: 'HIGH' } }),
    record('GHSA-2', 'weak', ['1.0.0'], { withdrawn: '2026-02-01T00:00:00Z' }),
  ]
  const { audit } = await open({ records, components: [component('weak')] })
  expect((await audit()).report?.findings.map(({ vuln_id }) => vuln_id)).toEqual(['GHSA-1'])
})

test('the most severe finding is first', async () => {
  const records = ['LOW', 'CRITICAL', 'MODERATE'].map((severity, at) =>
    record(`GHSA-${at}`, `weak-${at}`, ['1.0.0'], { database_specific: { severity } }),
  )
  const { audit } = await open({ records, components: [0, 1, 2].map((at) => component(`weak-${at}`)) })
  expect((await audit()).report?.findings.map(({ severity }) => severity)).toEqual(['CRITICAL', 'MODERATE', 'LOW'])
})

test('2,500 packages are asked in batches of at most 1,000, each advisory once and eight at a time', async () => {
  const components = Array.from({ length: 2500 }, (_, at) => component(`package-${at}`))
  const records = Array.from({ length: 40 }, (_, at) => record(`GHSA-${at}`, `package-${at * 60}`, ['1.0.0']))
  const { audit, server } = await open({ components, records })
  const { report } = await audit()
  expect(report).toMatchObject({ total_components_scanned: 2500, finding_count: 40 })
  expect(server.batches).toEqual([1000, 1000, 500])
  expect(new Set(server.requests.filter((each) => each.startsWith('GET'))).size).toBe(40)
  expect(server.parallel()).toBeLessThanOrEqual(8)
})

test('further pages of one package are read, and belong to it', async () => {
  const records = Array.from({ length: 7 }, (_, at) => record(`GHSA-${at}`, 'weak', ['1.0.0']))
  const { audit } = await open({ records, components: [component('sound'), component('weak')], page: 3 })
  const { report } = await audit()
  expect(report?.findings.map((finding) => finding.package)).toEqual(Array(7).fill('weak'))
})

test('an advisory that did not change is not fetched again, one that changed is', async () => {
  const records = [record('GHSA-1', 'weak', ['1.0.0'])]
  const { audit, server } = await open({ records, components: [component('weak')] })
  const fetched = () => server.requests.filter((each) => each.startsWith('GET')).length
  await audit()
  await audit()
  expect(fetched()).toBe(1)
  records[0] = { ...record('GHSA-1', 'weak', ['1.0.0']), modified: '2026-03-01T00:00:00Z', summary: 'worse' }
  expect((await audit()).report?.findings[0]).toMatchObject({ summary: 'worse' })
  expect(fetched()).toBe(2)
})

test('the same package from two sources is asked once and names both', async () => {
  const records = [record('GHSA-1', 'weak', ['1.0.0'])]
  const components = [component('weak'), { ...component('weak'), source: 'another' }]
  const { audit } = await open({ records, components })
  expect((await audit()).report).toMatchObject({ total_components_scanned: 1, findings: [{ source: 'another, test' }] })
})

test('a busy server is asked again', async () => {
  const { audit, server } = await open({ components: [component('sound')] })
  server.faults.push(503, 429)
  expect((await audit()).code).toBe(0)
  expect(server.requests).toHaveLength(3)
})

test.each([
  ['fails three times', [500, 500, 500], 'status 500'],
  ['refuses', [403], 'status 403'],
  ['answers with garbage', ['<html>'], '<html>'],
  ['leaves queries out', ['{"results":[]}'], '0 of 1 queries'],
])('when the server %s, the audit says that it says nothing, and ends with 2', async (_, faults, told) => {
  const { audit, server } = await open({ components: [component('sound')] })
  server.faults.push(...faults)
  const { code, err, report } = await audit()
  expect({ code, report }).toEqual({ code: 2, report: undefined })
  expect(err.replaceAll(/\s+/g, ' ')).toContain(told)
  expect(err.replaceAll(/\s+/g, ' ')).toContain('svc config set security_audit.url URL')
})

test('a server that never answers is given up', async () => {
  const { audit, server } = await open({ components: [component('sound')], timeout: 0.05 })
  server.faults.push('hang', 'hang', 'hang')
  expect((await audit()).code).toBe(2)
})

test('offline: the message says so', async () => {
  const { audit, server } = await open({ components: [component('sound')] })
  await server[Symbol.asyncDispose]()
  const { code, err } = await audit()
  expect(code).toBe(2)
  expect(err.replaceAll(/\s+/g, ' ')).toMatch(/could not be read: .*Nothing was audited/)
})

test('a source that fails is a note, and the others are audited', async () => {
  const broken = () => {
    throw new Error('the list is broken')
  }
  const { audit } = await open({ components: broken })
  expect(await audit()).toMatchObject({
    code: 0,
    report: { notes: ['servers could not be listed: the list is broken'] },
  })
})

test('a plugin with a broken package.json is a note, and the others are audited', async () => {
  const { audit } = await open({
    components: [component('sound')],
    home: temporaryHome({
      'plugins/broken/plugin.json': '{"name":"broken","version":"1.0.0","sdk":"^0.2.0"}',
      'plugins/broken/package.json': '{',
    }),
  })
  expect((await audit()).report).toMatchObject({
    total_components_scanned: 1,
    notes: ['plugin broken: package.json cannot be read.'],
  })
})

test('pins and installed packages of a plugin are looked up, ranges that are not installed are noted', async () => {
  const home = temporaryHome({
    'plugins/maps/plugin.json': '{"name":"maps","version":"1.0.0","sdk":"^0.2.0"}',
    'plugins/maps/package.json': JSON.stringify({
      dependencies: { pinned: '2.0.0', ranged: '^1.0.0', installed: '^3.0.0' },
      optionalDependencies: { absent: '^1.0.0' },
    }),
    'plugins/maps/node_modules/installed/package.json':
      '{"name":"installed","version":"3.1.4","dependencies":{"deep":"*"}}',
    'plugins/maps/node_modules/installed/node_modules/deep/package.json':
      '{"name":"deep","version":"0.0.1","dependencies":{"installed":"*"}}',
    'plugins/maps/requirements.txt':
      'Flask_Login[extra]==1.2.3 ; python_version > "3.8"  # why\nnumpy>=2\n-r other.txt\nany==1.*\n',
    'plugins/maps/pyproject.toml':
      '[build-system]\nrequires = ["setuptools==1.0"]\n[project]\nname = "maps"\ndependencies = [\n  "httpx[http2]==0.27.0",\n  \'rich\',\n]\n[project.optional-dependencies]\ntest = ["pytest==8.0.0"]\n',
  })
  const records = [
    record('GHSA-1', 'pinned', ['2.0.0']),
    record('GHSA-2', 'installed', ['3.1.4']),
    record('GHSA-3', 'deep', ['0.0.1']),
    record('PYSEC-1', 'flask-login', ['1.2.3'], {}, 'PyPI'),
    record('PYSEC-2', 'httpx', ['0.27.0'], {}, 'PyPI'),
    record('PYSEC-3', 'pytest', ['8.0.0'], {}, 'PyPI'),
    record('PYSEC-4', 'setuptools', ['1.0'], {}, 'PyPI'),
  ]
  const { audit } = await open({ home, records })
  const { report } = await audit()
  expect(report?.findings.map((finding) => finding.package).sort()).toEqual([
    'deep',
    'flask-login',
    'httpx',
    'installed',
    'pinned',
    'pytest',
  ])
  expect(report?.notes.sort()).toEqual([
    'plugin maps: any in requirements.txt is not pinned with ==.',
    'plugin maps: numpy in requirements.txt is not pinned with ==.',
    'plugin maps: ranged is neither installed nor pinned (^1.0.0).',
    'plugin maps: rich in pyproject.toml is not pinned with ==.',
  ])
  expect((await audit('--skip-plugins')).report).toMatchObject({ total_components_scanned: 0, notes: [] })
})

test('--skip-mcp leaves servers out, and svc itself is looked up without --skip-venv', async () => {
  const { audit, kernel } = await open({ components: [component('server')] })
  expect((await audit('--skip-mcp')).report?.total_components_scanned).toBe(0)
  const { out } = await kernel.run(['security', 'audit', '--json', '--skip-mcp'])
  expect((JSON.parse(out) as Report).total_components_scanned).toBeGreaterThan(20)
})
