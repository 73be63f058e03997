import { describe, expect, it } from 'vitest'
import { measureCost, peakMiB, wallMs } from './child.ts'

const baseline = `${import.meta.dirname}/baseline`
const program = (code: string, prints: string) => ({
  args: ['-e', code],
  env: { PATH: process.env['PATH'] ?? '' },
  cwd: import.meta.dirname,
  prints,
})

describe('a measured program', () => {
  it('counts only when it ends well and prints what it should', () => {
    expect(wallMs(program('console.log("done")', 'done'))).toBeGreaterThan(0)
    expect(() => wallMs(program('console.log("nothing")', 'done'))).toThrow('it did not print "done"')
    expect(() => wallMs(program('console.error("no luck"); process.exit(3)', ''))).toThrow('exit code 3: no luck')
  })

  it('sees its own environment', () => {
    expect(() => wallMs(program('console.log(Object.keys(process.env).join())', 'PATH'))).not.toThrow()
    expect(() => wallMs(program('console.log(Object.keys(process.env).join())', 'HOME'))).toThrow('did not print')
  })

  it('tells work from waiting', () => {
    const waits = measureCost(program('setTimeout(() => {}, 300)', ''))
    expect(waits.wall).toBeGreaterThan(300)
    const works = measureCost(
      program('for (const end = process.cpuUsage().user + 3e5; process.cpuUsage().user < end;);', ''),
    )
    expect(works.cpu).toBeGreaterThanOrEqual(300)
    expect(works.cpu - waits.cpu).toBeGreaterThan(150)
  })

  it('reports the memory it held at its peak, though it let go of it', () => {
    const small = peakMiB(program('', ''), baseline)
    const large = peakMiB(program('let block = Buffer.alloc(100 * 2 ** 20, 1); block = undefined', ''), baseline)
    expect(small).toBeGreaterThan(20)
    expect(large - small).toBeGreaterThan(80)
  })
})
