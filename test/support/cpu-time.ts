/** Milliseconds of processor time that `work` took in this process: unlike the time of the wall, other processes do not add to it. */
export function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
