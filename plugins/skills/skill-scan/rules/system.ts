/** What is done to the machine: remote control, lasting changes, destruction, more rights, mining. */
import { defineRules, pattern, type SkillSeverity } from './rule.ts'

const HOME = String.raw`(?:~|\$\{?HOME\}?|"\$HOME"|%USERPROFILE%|\$env:USERPROFILE|Path\.home\(\)|os\.path\.expanduser\(\s*["']~["']\s*\)|os\.homedir\(\))`
const STARTUP = String.raw`(?:\.bashrc|\.bash_profile|\.bash_login|\.profile|\.zshrc|\.zprofile|\.zshenv|config\.fish|/etc/profile(?:\.d)?|/etc/rc\.local|/etc/environment|\$PROFILE\b|Microsoft\.PowerShell_profile|/etc/ld\.so\.preload|sitecustomize\.py|usercustomize\.py|\.pth["'\s])`
const WRITE = String.raw`(?:>>?|\btee\s+(?:-a\s+)?|\bcp\s+\S+\s+|\bmv\s+\S+\s+|\binstall\s+\S+\s+\S+\s+|\bsed\s+-i\S*\s[^\n]*|Add-Content\s[^\n]*|Out-File\s[^\n]*|open\(\s*[^\n]{0,80}|write(?:File|_text|FileSync)?\(?[^\n]{0,40}|appendFile(?:Sync)?\([^\n]{0,40})`
/** The persistent instructions of agents. */
const AGENT_FILE = String.raw`(?:\b(?:AGENTS|CLAUDE|GEMINI|SVC|SOUL|MEMORY|HEARTBEAT|IDENTITY|USER|BOOTSTRAP)\.md\b|\.cursorrules\b|\.cursor/rules|\.windsurfrules|copilot-instructions\.md|\.claude/(?:settings|CLAUDE|hooks|commands|agents)|\.(?:svc|hermes|openclaw|codex|gemini)/(?:config|settings|hooks|memor\w*|skills|plugins|\.env)|\.mcp\.json|mcp_servers?\b[^\n]{0,30}config)`

export const SYSTEM = [
  ...defineRules('remote-control', 'both', [
    {
      id: 'reverse-shell',
      severity: 'critical',
      pattern: pattern(
        String.raw`(?:/dev/(?:tcp|udp)/[\w.$\{-]+/|\b(?:nc|ncat|netcat)\b[^\n]*\s-\w*[ec]\w*\s+\S*(?:sh|cmd|powershell)\b|\bmkfifo\b[^\n]*(?:\n[^\n]*){0,4}?\b(?:nc|ncat|netcat|telnet|openssl\s+s_client)\b|\bsocat\b[^\n]*\bexec:|\bsocat\b[^\n]*\bexec\s*=|(?:dup2\s*\([^\n]*(?:\n[^\n]*){0,8}?(?:pty\.spawn|subprocess|/bin/(?:ba)?sh|execve))|\bpty\.spawn\(|fsockopen\([^\n]*(?:\n[^\n]*){0,5}?(?:exec|shell_exec|proc_open|system)\(|TCPSocket\.(?:new|open)[^\n]*(?:\n[^\n]*){0,6}?(?:exec|IO\.popen|spawn)|Net\.Sockets\.TCPClient[\s\S]{0,600}?(?:iex|Invoke-Expression|cmd)|net\.(?:Socket|connect|createConnection)\b[\s\S]{0,600}?(?:\.pipe\(\s*\w+\.stdin|stdin\.write|exec\()|(?:spawn|exec)\(\s*["'](?:/bin/)?(?:ba|z)?sh["'][\s\S]{0,400}?\.pipe\(|socket\.socket\([\s\S]{0,700}?\.connect\([\s\S]{0,700}?(?:subprocess\.|os\.(?:popen|system|dup2)|Popen)|\bmsfvenom\b|\bmeterpreter\b|\bcobalt\s?strike\b|\bsliver\b[^\n]*implant)`,
      ),
      message: 'gives a shell of this machine to another one',
      cue: 'any',
      weigh: (found, text) => weighSocket(found, text),
    },
    {
      id: 'command-loop',
      severity: 'high',
      subject: 'code',
      pattern: pattern(
        String.raw`while\s*(?:\(?\s*(?:True|true|1|:)\s*\)?|\[[^\n]*\])[\s\S]{0,300}?(?:requests\.(?:get|post)|urlopen|fetch\(|curl\b|wget\b|Invoke-WebRequest|irm\b|axios|recv\()[\s\S]{0,300}?(?:os\.system|subprocess\.|\bexec\(|\beval\b|execSync|os\.popen|\|\s*(?:ba)?sh|Invoke-Expression|iex\b|(?:ba)?sh\s+-c)`,
      ),
      message: 'fetches commands again and again and runs them',
    },
    {
      id: 'tunnel',
      severity: 'high',
      subject: 'code',
      pattern:
        /\bssh\b[^\n]*\s-(?:\w*R|R)\s+\S*:\S+:\d+|\b(?:ngrok|bore|chisel|frpc|frps|rathole|cloudflared\s+tunnel)\s+(?:tcp|client|server|local|run|--url)[^\n]*/gi,
      message: 'opens this machine to the net through a tunnel',
      weigh: (found) => (/ngrok\s+tcp|\b22\b|3389|5900|chisel|frpc|-\w*R\s/.test(found[0]) ? 'high' : 'medium'),
    },
    {
      id: 'open-server',
      severity: 'high',
      subject: 'code',
      pattern:
        /(?:(?:cd\s+(?:~|\/|\$HOME)\s*(?:&&|;)\s*)python3?\s+-m\s+http\.server|-(?:d|-directory)\s+(?:~|\/|\$HOME)\s*$|\bttyd\b[^\n]*(?:sh|login)|\bshellinabox|\bgotty\b|python3?\s+-m\s+http\.server[^\n]*--directory\s+(?:~|\/|"?\$HOME"?)(?:\s|$))/gim,
      message: 'offers files or a shell of this machine to the net',
    },
  ]),
  ...defineRules('persistence', 'both', [
    {
      id: 'startup-file',
      severity: 'medium',
      subject: 'code',
      pattern: pattern(String.raw`${WRITE}\s*["']?[^\s"']{0,80}${STARTUP}`),
      message: 'changes what runs at each start of a shell',
    },
    {
      id: 'startup-file-payload',
      severity: 'high',
      subject: 'code',
      pattern: pattern(
        String.raw`(?:echo|printf|cat|write|append|Add-Content)[^\n]*(?:curl|wget|nc\s|/dev/tcp|base64|eval|python3?\s+-c|nohup|\bsh\s+-c|http|PROMPT_COMMAND|LD_PRELOAD|trap\s|alias\s+(?:sudo|ssh|git|su|ls|cd|npm|pip)=|function\s+(?:sudo|ssh|git)|\s&\s*["']?\s*>>)[^\n]*${STARTUP}|${STARTUP}["']?[^\n]{0,60}(?:write|append)[^\n]*(?:curl|wget|base64|http|nohup|eval|alias\s+sudo)`,
      ),
      message: 'lets a shell run foreign commands at each start',
      weigh: (found) =>
        /export\s+PATH|(?:fnm|nvm|pyenv|rbenv|direnv|zoxide|starship|mise|brew|conda|rustup|cargo|fzf|jenv|goenv|volta|sdkman)\b/i.test(
          found[0],
        ) && !/curl|wget|\/dev\/tcp|base64|nohup/.test(found[0])
          ? 'medium'
          : 'high',
    },
    {
      id: 'scheduled-payload',
      severity: 'high',
      pattern: pattern(
        String.raw`(?:\bcrontab\b|/etc/cron|/var/spool/cron|\bat\s+now)[^\n]*(?:\n[^\n]*){0,3}?(?:curl|wget|nc\s|/dev/tcp|base64|python3?\s+-c|http|/tmp/|/dev/shm|\.cache/|/\.\w+/)|(?:curl|wget|nc\s|/dev/tcp|base64|/tmp/|/dev/shm|\s~?\S*/\.\w)[^\n]*\|\s*(?:sudo\s+)?crontab|(?:\*/\d+|@reboot|@hourly|@daily)\s[^\n]*(?:curl|wget|nc\s|/dev/tcp|base64|/tmp/\.?\w|/dev/shm|\.cache/)[^\n]*`,
      ),
      message: 'runs something again and again by the scheduler',
      weigh: (found) =>
        /curl|wget|\bnc\s|\/dev\/tcp|base64|@reboot|\/tmp\/|\/dev\/shm/.test(found[0]) &&
        !/localhost|127\.0\.0\.1|healthchecks?\.io|hc-ping\.com|-I\b|--head/.test(found[0])
          ? /\|\s*(?:ba)?sh|\/dev\/tcp|base64|@reboot|\/dev\/shm|\/tmp\/\.|crontab\s+-\s*$|\bnc\s/.test(found[0])
            ? 'high'
            : 'medium'
          : 'medium',
    },
    {
      id: 'service-install',
      severity: 'medium',
      subject: 'code',
      pattern:
        /systemctl\s+(?:--user\s+)?enable|launchctl\s+(?:load|bootstrap|submit)|(?:Library\/Launch(?:Agents|Daemons)|\.config\/systemd\/user|\/etc\/systemd\/system|\.config\/autostart|\/etc\/init\.d)\/\S+|schtasks\s[^\n]*\/create|New-ScheduledTask|Register-ScheduledTask|reg\s+add\s[^\n]*\\Run\b|CurrentVersion\\Run|New-Service\b|\bsc(?:\.exe)?\s+create|Start Menu\\Programs\\Startup|shell:startup|update-rc\.d/gi,
      message: 'starts something with the machine',
      weigh: (found) =>
        /CurrentVersion\\Run|\\Run\b|Programs\\Startup|shell:startup/i.test(found[0]) ? 'high' : 'medium',
    },
    {
      id: 'shipped-service',
      severity: 'high',
      subject: 'code',
      // What is copied or made executable is a file of the skill and no unit, and the scheduler runs it from then on.
      pattern: pattern(
        String.raw`\b(?:cp|mv|ditto|install|chmod|Copy-Item|shutil\.copy\w*|copyFile(?:Sync)?)\b[\s(]*(?:-{1,2}[\w-]+\s+|[0-7]{3,4}\s+|\+x\s+|[ua]\+x\s+)*["']?(?:\./|\$(?:\{?\w*DIR\w*\}?|PWD|\(dirname[^)]*\))/)?(?![~/$\-])[\w./-]*\w(?<!\.(?:service|plist|timer|socket|conf|ya?ml|json|desktop|xml|path))["']?(?=\s|,|\))[\s\S]{0,1500}?(?:systemctl\s+(?:--user\s+)?enable|launchctl\s+(?:load|bootstrap|submit)|schtasks\s[^\n]*/create|Register-ScheduledTask|\|\s*(?:sudo\s+)?crontab\b|\bcrontab\s+-\s*$|update-rc\.d\s|\.config/autostart/)`,
        'gim',
      ),
      message: 'has a program of its own started with the machine',
    },
    {
      id: 'hidden-service',
      severity: 'high',
      subject: 'code',
      pattern:
        /(?:ProgramArguments[\s\S]{0,400}?|ExecStart\s*=|Exec\s*=|\/tr\s+["']?|-Execute\s+["']?)[^\n]*(?:(?:curl|wget)\b[^\n]*\|\s*(?:ba)?sh|\/tmp\/|\/dev\/shm|\/var\/tmp|\/\.[a-z]\w*\/|\.cache\/|base64|\/dev\/tcp|powershell[^\n]*-(?:enc|w\w*\s+h)|python3?\s+-c)/gi,
      message: 'starts a hidden program with the machine',
      weigh: (found) =>
        /\/\.(?:local|nvm|cargo|bun|deno|pyenv|venv|config|npm|volta|asdf)\//.test(found[0]) &&
        !/curl|wget|\/tmp|shm|base64/.test(found[0])
          ? 'medium'
          : 'high',
    },
    {
      id: 'authorized-key',
      severity: 'critical',
      pattern:
        /(?:>>?|tee\s+(?:-a\s+)?|cp\s+\S+\s+|\becho\b[^\n]*|open\([^\n]*|append\w*[^\n]*|write\w*[^\n]*|\badd\b[^\n]*)\s*["']?\S*authorized_keys/gi,
      message: 'lets others log in with a key',
      weigh: (found, text) =>
        /ssh-(?:rsa|ed25519|dss)\s+AAAA|ecdsa-sha2\S*\s+AAAA/.test(text) || /curl|wget|https?:/.test(found[0])
          ? 'critical'
          : 'high',
    },
    {
      id: 'git-hook',
      severity: 'medium',
      subject: 'code',
      pattern:
        /(?:>>?|tee|cp\s+\S+|ln\s+-s\w*\s+\S+|open\(|write\w*\()\s*["']?[^\n"']*(?:\.git\/hooks\/|git-templates?\/hooks)|git\s+config\s+--(?:global|system)\s+(?:core\.(?:hooksPath|pager|editor|sshCommand|fsmonitor|askpass)|alias\.\w+\s+["']?!|credential\.helper|url\.\S+\.insteadOf|init\.templateDir|diff\.external|http\.proxy)/gi,
      message: 'changes what git runs',
      weigh: (found) => {
        if (/core\.(?:sshCommand|fsmonitor|askpass)|insteadOf|http\.proxy|credential\.helper\s+["']?!/.test(found[0]))
          return 'high'
        return /global|system/.test(found[0]) && /hooksPath|templateDir|alias\.\w+\s+["']?!/.test(found[0])
          ? 'high'
          : 'medium'
      },
    },
    {
      id: 'install-script',
      severity: 'high',
      subject: 'code',
      pattern:
        /"(?:pre|post)?(?:install|prepare)"\s*:\s*"[^"\n]*(?:curl|wget|node\s+-e|base64|https?:|\.\/\.|nc\s|powershell|sh\s+-c|python3?\s+-c)[^"\n]*"|cmdclass\s*=[^\n]*install[\s\S]{0,2000}?(?:urlopen|requests\.|os\.system|subprocess)/gi,
      message: 'runs something when a package is installed',
    },
    {
      id: 'agent-file',
      severity: 'high',
      subject: 'code',
      pattern: pattern(String.raw`${WRITE}\s*["']?[^\s"']{0,80}${AGENT_FILE}`),
      message: 'changes the standing instructions or settings of agents',
      weigh: (found) =>
        /\.(?:svc|hermes|openclaw|codex|gemini)\/|\.claude\/(?:settings|hooks)|SOUL|MEMORY|HEARTBEAT|IDENTITY|\.mcp\.json|(?:~|\$HOME|homedir|expanduser)/i.test(
          found[0],
        )
          ? 'high'
          : 'medium',
    },
    {
      id: 'agent-file-prose',
      severity: 'high',
      subject: 'prose',
      pattern: pattern(
        String.raw`\b(?:append|add|write|insert|modify|edit|update|replace|overwrite|save|store|copy|inject|persist|record|put)\w*\b[^\n]{0,160}?(?:${AGENT_FILE}|\b(?:your|the\s+agent['’]?s|agent|long-?term|persistent|permanent)\s+memory\b|\bsystem\s+prompt\b|\b(?:other|every|all|each)\s+(?:\w+\s+)?skills?\b)[^\n]{0,160}?\b(?:always|every|future|persist\w*|so\s+that|from\s+now|permanent\w*|silently|automatically|without|reload|survive|all\s+sessions|next\s+session|trust\w*|allow\w*|approve\w*|instruction)`,
      ),
      message: 'asks to change the standing instructions or the memory of an agent',
      weigh: (found, text) => weighAgentFile(text.slice(found.index ?? 0).split('\n')[0] ?? found[0]),
    },
  ]),
  ...defineRules('destruction', 'both', [
    {
      id: 'delete-everything',
      severity: 'critical',
      pattern: pattern(
        String.raw`\brm\s+(?:-\w+\s+|--\S+\s+)*-?(?:\w*[rR]\w*)\s+(?:-\w+\s+|--\S+\s+)*["']?(?:/(?:\*|\s|$|["';&|)${'`'}])|/(?:etc|usr|var|home|boot|bin|lib|opt|root|Users|System|Library)/?\*?(?:["'\s;&|)${'`'}]|$)|(?:~|\$\{?HOME\}?)/?\*?(?:["'\s;&|)${'`'}]|$)|(?:~|\$\{?HOME\}?)/?["']?/?(?:Documents|Desktop|Pictures|Downloads|\.ssh|\.git|\.\*)\b|\*(?:\s|$|;))|--no-preserve-root|\bfind\s+(?:/|~|\$HOME|"\$HOME")\s[^\n]*(?:-delete|-exec\s+(?:rm|shred))|shutil\.rmtree\(\s*(?:${HOME}|["'](?:/|~|/home|/etc|/usr|C:\\\\?)["'])|fs\.(?:rm|rmdir|rmSync|rmdirSync)\(\s*(?:os\.homedir\(\)|["'](?:/|~|/home)["'])|Remove-Item\b[^\n]*(?:-Recurse\b[^\n]*(?:C:\\\\?(?:["'\s*]|$|Users|Windows)|\$HOME\b|\$env:USERPROFILE|~)|(?:C:\\\\?(?:["'\s*]|$)|\$HOME\b|\$env:USERPROFILE)[^\n]*-Recurse)|\b(?:rd|rmdir)\s+/s\b[^\n]*(?:C:\\|%USERPROFILE%|%SYSTEMROOT%)|\bdel\s+/[fsq]\b[^\n]*C:\\`,
        'gim',
      ),
      message: 'deletes a home or a system',
      weigh: (found, text) => weighDeletion(found, text),
    },
    {
      id: 'overwrite-disk',
      severity: 'critical',
      pattern:
        /\bdd\s+[^\n]*of=\/dev\/(?:sd|nvme|hd|vd|xvd|disk|mmcblk|rdisk)\w*|\bmkfs(?:\.\w+)?\s+(?:-\w+\s+)*\/dev\/|\bwipefs\s+-a|\bshred\s[^\n]*(?:\/dev\/|~|\$HOME)|>\s*\/dev\/(?:sd|nvme|hd|vd)\w+|\bformat\s+c:|\bdiskutil\s+(?:eraseDisk|secureErase)|\bcipher\s+\/w:|\bClear-Disk\b|\bdiskpart\b[^\n]*clean/gi,
      message: 'overwrites a disk',
      weigh: (found) => (/of=\/dev\/(?:sdX|diskN|rdiskN|sd\[|diskX)\b/.test(found[0]) ? 'medium' : 'critical'),
    },
    {
      id: 'overwrite-each-disk',
      severity: 'critical',
      subject: 'code',
      pattern:
        /\/dev\/(?:sd|nvme|hd|vd|xvd|disk|mmcblk)\w*[?*[][^\n]*(?:\n[^\n]*){0,8}?\b(?:dd\s[^\n]*of=|mkfs|wipefs|shred|blkdiscard|sgdisk\s+(?:-Z|--zap)|parted\s[^\n]*mklabel)|\b(?:lsblk|blkid|fdisk\s+-l)\b[^\n]*\|[^\n]*(?:while|xargs|for)\b[^\n]*(?:\n[^\n]*){0,4}?\b(?:dd\s[^\n]*of=|mkfs|wipefs\s+-a|shred|blkdiscard)/gi,
      message: 'overwrites all disks',
    },
    {
      id: 'rewrite-each-repository',
      severity: 'critical',
      subject: 'code',
      pattern:
        /\b(?:find|fd|locate|for|os\.walk|glob\w*)\b[^\n]*(?:\.git\b|\$HOME|~\/|expanduser)[^\n]*(?:\n[^\n]*){0,8}?\bgit\s+(?:-C\s+\S+\s+)?(?:push\s[^\n]*(?:--force(?!-with)|--mirror|\s-f\b|--delete)|checkout\s[^\n]*--orphan|update-ref\s+-d|reflog\s+expire)|\bgh\s+repo\s+list\b[^\n]*(?:\n[^\n]*){0,6}?\bgh\s+repo\s+(?:delete|archive|edit\s[^\n]*public)/gi,
      message: 'rewrites or deletes all repositories',
    },
    {
      id: 'fork-bomb',
      severity: 'critical',
      pattern:
        /:\s*\(\s*\)\s*\{\s*:\s*\|\s*:\s*&\s*\}\s*;|\b(\w+)\s*\(\s*\)\s*\{\s*\1\s*\|\s*\1\s*&\s*\}|while\s*(?:True|true|1|:)[^\n]*(?:\n[^\n]*){0,2}?os\.fork\(\)|%0\|%0/gi,
      message: 'exhausts the machine',
    },
    {
      id: 'ransom',
      severity: 'high',
      subject: 'code',
      pattern:
        /vssadmin\s+delete\s+shadows|wmic\s+shadowcopy\s+delete|bcdedit\s[^\n]*recoveryenabled\s+no|wbadmin\s+delete\s+catalog|(?:os\.walk|rglob|glob\.glob|find\s+(?:~|\$HOME|"\$HOME"|\/home))[\s\S]{0,900}?(?:Fernet|AES\.new|openssl\s+enc|\.encrypt\(|gpg\s+[^\n]*(?:-c|--symmetric))[\s\S]{0,600}?(?:os\.(?:remove|unlink)|\.unlink\(|\brm\s|shred|ransom|bitcoin|decrypt)|YOUR\s+FILES\s+(?:HAVE\s+BEEN|ARE)\s+ENCRYPTED/gi,
      message: 'encrypts or removes files so that they cannot be restored',
    },
    {
      id: 'erase-traces',
      severity: 'high',
      pattern:
        /\bhistory\s+-c\b|(?:unset|export)\s+HISTFILE\b(?:=\/dev\/null)?|HISTFILE=\/dev\/null|HISTSIZE=0|set\s+\+o\s+history|(?:>|rm\s+(?:-\w+\s+)?|truncate\s[^\n]*|shred\s[^\n]*|ln\s+-sf?\s+\/dev\/null)\s*["']?\S*(?:\.bash_history|\.zsh_history|\/var\/log\/(?:auth|secure|syslog|wtmp|lastlog|\*)\S*)|wevtutil\s+cl\b|Clear-EventLog|Clear-History|journalctl\s+--vacuum-(?:time=1s|size=1)|auditctl\s+-e\s*0|(?:systemctl|service)\s+(?:stop|disable)\s+(?:auditd|rsyslog|syslog)|rm\s+(?:-\w+\s+)?["']?\$0\b|os\.(?:remove|unlink)\(\s*__file__|fs\.unlinkSync\(\s*__filename/gi,
      message: 'removes its traces',
      weigh: (found) =>
        /history\s+-c|HISTSIZE|\$0|vacuum/.test(found[0]) ? (/vacuum/.test(found[0]) ? 'low' : 'high') : 'high',
    },
    {
      id: 'delete-repository',
      severity: 'medium',
      subject: 'code',
      pattern:
        /git\s+push\s+(?:-\S+\s+)*(?:--force|-f|--mirror|--delete)\b[^\n]*(?:main|master|--all)|\bgh\s+repo\s+delete\b[^\n]*--(?:yes|confirm)|\bDROP\s+(?:DATABASE|SCHEMA)\b|\bterraform\s+destroy\s+[^\n]*-auto-approve|\bkubectl\s+delete\s+(?:ns|namespace|all)\b[^\n]*--all|\baws\s+s3\s+r[bm]\s[^\n]*--(?:force|recursive)/gi,
      message: 'deletes what others work with',
      weigh: () => 'medium',
    },
  ]),
  ...defineRules('privileges', 'both', [
    {
      id: 'more-rights',
      severity: 'high',
      pattern:
        /NOPASSWD\s*:\s*ALL|(?:>>?|tee\s+(?:-a\s+)?)\s*["']?\/etc\/sudoers|\bchmod\s+(?:u\+s|\+s|[24]7[0-7]{2})\b|\bsetcap\s+\S*cap_(?:setuid|sys_admin|dac)|\bchown\s+root\S*\s+[^\n]*&&[^\n]*chmod\s+\S*s|usermod\s+[^\n]*-\w*[gG]\w*\s*\S*(?:sudo|wheel|root|admin)\b|useradd\s+[^\n]*-o\s+-u\s*0|net\s+(?:localgroup\s+administrators|user)\s+\S+[^\n]*\/add|\bsudo\s+-S\b[^\n]*|echo\s+["']?[^|\n]{1,60}\|\s*sudo\s+-S/gi,
      message: 'takes more rights',
      weigh: (found) => (/usermod/.test(found[0]) ? 'medium' : 'high'),
    },
    {
      id: 'container-escape',
      severity: 'high',
      pattern:
        /\bdocker\s+run\b[^\n]*(?:-v|--volume|--mount)[\s=]+(?:type=bind,)?(?:source=|src=)?["']?\/(?::|,)|\bdocker\s+run\b[^\n]*--privileged[^\n]*(?:--pid[= ]host|-v\s)|\bnsenter\s[^\n]*(?:-t|--target)[\s=]*1\b|\bdocker\s+run\b[^\n]*-v\s+\/(?:root|etc|home)\/?:/gi,
      message: 'gives a container the whole machine',
    },
    {
      id: 'disable-protection',
      severity: 'high',
      pattern:
        /\bsetenforce\s+0|\bspctl\s+--(?:master|global)-disable|\bcsrutil\s+disable|xattr\s+(?:-\w+\s+)*(?:-\w*[dr]\w*\s+)?(?:-d\s+)?com\.apple\.quarantine|xattr\s+-c\w*\s|Set-MpPreference\s[^\n]*-Disable\w+\s+\$?true|Add-MpPreference\s[^\n]*-Exclusion|netsh\s+advfirewall\s+set\s+\w+\s+state\s+off|\bufw\s+disable|\biptables\s+-F\b|systemctl\s+(?:stop|disable|mask)\s+[^\n]*(?:firewalld|apparmor|falcon|clamav|auditd|crowdstrike|sentinel|defender|ufw)|AmsiUtils|amsiInitFailed|Set-ExecutionPolicy\s+(?:Unrestricted|Bypass)(?![^\n]*-Scope\s+Process)|tamper\s?protection[^\n]*(?:off|disable)|\b(?:disable|turn\s+off|deactivate|pause|whitelist)\b[^\n.]{0,40}\b(?:anti-?virus|windows\s+defender|defender|gatekeeper|firewall|endpoint\s+protection|edr|smartscreen|selinux|security\s+software)\b/gi,
      message: 'switches protection of the machine off',
    },
    {
      id: 'no-certificates',
      severity: 'medium',
      subject: 'code',
      pattern:
        /NODE_TLS_REJECT_UNAUTHORIZED\s*=\s*["']?0|http\.sslVerify\s+false|GIT_SSL_NO_VERIFY|PYTHONHTTPSVERIFY\s*=\s*0|_create_unverified_context|strict-ssl\s+false|StrictHostKeyChecking[= ]no|--no-check-certificate|curl\s[^\n]*(?:\s-\w*k\b|--insecure)/gi,
      message: 'does not check whom it talks to',
    },
    {
      id: 'preload',
      severity: 'high',
      subject: 'code',
      pattern:
        /(?:export\s+|^|\s)(?:LD_PRELOAD|DYLD_INSERT_LIBRARIES)\s*=\s*\S+|\/etc\/ld\.so\.preload|\balias\s+(?:sudo|su|ssh|git|passwd|gpg)=|\bPATH=["']?(?:\/tmp|\.|\/dev\/shm|\$PWD\/\.)|(?:>|cp\s+\S+|ln\s+-\w+\s+\S+)\s*["']?(?:\/usr\/local\/bin|~\/\.local\/bin|\$HOME\/\.local\/bin)\/(?:sudo|ssh|git|ls|curl|python3?|node|npm|pip)\b/gm,
      message: 'puts itself in the place of other programs',
      weigh: (found) => (/jemalloc|tcmalloc|mimalloc|faketime/.test(found[0]) ? undefined : 'high'),
    },
    {
      id: 'agent-approval-off',
      severity: 'high',
      pattern: pattern(
        String.raw`(?:--(?:yolo|dangerously-[\w-]+|accept-hooks|auto-approve|full-auto|allow-all-tools|trust-all-tools|skip-permissions|no-sandbox-agent|always-approve)\b|\bapprovals?\.mode["'${'`'}]?(?:[\s:=]+|\s+(?:to|is|as)\s+)["'${'`'}]?(?:off|none|never|auto|yolo)\b|"?(?:defaultMode|permission_?mode)"?\s*[:=]\s*["']?bypassPermissions|"?autoApprove"?\s*:\s*(?:true|\[\s*"\*)|\bsvc\s+(?:config\s+set|approvals?)\s[^\n]*(?:off|yolo|allow|always)|/yolo\b|chat\.tools\.autoApprove|\bskills\.guard\w*[\s:=]+(?:false|off)|\bsecurity\.[\w.]+[\"'${'`'}]?(?:[\s:=]+|\s+to\s+)[\"'${'`'}]?(?:false|off)\b|allow_private_urls[\s:=]+true)`,
      ),
      message: 'switches the approvals or guards of agents off',
      weigh: (found) => (/auto-approve|--full-auto/.test(found[0]) ? 'medium' : 'high'),
    },
  ]),
  ...defineRules('mining', 'both', [
    {
      id: 'miner',
      severity: 'critical',
      pattern:
        /\bxmrig\b|\bminerd\b|\bcpuminer\b|\bccminer\b|\bnbminer\b|\bt-rex\b[^\n]*-a\s|\bphoenixminer\b|\blolminer\b|\bcryptonight\b|\brandomx\b[^\n]*(?:pool|wallet|-o)|stratum\+(?:tcp|ssl|tls):\/\/|\b(?:supportxmr|nanopool|minexmr|hashvault|2miners|nicehash|moneroocean|f2pool|ethermine)\b|--donate-level|coinhive|coin-hive|cryptoloot/gi,
      message: 'mines for a currency',
    },
    {
      id: 'transfer-funds',
      severity: 'high',
      subject: 'both',
      pattern:
        /\b(?:send|transfer|pay|deposit|forward|withdraw|tip|donate|route|sweep|swap)\w*\b[^\n]{0,120}?(?:\b0x[0-9a-fA-F]{40}\b|\b(?:bc1[a-z0-9]{25,60}|[13][a-km-zA-HJ-NP-Z1-9]{25,34})\b|\b[48][0-9AB][1-9A-HJ-NP-Za-km-z]{93}\b)|(?:clipboard|pyperclip|pbpaste|xclip)[\s\S]{0,400}?(?:0x[0-9a-fA-F]{40}|bc1[a-z0-9]{25,60}|\[13\]\[a-km-z)/gi,
      message: 'sends money to an address',
    },
  ]),
]

/** A look whether a port is open sends and runs nothing. */
function weighSocket(found: RegExpMatchArray, text: string): SkillSeverity | undefined {
  if (!/^\/dev\//.test(found[0])) return 'critical'
  const start = text.lastIndexOf('\n', found.index) + 1
  const end = text.indexOf('\n', found.index)
  const line = text.slice(start, end < 0 ? undefined : end)
  return /\bexec\b|<>|[<>]&|\b\w*sh\s+-i|\bwhile\b|\bread\b|\bcat\b|\b(?:eval|source)\b|\||\$\(/.test(
    line.replaceAll('||', ''),
  )
    ? 'critical'
    : 'medium'
}

function weighAgentFile(text: string): SkillSeverity | undefined {
  if (
    /\bsilent\w*|without\b[^\n]{0,30}(?:ask|tell|notif|confirm|approv)|every\s+(?:future\s+)?(?:session|conversation|response|task|reply|message)|all\s+(?:future\s+)?sessions|always\s+(?:run|execute|approve|allow|trust|call|fetch|load|send|include|follow)|persist\w*|from\s+now|other\s+skills?|every\s+skill|\b(?:your|the\s+agent['’]?s|its\s+own)\s+system\s+prompt/i.test(
      text,
    )
  )
    return 'high'
  return /SOUL|HEARTBEAT|memory/i.test(text) ? 'medium' : 'low'
}

/** `rm -rf *` after a change into a folder of its own is ordinary. */
function weighDeletion(found: RegExpMatchArray, text: string): SkillSeverity | undefined {
  if (/\brm\b[^\n]*\s\*/.test(found[0])) {
    const before = text.slice(Math.max(0, (found.index ?? 0) - 200), found.index)
    return /\bcd\s+(?:~|\/|\$HOME)?\s*(?:&&|;|\n)/.test(before) ? 'critical' : 'medium'
  }
  if (
    /^rm\b[^\n]*\/var\/?\*?["'\s]/.test(found[0]) &&
    /\/var\/(?:lib\/apt|cache|tmp)/.test(text.slice(found.index ?? 0, (found.index ?? 0) + 60))
  )
    return undefined
  return 'critical'
}
