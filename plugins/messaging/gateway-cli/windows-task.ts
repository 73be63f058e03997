/** The gateway as a task of the Task Scheduler of Windows. */
import { join } from 'node:path'
import { SvcError } from 'svc/sdk'
import { profileWords, UNIT_MARK, type Unit, type UnitFacts, xml } from './service-units.ts'

/**
 * Sources: the Task Scheduler schema 1.2 (learn.microsoft.com, "Task Scheduler Schema"), `schtasks`, and `cmd /?` for the quotes.
 * A task has no environment of its own, so the shell sets it. `conhost --headless` shows no window. Throws `GATEWAY_SERVICE`
 * for a path that the shell would change.
 */
export function createWindowsTask(facts: UnitFacts): Unit {
  const { profile, home, userName, words } = facts
  const name = `svc\\gateway${profile === undefined ? '' : `-${profile}`}`
  const file = join(home, `gateway-task${profile === undefined ? '' : `-${profile}`}.xml`)
  const command = [...words, 'gateway', 'run', '--background', ...profileWords(facts)].map(quote).join(' ')
  const line = `--headless cmd.exe /d /s /c "set ${quote(`SVC_HOME=${home}`)}&& ${command}"`
  const text = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<!-- ${UNIT_MARK} -->`,
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    '  <RegistrationInfo>',
    `    <Description>svc gateway${profile === undefined ? '' : ` (${xml(profile)})`}</Description>`,
    '  </RegistrationInfo>',
    '  <Triggers>',
    '    <LogonTrigger>',
    '      <Enabled>true</Enabled>',
    `      <UserId>${xml(userName)}</UserId>`,
    '    </LogonTrigger>',
    '  </Triggers>',
    '  <Principals>',
    '    <Principal id="Author">',
    `      <UserId>${xml(userName)}</UserId>`,
    '      <LogonType>InteractiveToken</LogonType>',
    '      <RunLevel>LeastPrivilege</RunLevel>',
    '    </Principal>',
    '  </Principals>',
    '  <Settings>',
    '    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
    '    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>',
    '    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>',
    '    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>',
    '    <RestartOnFailure>',
    '      <Interval>PT1M</Interval>',
    '      <Count>4</Count>',
    '    </RestartOnFailure>',
    '  </Settings>',
    '  <Actions Context="Author">',
    '    <Exec>',
    '      <Command>conhost.exe</Command>',
    `      <Arguments>${xml(line)}</Arguments>`,
    '    </Exec>',
    '  </Actions>',
    '</Task>',
    '',
  ].join('\r\n')
  return {
    ...{ manager: 'task-scheduler', name, file, text },
    enable: [['schtasks', '/Create', '/TN', name, '/XML', file, '/F']],
    disable: [['schtasks', '/Delete', '/TN', name, '/F']],
    forget: [],
    start: ['schtasks', '/Run', '/TN', name],
    hints: ['Its log: logs\\gateway.log in SVC_HOME.'],
  }
}

/** A word of `cmd`. Within quotes only these two characters are special to it. */
function quote(word: string): string {
  if (/["%]/.test(word))
    throw new SvcError(
      'GATEWAY_SERVICE',
      `"${word}" has a quote or a percent sign, which a task of Windows cannot hold. Move it to another folder.`,
      { status: 400 },
    )
  return `"${word}"`
}
