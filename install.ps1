# Installs svc from a git repository: powershell -File install.ps1 -Repository URL [-Commit C | -Tag T | -Branch B]
# In stages, each of which a launcher may run as a process of its own; see "Installation" in README.md. The stages, their results and
# their exit codes are those of install.sh.
[CmdletBinding(PositionalBinding = $false)]
param(
  # Where svc comes from (default: that of the checkout that this script is in).
  [string]$Repository = '',
  # Goes before -Tag and -Branch; -Tag goes before -Branch.
  [string]$Commit = '',
  [string]$Tag = '',
  [string]$Branch = '',
  # Where it is installed, and where the command svc is written.
  [string]$Dir = (Join-Path $env:LOCALAPPDATA 'svc-program'),
  [string]$Bin = (Join-Path $env:LOCALAPPDATA 'Microsoft\WindowsApps'),
  # SVC_HOME for the last stages.
  [string]$SvcHome = '',
  # Print the stages as JSON.
  [switch]$Manifest,
  # Run this stage only.
  [string]$Stage = '',
  # Skip what needs a person.
  [switch]$NonInteractive,
  # The last line of each stage is its result as JSON.
  [switch]$Json
)
Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'

$minNode = [version]'20.19'
$stages = @(
  [ordered]@{ name = 'git'; title = 'Git'; category = 'prereqs'; needs_user_input = $false }
  [ordered]@{ name = 'node'; title = 'Node.js'; category = 'prereqs'; needs_user_input = $false }
  [ordered]@{ name = 'repository'; title = 'Program files'; category = 'install'; needs_user_input = $false }
  [ordered]@{ name = 'dependencies'; title = 'Libraries'; category = 'install'; needs_user_input = $false }
  [ordered]@{ name = 'build'; title = 'Build'; category = 'install'; needs_user_input = $false }
  [ordered]@{ name = 'command'; title = 'Command on the path'; category = 'finalize'; needs_user_input = $false }
  [ordered]@{ name = 'check'; title = 'First start'; category = 'finalize'; needs_user_input = $false }
  [ordered]@{ name = 'setup'; title = 'Model and keys'; category = 'post-install'; needs_user_input = $true }
)

function Stop-Wrong([string]$Text) {
  [Console]::Error.WriteLine("install.ps1: $Text")
  exit 2
}

if ($Manifest) {
  Write-Output (ConvertTo-Json -Compress -Depth 4 ([ordered]@{ protocol_version = 1; stages = $stages }))
  exit 0
}
if ($Stage -ne '' -and -not ($stages | Where-Object { $_.name -eq $Stage })) { Stop-Wrong "there is no stage $Stage" }
foreach ($value in $Repository, $Commit, $Tag, $Branch) {
  if ($value.StartsWith('-')) { Stop-Wrong "$value is not a value of an option" }
}
if ($SvcHome -ne '') { $env:SVC_HOME = $SvcHome }
$Dir = [System.IO.Path]::GetFullPath([System.IO.Path]::Combine((Get-Location).ProviderPath, $Dir))
$Bin = [System.IO.Path]::GetFullPath([System.IO.Path]::Combine((Get-Location).ProviderPath, $Bin))
$entry = Join-Path $Dir 'dist\kernel\bin.cjs'
$shim = Join-Path $Bin 'svc.cmd'
# In the second line of the command that this script writes: another file of that name is not replaced, and svc uninstall knows its own.
$mark = 'rem Written by install.ps1 of svc: '
$isInteractive = -not $NonInteractive -and -not [Console]::IsInputRedirected

# A stage returns nothing when it is done, and throws when it failed. What it skips it says with Skip.
function Skip([string]$Reason) { @{ skipped = $Reason } }

# Output of programs goes to the standard error: the standard output has results alone.
function Invoke-Program([string]$Program, [string[]]$Words, [string]$Folder = '') {
  if ($Folder -ne '') { Push-Location -LiteralPath $Folder }
  # A line on the standard error of a program is no failure.
  $before = $ErrorActionPreference
  $ErrorActionPreference = 'Continue'
  try {
    & $Program @Words 2>&1 | ForEach-Object { [Console]::Error.WriteLine([string]$_) }
    return $LASTEXITCODE
  } finally {
    $ErrorActionPreference = $before
    if ($Folder -ne '') { Pop-Location }
  }
}

function Test-Program([string]$Name) { $null -ne (Get-Command $Name -CommandType Application -ErrorAction SilentlyContinue) }

function Invoke-StageGit {
  if (-not (Test-Program 'git')) { throw 'git is not on the path. Install it: winget install Git.Git' }
}

function Invoke-StageNode {
  if (-not ((Test-Program 'node') -and (Test-Program 'npm'))) {
    throw "Node.js with npm is not on the path. Install Node $minNode or newer: winget install OpenJS.NodeJS.LTS"
  }
  $found = [string](& node --version)
  if ([version]($found.TrimStart('v') -replace '-.*$', '') -lt $minNode) {
    throw "Node $found is too old. Install Node $minNode or newer."
  }
}

function Find-Repository {
  if ($Repository -ne '') { return $Repository }
  $ErrorActionPreference = 'Continue'
  $found = [string](& git -C $PSScriptRoot remote get-url origin 2>$null)
  if ($LASTEXITCODE -ne 0 -or $found -eq '') { throw 'Name the repository: -Repository URL' }
  return $found
}

# Complete in a folder of its own before it gets its name.
function Invoke-StageRepository {
  if (Test-Path -LiteralPath (Join-Path $Dir '.git')) { return Skip "$Dir is there already. To update it: svc update" }
  if ((Test-Path -LiteralPath $Dir) -and (Get-ChildItem -LiteralPath $Dir -Force | Select-Object -First 1)) {
    throw "$Dir is not empty and no checkout of svc. Choose another folder with -Dir."
  }
  $from = Find-Repository
  $part = "$Dir.part"
  if (Test-Path -LiteralPath $part) { Remove-Item -LiteralPath $part -Recurse -Force }
  New-Item -ItemType Directory -Force -Path (Split-Path -Parent $Dir) | Out-Null
  $env:GIT_TERMINAL_PROMPT = '0'
  try {
    if ((Invoke-Program 'git' @('clone', '--quiet', '--no-checkout', '--', $from, $part)) -ne 0) { throw "$from cannot be cloned." }
    $pin = ''
    if ($Commit -ne '') { $pin = $Commit } elseif ($Tag -ne '') { $pin = "refs/tags/$Tag" } elseif ($Branch -ne '') { $pin = "refs/remotes/origin/$Branch" }
    $words = @('checkout', '--quiet')
    if ($pin -ne '') { $words = @('-c', 'advice.detachedHead=false', 'checkout', '--quiet', '--detach', $pin, '--') }
    if ((Invoke-Program 'git' $words $part) -ne 0) { throw "$from has no $(@($Commit, $Tag, $Branch | Where-Object { $_ -ne '' })[0])." }
    # What an update follows.
    if ($Commit -eq '' -and $Tag -eq '' -and $Branch -ne '') {
      if ((Invoke-Program 'git' @('config', 'svc.branch', $Branch) $part) -ne 0) { throw "$part cannot be written." }
    }
    [System.IO.File]::WriteAllText((Join-Path $part '.install_method'), "git`n")
    if (Test-Path -LiteralPath $Dir) { Remove-Item -LiteralPath $Dir }
    Move-Item -LiteralPath $part -Destination $Dir
  } finally {
    if (Test-Path -LiteralPath $part) { Remove-Item -LiteralPath $part -Recurse -Force }
  }
}

function Invoke-StageDependencies {
  if ((Invoke-Program 'npm' @('ci', '--no-audit', '--no-fund', '--loglevel=error') $Dir) -ne 0) { throw 'npm ci failed; its output says why.' }
}

function Invoke-StageBuild {
  if ((Invoke-Program 'npm' @('run', '--silent', 'build') $Dir) -ne 0 -or
    (Invoke-Program 'npm' @('prune', '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error') $Dir) -ne 0) {
    throw 'The build failed; its output says why.'
  }
}

# A link needs rights that users of Windows do not have, so the command is a file that starts the program.
function Invoke-StageCommand {
  if (-not (Test-Path -LiteralPath $entry)) { throw "$entry is not there. Run the stage build first." }
  New-Item -ItemType Directory -Force -Path $Bin | Out-Null
  if ((Test-Path -LiteralPath $shim) -and -not ([System.IO.File]::ReadAllText($shim).Contains($mark))) {
    throw "$shim is another program. Move it away, or choose another folder with -Bin."
  }
  # cmd.exe reads paths in another encoding than this script writes: what is below LOCALAPPDATA, where names of users are, is a variable.
  $start = $entry
  if ($entry.StartsWith("$env:LOCALAPPDATA\")) { $start = '%LOCALAPPDATA%' + $entry.Substring($env:LOCALAPPDATA.Length) }
  [System.IO.File]::WriteAllText($shim, "@echo off`r`n$mark$Dir`r`nnode `"$start`" %*`r`n")
  if (-not (($env:PATH -split ';') -contains $Bin)) { [Console]::Error.WriteLine("Add $Bin to PATH.") }
}

function Invoke-StageCheck {
  $ErrorActionPreference = 'Continue'
  $said = [string](& node $entry --version)
  if ($LASTEXITCODE -ne 0) { throw "$shim does not start." }
  [Console]::Error.WriteLine("svc $said is installed in $Dir")
}

function Invoke-StageSetup {
  if (-not $isInteractive -or $Json) { return Skip 'A person is needed. Run: svc setup' }
  # Not with &: its output would be taken for the result of the stage.
  $child = Start-Process -FilePath 'node' -ArgumentList @("`"$entry`"", 'setup') -NoNewWindow -Wait -PassThru
  if ($child.ExitCode -ne 0) { throw 'svc setup was left. Run it again: svc setup' }
}

function Invoke-Stage([string]$Name) {
  $began = [System.Diagnostics.Stopwatch]::StartNew()
  $ok = $true
  $skipped = $false
  $reason = $null
  try {
    $outcome = & "Invoke-Stage$((Get-Culture).TextInfo.ToTitleCase($Name))"
    if ($outcome -is [hashtable]) {
      $skipped = $true
      $reason = $outcome.skipped
    }
  } catch {
    $ok = $false
    $reason = $_.Exception.Message
  }
  if ($Json) {
    $result = [ordered]@{ stage = $Name; ok = $ok; skipped = $skipped; reason = $reason; duration_ms = [int]$began.ElapsedMilliseconds }
    [Console]::Out.WriteLine((ConvertTo-Json -Compress $result))
  } elseif ($null -ne $reason) {
    [Console]::Error.WriteLine("${Name}: $reason")
  }
  $script:isDone = $ok
}

foreach ($name in $(if ($Stage -ne '') { @($Stage) } else { @($stages | ForEach-Object { $_.name }) })) {
  $script:isDone = $false
  Invoke-Stage $name
  if (-not $script:isDone) { exit 1 }
}
exit 0
