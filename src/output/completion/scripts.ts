/** The shells that a script is made for. */
export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;

/** A shell that a script is made for. */
export type Shell = (typeof SHELLS)[number];

const bash = `# cdapctl completion for bash. To use it: source <(cdapctl completion bash)
_cdapctl() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = ':files' ]; then compopt -o default 2>/dev/null; COMPREPLY=(); return; fi
    COMPREPLY+=("$line")
  done < <(cdapctl complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _cdapctl cdapctl
`;

const zsh = `#compdef cdapctl
# cdapctl completion for zsh. To use it: source <(cdapctl completion zsh)
_cdapctl() {
  local -a found
  found=("\${(@f)$(cdapctl complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ "\${found[1]}" == ':files' ]]; then compset -P '--*='; _files; return; fi
  found=("\${(@)found:#}")
  (( \${#found} )) && compadd -- "\${found[@]}"
}
# In a folder of fpath this file is the function itself.
if [[ "\${funcstack[1]}" == _cdapctl ]]; then _cdapctl "$@"; else compdef _cdapctl cdapctl; fi
`;

const fish = `# cdapctl completion for fish. To use it: cdapctl completion fish | source
function __cdapctl_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in (cdapctl complete -- $words[2..-1] 2>/dev/null)
    if test "$line" = ':files'
      set -l flag (string match -r -- '^--[^=]*=' (commandline -ct))
      set -l paths (__fish_complete_path (string replace -r -- '^--[^=]*=' '' (commandline -ct)))
      for path in $paths
        echo "$flag$path"
      end
    else
      echo $line
    end
  end
end
complete -c cdapctl -f -a '(__cdapctl_complete)'
`;

const powershell = `# cdapctl completion for PowerShell. To use it: cdapctl completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName cdapctl -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  if ($wordToComplete -eq '') { $words += ' ' }
  cdapctl complete -- @words 2>$null | Where-Object { $_ -ne ':files' } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;

/** The script that makes a shell complete lines of this tool. */
export const completionScript = (shell: Shell): string => ({ bash, zsh, fish, powershell })[shell];
