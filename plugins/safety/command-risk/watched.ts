/** Names of programs that a pattern or the hard line is about: what the general rule about runners looks for. */
import { isShell } from './nested.ts'

const NAMES = new Set(
  (
    'rm rmdir unlink shred srm wipe scrub trash rimraf del-cli del rd erase remove-item dd mkfs mke2fs newfs mkswap ' +
    'wipefs blkdiscard sgdisk sfdisk fdisk gdisk parted hdparm nvme cryptsetup zpool badblocks format diskutil shutdown ' +
    'reboot halt poweroff init telinit systemctl loginctl stop-computer restart-computer kill killall killall5 pkill ' +
    'skill find fd fdfind mv cp install ln tee truncate rsync tar unzip chmod chown chgrp setfacl chattr setcap sudo doas ' +
    'su pkexec run0 useradd userdel usermod passwd chpasswd visudo crontab at batch iptables ufw nft modprobe insmod ' +
    'sysctl mount umount nc ncat netcat socat curl wget eval source exec env printenv git svc docker podman kubectl ' +
    'helm terraform aws gcloud az gh npm publish psql mysql sqlite3 redis-cli mongosh dropdb gpg pass vault op security ' +
    'cat head tail less base64 xxd sed awk perl python python3 node ruby php osascript busybox toybox xargs parallel ' +
    'ssh scp sftp rclone robocopy history export alias trap iex invoke-expression iwr irm invoke-webrequest ' +
    'launchctl service apt apt-get brew dnf yum pacman pip pip3 chsh dscl reg schtasks bcdedit'
  ).split(' '),
)

export function isWatched(name: string): boolean {
  return NAMES.has(name) || isShell(name) || /^(mkfs|mke2fs|newfs)\b/.test(name)
}

/** Programs that end or restart the machine. */
export const POWER: ReadonlySet<string> = new Set(
  'shutdown reboot halt poweroff stop-computer restart-computer'.split(' '),
)

/** Names that are words of everyday speech as well. */
export function isPowerName(word: string): boolean {
  return POWER.has(word.toLowerCase())
}
