/** Patterns about the machine: services, processes, users, networks, packages, containers, data bases. */
import { has, operands, option } from './options.ts'
import { type Pattern, subcommand, verbs } from './pattern.ts'

export const systemPatterns: readonly Pattern[] = [
  {
    name: 'stop-service',
    why: 'stops, disables or changes a service of the system',
    matches: (command) =>
      verbs(command, 'systemctl', /^(stop|disable|mask|kill|restart|isolate|set-default|edit|revert|daemon-reexec)$/) ||
      verbs(command, 'service', /./, /^(stop|restart)$/) ||
      verbs(command, 'launchctl', /^(unload|bootout|remove|disable|kill)$/) ||
      verbs(command, 'rc-service', /./, /^(stop|restart)$/) ||
      /^(stop-service|set-service|update-rc\.d|chkconfig)$/.test(command.name) ||
      verbs(command, 'sc', /^(stop|delete|config)$/),
  },
  {
    name: 'kill-many',
    why: 'ends processes that it picks by name, group or search',
    matches: ({ name, args, from, wrappers }) =>
      /^(pkill|killall|skill|taskkill|stop-process)$/.test(name) ||
      (name === 'fuser' && option(args, 'k', ['--kill'])) ||
      (name === 'kill' &&
        (args.some((word) => /\uE000/.test(word)) ||
          (from !== undefined && wrappers.length > 0) ||
          args.some((word, at) => at > 0 && /^-\d+$/.test(word)))),
  },
  {
    name: 'kill-forced',
    why: 'ends processes without letting them save anything',
    matches: ({ name, args }) => name === 'kill' && args.some((word) => /^-(9|KILL|SIGKILL)$/i.test(word)),
  },
  {
    name: 'end-agent',
    why: 'stops, restarts or changes svc itself',
    matches: (command) =>
      verbs(
        command,
        'svc',
        /^(gateway|update|plugins|approvals|config|profile|uninstall|cron|auth)$/,
        /^(stop|restart|install|uninstall|revoke|set|edit|disable|enable|delete|remove|undo|.*)$/,
      ) && !verbs(command, 'svc', /./, /^(list|status|get|show|info|check|path)$/),
  },
  {
    name: 'shutdown-later',
    why: 'changes when the machine shuts down or sleeps',
    matches: ({ name }) => /^(shutdown|rtcwake|pm-suspend|pm-hibernate|pmset|systemd-inhibit)$/.test(name),
  },
  {
    name: 'sudo',
    why: 'runs with the rights of another user',
    matches: ({ wrappers, name }) =>
      wrappers.some(
        ([wrapper = '', ...options]) =>
          /^(sudo|doas|pkexec|run0|gosu)$/.test(wrapper) &&
          !options.some((word) => /^-[nkKvl]$/.test(word) && options.length === 1 && word !== '-n'),
      ) || /^(su|runuser|visudo|sudoedit)$/.test(name),
  },
  {
    name: 'users',
    why: 'changes users, groups or passwords',
    matches: ({ name }) =>
      /^(useradd|userdel|usermod|adduser|deluser|groupadd|groupdel|groupmod|passwd|chpasswd|gpasswd|vipw|vigr|chsh|newusers|dscl)$/.test(
        name,
      ),
  },
  {
    name: 'firewall',
    why: 'changes the firewall or the network',
    matches: ({ name, args }) =>
      (/^(iptables|ip6tables|ebtables)$/.test(name) &&
        option(args, 'ADIRFXPNZ', ['--append', '--flush', '--policy', '--delete', '--insert'])) ||
      (/^(ufw|nft|firewall-cmd|pfctl)$/.test(name) && !/^(status|list|--list.*|--state|-s)$/.test(args[0] ?? '')) ||
      (/^(ifconfig|ip|nmcli)$/.test(name) && args.some((word) => /^(down|flush|del|delete|off)$/.test(word))) ||
      (name === 'route' && /^(add|del|flush)$/.test(operands(args)[0] ?? '')),
  },
  {
    name: 'kernel',
    why: 'changes the running kernel or how the machine starts',
    matches: ({ name, args }) =>
      /^(insmod|rmmod|modprobe|kexec|grub-install|update-grub|grub2?-mkconfig|efibootmgr|bootctl|setenforce|nvram|bcdedit)$/.test(
        name,
      ) ||
      (name === 'sysctl' && (option(args, 'wp', ['--write', '--load']) || args.some((word) => word.includes('=')))) ||
      (name === 'mokutil' && !has(args, '--sb-state')),
  },
  {
    name: 'schedule',
    why: 'changes what runs on a schedule',
    matches: ({ name, args }) => (name === 'crontab' && !has(args, '-l')) || /^(at|batch|schtasks)$/.test(name),
  },
  {
    name: 'clock',
    why: 'changes the clock or the time zone',
    matches: ({ name, args }) =>
      (name === 'date' && option(args, 's', ['--set'])) ||
      (name === 'timedatectl' && /^set-/.test(args[0] ?? '')) ||
      (name === 'hwclock' && option(args, 'sw', ['--set', '--systohc', '--hctosys'])),
  },
  {
    name: 'remove-packages',
    why: 'removes packages of the system',
    matches: (command) =>
      subcommand(
        command,
        /^(apt|apt-get|aptitude|dnf|yum|zypper|apk|pkg|brew|snap|flatpak|choco|winget)$/,
        /^(remove|purge|autoremove|autopurge|erase|rm|del|uninstall|dist-upgrade)$/,
      ) ||
      (command.name === 'pacman' && command.args.some((word) => /^-R/.test(word))) ||
      (command.name === 'dpkg' && option(command.args, 'rP', ['--remove', '--purge'])) ||
      (command.name === 'rpm' && option(command.args, 'e', ['--erase'])),
  },
  {
    name: 'containers',
    why: 'stops or deletes containers, images or volumes',
    matches: (command) =>
      verbs(command, 'docker-compose', /^(down|rm|kill|stop)$/) ||
      ['docker', 'podman', 'nerdctl'].some(
        (name) =>
          verbs(command, name, /^(rm|rmi|stop|kill|restart|prune)$/) ||
          verbs(
            command,
            name,
            /^(container|image|volume|network|system|builder|swarm|stack|service|node)$/,
            /^(rm|prune|stop|kill|leave|remove|disconnect)$/,
          ) ||
          verbs(command, name, /^compose$/, /^(down|rm|kill|stop)$/),
      ),
  },
  {
    name: 'container-host',
    why: 'gives a container the rights of the host',
    matches: ({ name, args }) =>
      /^(docker|podman|nerdctl)$/.test(name) &&
      args.some(
        (word, at) =>
          /^--privileged(=true)?$|^--(pid|net|network|ipc|userns)=host$|^--cap-add=(ALL|SYS_ADMIN)$/.test(word) ||
          (/^(-v|--volume)$/.test(word) &&
            /^(\/|\/etc|\/root|\/var\/run\/docker\.sock|~)(\/)?:/.test(args[at + 1] ?? '')) ||
          /^(-v|--volume=)(\/|\/etc|\/var\/run\/docker\.sock):/.test(word),
      ),
  },
  {
    name: 'cluster',
    why: 'deletes or drains parts of a cluster or a cloud',
    matches: (command) =>
      verbs(command, 'kubectl', /^(delete|drain|cordon|replace|taint)$/) ||
      verbs(command, 'helm', /^(uninstall|delete|rollback)$/) ||
      verbs(command, 'terraform', /^(destroy|taint)$/) ||
      verbs(command, 'tofu', /^destroy$/) ||
      subcommand(command, /^(terraform|tofu)$/, /^-auto-approve$/) ||
      verbs(command, 'pulumi', /^destroy$/) ||
      (/^(aws|gcloud|az|doctl|heroku|flyctl|fly|vercel|gh)$/.test(command.name) &&
        command.args
          .slice(0, 6)
          .some((word) =>
            /^(delete|delete-.*|terminate-.*|remove|rb|purge|destroy|apps:destroy|pg:reset)$/.test(word),
          )) ||
      (command.name === 'aws' && verbs(command, 'aws', /^s3$/, /^rm$/)),
  },
  {
    name: 'sql-delete',
    why: 'drops, empties or changes whole tables',
    matches: ({ name, args, input }) =>
      /^(mysql|mariadb|psql|sqlite3?|sqlcmd|duckdb|clickhouse(-client)?|cockroach|bq|usql|pgcli|mycli)$/.test(name) &&
      harmfulSql(`${args.join(' ')}\n${input ?? ''}`),
  },
  {
    name: 'drop-database',
    why: 'deletes a data base or all of its keys',
    matches: ({ name, args, input }) =>
      name === 'dropdb' ||
      name === 'dropuser' ||
      (name === 'mysqladmin' && has(args, 'drop')) ||
      (/^(redis-cli|valkey-cli)$/.test(name) &&
        /\b(flushall|flushdb|shutdown|debug\s+segfault)\b/i.test(`${args.join(' ')} ${input ?? ''}`)) ||
      (/^(mongo|mongosh)$/.test(name) &&
        /dropDatabase|\.drop\(|deleteMany\(\s*\{\s*\}|remove\(\s*\{\s*\}/.test(`${args.join(' ')} ${input ?? ''}`)),
  },
  {
    name: 'history',
    why: 'removes traces of what was done',
    matches: ({ name, args, redirects }) =>
      (name === 'history' && option(args, 'cwd', [])) ||
      (name === 'journalctl' && args.some((word) => /^--(vacuum|rotate|flush)/.test(word))) ||
      (/^(rm|shred|truncate|unlink|ln)$/.test(name) && args.some((word) => /_history$|^\/var\/log\//.test(word))) ||
      redirects.some(({ operator, target }) => operator.startsWith('>') && /_history$|^\/var\/log\//.test(target)) ||
      name === 'clear-eventlog' ||
      name === 'wevtutil',
  },
  {
    name: 'registry',
    why: 'changes the registry or the boot of Windows',
    matches: ({ name, args }) =>
      (name === 'reg' && /^(add|delete|import|restore)$/i.test(args[0] ?? '')) ||
      /^(vssadmin|cipher|set-executionpolicy)$/.test(name),
  },
  {
    name: 'debugger',
    why: 'looks into or changes another process',
    matches: ({ name, args, wrappers }) =>
      (/^(gdb|lldb|gcore)$/.test(name) && (option(args, 'p', ['--pid']) || name === 'gcore')) ||
      wrappers.some(
        ([wrapper, ...options]) => /^(strace|ltrace)$/.test(wrapper ?? '') && option(options, 'p', ['--attach']),
      ),
  },
  {
    name: 'listener',
    why: 'lets other machines in or opens a shell to them',
    matches: ({ name, args, redirects }) =>
      (/^(nc|ncat|netcat)$/.test(name) && option(args, 'lecp', ['--listen', '--exec', '--sh-exec'])) ||
      (name === 'socat' && /exec:|system:|-listen:/i.test(args.join(' '))) ||
      redirects.some(({ target }) => /^\/dev\/(tcp|udp)\//.test(target)) ||
      (name === 'ssh' && args.some((word) => /^-[a-zA-Z]*[RD]$/.test(word))) ||
      /^(ngrok|cloudflared)$/.test(name),
  },
]

/** DROP, TRUNCATE, and DELETE or UPDATE without WHERE. */
function harmfulSql(text: string): boolean {
  const plain = text.replace(/\/\*[\s\S]{0,2000}?\*\//g, ' ')
  if (
    /\b(drop\s+(table|database|schema|view|index|user|role|column)|truncate\s+(table\s+)?\w+|alter\s+table\s+\S+\s+drop)\b/i.test(
      plain,
    )
  )
    return true
  return plain
    .split(';')
    .some(
      (statement) =>
        /\b(delete\s+from|update\s+\S+\s+set)\b/i.test(statement) &&
        !/\bwhere\b(?!\s+(1\s*=\s*1|true)\b)/i.test(statement),
    )
}
