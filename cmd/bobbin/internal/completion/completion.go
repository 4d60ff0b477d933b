// Package completion writes what shells complete bobbin's commands and flags by. The scripts are
// made of the program's own commands, and run nothing of it.
package completion

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
)

// Command is bobbin completion.
type Command struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help is what bobbin completion --help teaches.
func (Command) Help() string {
	return `Prints a script for the shell to read at its start:

  bash   bobbin completion bash > ~/.local/share/bash-completion/completions/bobbin
  zsh    bobbin completion zsh > "${fpath[1]}/_bobbin"
  fish   bobbin completion fish > ~/.config/fish/completions/bobbin.fish`
}

// Run prints the script.
func (c *Command) Run(con cli.Console, k *kong.Kong) error {
	write := map[string]func([]command) string{"bash": bash, "zsh": zsh, "fish": fish}[c.Shell]
	_, err := fmt.Fprint(con.Out, write(commandsOf(k)))
	return err
}

// A command is one that can be completed; the first, without a name, is the program itself.
type command struct {
	name, help string
	flags      []flag
}

type flag struct {
	name, help string
	takes      bool // a value
	file       bool // that is a file or a folder
}

func commandsOf(k *kong.Kong) []command {
	all := []command{{flags: flagsOf(k.Model.Flags)}}
	for _, child := range k.Model.Children {
		if !child.Hidden {
			all = append(all, command{child.Name, oneLine(child.Help), append(flagsOf(child.Flags), all[0].flags...)})
		}
	}
	return all
}

func flagsOf(flags []*kong.Flag) (list []flag) {
	for _, f := range flags {
		if !f.Hidden {
			list = append(list, flag{f.Name, oneLine(f.Help), !f.IsBool(), slices.Contains([]string{"FILE", "DIR", "PATH|URL"}, f.PlaceHolder)})
		}
	}
	return list
}

// oneLine is a help text that needs no quoting but '…'.
func oneLine(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("'", "’", "[", "(", "]", ")", ":", ",", "`", "", "$", "", `\`, "").Replace(text)), " ")
}

func bash(all []command) string {
	var names, cases []string
	for _, c := range all {
		var flags []string
		for _, f := range c.flags {
			flags = append(flags, "--"+f.name)
		}
		if c.name != "" {
			names = append(names, c.name)
			cases = append(cases, fmt.Sprintf("    %s) words='%s' ;;", c.name, strings.Join(flags, " ")))
		} else {
			cases = append(cases, fmt.Sprintf("    '') words='%s' ;;", strings.Join(flags, " ")))
		}
	}
	return `_bobbin() {
  local cur=${COMP_WORDS[COMP_CWORD]} command='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in -*) ;; *) command=${COMP_WORDS[i]}; break ;; esac
  done
  case $command in
` + strings.Join(cases, "\n") + `
  esac
  [ -n "$command" ] || words="$words ` + strings.Join(names, " ") + `"
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _bobbin bobbin
`
}

func zsh(all []command) string {
	var b strings.Builder
	b.WriteString("#compdef bobbin\n_bobbin() {\n  local -a commands\n  commands=(\n")
	for _, c := range all[1:] {
		fmt.Fprintf(&b, "    '%s:%s'\n", c.name, c.help)
	}
	b.WriteString("  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n  case $words[2] in\n")
	for _, c := range all[1:] {
		fmt.Fprintf(&b, "    %s) _arguments -s", c.name)
		for _, f := range c.flags {
			fmt.Fprintf(&b, " '--%s[%s]", f.name, f.help)
			switch {
			case f.file:
				b.WriteString(":file:_files")
			case f.takes:
				b.WriteString(":value:")
			}
			b.WriteString("'")
		}
		b.WriteString(" '*:file:_files' ;;\n")
	}
	b.WriteString("  esac\n}\ncompdef _bobbin bobbin\n")
	return b.String()
}

func fish(all []command) string {
	var b strings.Builder
	b.WriteString("complete -c bobbin -f\n")
	for _, c := range all[1:] {
		fmt.Fprintf(&b, "complete -c bobbin -n __fish_use_subcommand -a %s -d '%s'\n", c.name, c.help)
		for _, f := range c.flags {
			fmt.Fprintf(&b, "complete -c bobbin -n '__fish_seen_subcommand_from %s' -l %s -d '%s'", c.name, f.name, f.help)
			switch {
			case f.file:
				b.WriteString(" -r -F")
			case f.takes:
				b.WriteString(" -x")
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}
