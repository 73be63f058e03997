/** Patterns about the machine: services, processes, users, networks, packages, containers, data bases. */
import { isUnknown } from './expand.ts'
import { has, listOperands, operands, option } from './options.ts'
import { type Matchers, says } from './pattern.ts'
import type { Command } from './walk.ts'

const CLOUD_VERBS = /^(delete|delete-.*|terminate-.*|remove|rb|purge|destroy|apps:destroy|pg:reset)$/

export const systemPatterns = {
  'stop-service': (command) =>
    says(
      command,
      'systemctl stop|disable|mask|kill|restart|isolate|set-default|edit|revert|daemon-reexec',
      'service|rc-service * stop|restart',
      'launchctl unload|bootout|remove|disable|kill',
      'sc stop|delete|config',
      'stop-service|set-service|update-rc.d|chkconfig',
    ),
  'kill-many': ({ name, args, from, wrappers }, { commands }) =>
    /^(pkill|killall|skill|taskkill|stop-process)$/.test(name) ||
    (name === 'fuser' && option(args, 'k', ['--kill'])) ||
    (name === 'kill' &&
      !/^-(0|l|L)$/.test(args[0] ?? '') &&
      !endsPort(args, commands) &&
      (args.some(isUnknown) ||
        (from !== undefined && wrappers.length > 0) ||
        args.some((word, at) => at > 0 && /^-\d+$/.test(word)))),
  'kill-forced': ({ name, args }, { commands }) =>
    name === 'kill' &&
    !endsPort(args, commands) &&
    / (-|-[sn] ?|--signal[= ])(9|KILL|SIGKILL)( |$)/i.test(` ${args.join(' ')}`),
  'shutdown-later': ({ name }) => /^(shutdown|rtcwake|pm-suspend|pm-hibernate|pmset|systemd-inhibit)$/.test(name),
  sudo: ({ wrappers, name, args }) =>
    wrappers.some(
      ([wrapper = '', ...options]) =>
        /^(sudo|doas|pkexec|run0|gosu)$/.test(wrapper) &&
        !options.some((word) => /^-[nkKvl]$/.test(word) && options.length === 1 && word !== '-n'),
    ) ||
    (name === 'start-process' && args.some((word) => /^runas$/i.test(word))) ||
    /^(su|runuser|visudo|sudoedit)$/.test(name),
  users: ({ name }) =>
    /^(useradd|userdel|usermod|adduser|deluser|groupadd|groupdel|groupmod|passwd|chpasswd|gpasswd|vipw|vigr|chsh|newusers|dscl)$/.test(
      name,
    ),
  firewall: ({ name, args }) =>
    (/^(iptables|ip6tables|ebtables)$/.test(name) &&
      option(args, 'ADIRFXPNZ', ['--append', '--flush', '--policy', '--delete', '--insert'])) ||
    (/^(ufw|nft|firewall-cmd|pfctl)$/.test(name) && !/^(status|list|--list.*|--state|-s)$/.test(args[0] ?? '')) ||
    (/^(ifconfig|ip|nmcli)$/.test(name) && args.some((word) => /^(down|flush|del|delete|off)$/.test(word))) ||
    (name === 'route' && /^(add|del|flush)$/.test(operands(args)[0] ?? '')),
  kernel: ({ name, args }) =>
    /^(insmod|rmmod|modprobe|kexec|grub-install|update-grub|grub2?-mkconfig|efibootmgr|bootctl|setenforce|nvram|bcdedit)$/.test(
      name,
    ) ||
    (name === 'sysctl' && (option(args, 'wp', ['--write', '--load']) || args.some((word) => word.includes('=')))) ||
    (name === 'mokutil' && !has(args, '--sb-state')),
  schedule: ({ name, args }) => (name === 'crontab' && !has(args, '-l')) || /^(at|batch|schtasks)$/.test(name),
  clock: ({ name, args }) =>
    (name === 'date' && option(args, 's', ['--set'])) ||
    (name === 'timedatectl' && /^set-/.test(args[0] ?? '')) ||
    (name === 'hwclock' && option(args, 'sw', ['--set', '--systohc', '--hctosys'])),
  'remove-packages': (command) =>
    says(
      command,
      'apt|apt-get|aptitude|dnf|yum|zypper|apk|pkg|brew|snap|flatpak|choco|winget remove|purge|autoremove|autopurge|erase|rm|del|uninstall|dist-upgrade',
      'dpkg -r|-P|--remove|--purge',
      'rpm -e|--erase',
    ) ||
    (command.name === 'pacman' && command.args.some((word) => /^-R/.test(word))),
  containers: (command) =>
    says(
      command,
      'docker|podman|nerdctl rm|rmi|stop|kill|restart|prune',
      'docker|podman|nerdctl container|pod|image|volume|network|system|builder|swarm|stack|service|node rm|prune|stop|kill|leave|remove|disconnect',
      'docker|podman|nerdctl compose rm|kill',
      'docker|podman|nerdctl compose down -v|--volumes',
      'docker|podman|nerdctl compose down --rmi',
      'docker-compose rm|kill',
      'docker-compose down -v|--volumes',
      'docker-compose down --rmi',
    ),
  'container-host': ({ name, args }) =>
    /^(docker|podman|nerdctl)$/.test(name) &&
    args.some(
      (word, at) =>
        /^--privileged(=true)?$|^--(pid|net|network|ipc|userns)=host$|^--cap-add=(ALL|SYS_ADMIN)$/.test(word) ||
        (/^(-v|--volume)$/.test(word) &&
          /^(\/|\/etc|\/root|\/var\/run\/docker\.sock|~)(\/)?:/.test(args[at + 1] ?? '')) ||
        /^(-v|--volume=)(\/|\/etc|\/var\/run\/docker\.sock):/.test(word),
    ),
  cluster: (command) =>
    says(
      command,
      'kubectl|oc delete|drain|cordon|replace|taint !--dry-run',
      'kubectl|oc scale --replicas=0',
      'helm uninstall|delete|rollback',
      'terraform|tofu destroy|taint|force-unlock',
      'terraform|tofu state|workspace rm|push|delete',
      'terraform|tofu apply -auto-approve|-destroy',
      'pulumi destroy',
      'gsutil rsync -d',
      'aws s3 sync --delete !--dryrun',
      'aws s3 rm',
      'gcloud storage rm',
    ) ||
    (/^(aws|gcloud|az|doctl|heroku|flyctl|fly|vercel|gh|gsutil|s3cmd|azcopy|b2|mc)$/.test(command.name) &&
      listOperands(command)
        .slice(0, 5)
        .some((word) => CLOUD_VERBS.test(word))) ||
    (/^(gsutil|s3cmd|mc)$/.test(command.name) && command.args.some((word) => /^(rm|del)$/.test(word))),
  'sql-delete': ({ name, args, input }) =>
    /^(mysql|mariadb|psql|sqlite3?|sqlcmd|duckdb|clickhouse(-client)?|cockroach|bq|usql|pgcli|mycli)$/.test(name) &&
    [...args, input ?? ''].some(harmfulSql),
  'drop-database': ({ name, args, input }) =>
    /^drop(db|user)$/.test(name) ||
    (name === 'mysqladmin' && has(args, 'drop')) ||
    (/^(redis-cli|valkey-cli)$/.test(name) &&
      /\b(flushall|flushdb|shutdown|debug\s+segfault)\b/i.test(`${args.join(' ')} ${input ?? ''}`)) ||
    (/^(mongo|mongosh)$/.test(name) &&
      /dropDatabase|\.drop\(|deleteMany\(\s*\{\s*\}|remove\(\s*\{\s*\}/.test(`${args.join(' ')} ${input ?? ''}`)),
  history: ({ name, args, redirects }) =>
    (name === 'history' && option(args, 'cwd', [])) ||
    (name === 'journalctl' && args.some((word) => /^--(vacuum|rotate|flush)/.test(word))) ||
    (/^(rm|shred|truncate|unlink|ln)$/.test(name) && args.some((word) => /_history$|^\/var\/log\//.test(word))) ||
    redirects.some(({ operator, target }) => operator.startsWith('>') && /_history$|^\/var\/log\//.test(target)) ||
    /^(clear-eventlog|wevtutil)$/.test(name),
  registry: ({ name, args }) =>
    (name === 'reg' && /^(add|delete|import|restore)$/i.test(args[0] ?? '')) ||
    /^(vssadmin|cipher|set-executionpolicy)$/.test(name),
  debugger: ({ name, args, wrappers }) =>
    (/^(gdb|lldb|gcore)$/.test(name) && (option(args, 'p', ['--pid']) || name === 'gcore')) ||
    wrappers.some(
      ([wrapper, ...options]) => /^(strace|ltrace)$/.test(wrapper ?? '') && option(options, 'p', ['--attach']),
    ),
  listener: ({ name, args, redirects }) =>
    (/^(nc|ncat|netcat)$/.test(name) && option(args, 'lecp', ['--listen', '--exec', '--sh-exec'])) ||
    (name === 'socat' && /exec:|system:|-listen:/i.test(args.join(' '))) ||
    redirects.some(({ target }) => /^\/dev\/(tcp|udp)\//.test(target)) ||
    (name === 'ssh' && args.some((word) => /^-[a-zA-Z]*[RD]$/.test(word))) ||
    /^(ngrok|cloudflared)$/.test(name),
} satisfies Matchers

const DROPS =
  /\b(drop\s+(table|database|schema|view|index|user|role|column)|truncate\s+(table\s+)?\w+|alter\s+table\s+\S+\s+drop)\b/i
const CHANGES_ROWS = /\b(delete\s+from|update\s+\S+\s+set)\b/i

/** DROP, TRUNCATE, and DELETE or UPDATE without WHERE. */
function harmfulSql(text: string): boolean {
  const bare = text.replace(/\/\*[\s\S]{0,2000}?\*\//g, ' ')
  // Quoted text is data, but only if nothing else can move the quotes.
  const plain = /[\\"#$]|--|\/\*/.test(text) ? bare : bare.replace(/'[^']*'/g, "''")
  if (DROPS.test(plain)) return true
  const statements = plain.split(';').filter((statement) => CHANGES_ROWS.test(statement))
  return statements.some((statement) => !/\bwhere\b(?!\s+(1\s*=\s*1|true)\b)/i.test(statement))
}

/** `kill $(lsof -t -i :3000)`: the server of one port, and of the same user. */
function endsPort(args: readonly string[], commands: readonly Command[]): boolean {
  if (operands(args).filter((word) => !/^\d+$/.test(word)).length !== 1) return false
  const makers = commands.filter(({ name }) => !/^(kill|xargs)$/.test(name) && !/^(npm|node|sleep|echo)$/.test(name))
  const first = makers.find(({ name }) => name === 'lsof')
  return first?.args.some((word) => /^-[a-zA-Z]*i?(tcp)?:\d+$|^:\d+$|^tcp:\d+$/i.test(word)) ?? false
}
