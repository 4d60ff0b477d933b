// Package completion writes the shell scripts that complete bobbin's commands and flags, for bash, zsh and
// fish. The scripts are generated from the program's own commands and never run bobbin.
package completion

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
)

// Command is the subcommand bobbin completion.
type Command struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help returns the detailed text of bobbin completion --help.
func (Command) Help() string {
	return `Prints a script for the shell to read at its start:

  bash   bobbin completion bash > ~/.local/share/bash-completion/completions/bobbin
  zsh    bobbin completion zsh > "${fpath[1]}/_bobbin"
  fish   bobbin completion fish > ~/.config/fish/completions/bobbin.fish`
}

// Run prints the script for the shell.
func (c *Command) Run(con cli.Console, k *kong.Kong) error {
	write := map[string]func([]command) string{"bash": bash, "zsh": zsh, "fish": fish}[c.Shell]
	_, err := fmt.Fprint(con.Out, write(commandsOf(k)))
	return err
}

// A command is a subcommand with its flags; the first in the list has no name and stands for the program
// itself.
type command struct {
	name, help string
	flags      []flag
	words      []string // the allowed values of its argument; nil: any value, or no argument
}

type flag struct {
	name, help string
	takes      bool     // it takes a value
	file       bool     // the value is a file or a folder
	words      []string // the allowed values; nil: any
}

func commandsOf(k *kong.Kong) []command {
	all := []command{{flags: flagsOf(k.Model.Flags)}}
	for _, child := range k.Model.Children {
		if !child.Hidden {
			c := command{
				name:  child.Name,
				help:  oneLine(child.Help),
				flags: append(flagsOf(child.Flags), all[0].flags...),
			}
			for _, argument := range child.Positional {
				c.words = append(c.words, wordsOf(argument)...)
			}
			all = append(all, c)
		}
	}
	return all
}

func flagsOf(flags []*kong.Flag) (list []flag) {
	for _, f := range flags {
		if !f.Hidden {
			file := slices.Contains([]string{"FILE", "DIR", "PATH|URL"}, f.PlaceHolder)
			list = append(list, flag{
				name:  f.Name,
				help:  oneLine(f.Help),
				takes: !f.IsBool(),
				file:  file,
				words: wordsOf(f.Value),
			})
		}
	}
	return list
}

// wordsOf returns the allowed values of a flag or an argument; nil if any value is allowed.
func wordsOf(v *kong.Value) []string {
	if v.Enum == "" {
		return nil
	}
	return v.EnumSlice()
}

// oneLine returns a help text as one line that needs no quoting inside single quotes.
func oneLine(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("'", "’", "[", "(", "]", ")", ":", ",", "`", "",
		"$", "", `\`, "").Replace(text)), " ")
}

func bash(all []command) string {
	var names, cases []string
	values := map[string]string{} // flag to the words that complete its value; empty: files complete it
	for _, c := range all {
		words := slices.Clone(c.words)
		for _, f := range c.flags {
			words = append(words, "--"+f.name)
			if f.takes {
				values["--"+f.name] = strings.Join(f.words, " ")
			}
		}
		name := c.name
		if name == "" {
			name = "''"
		} else {
			names = append(names, name)
		}
		cases = append(cases, fmt.Sprintf("    %s) words='%s' ;;", name, strings.Join(words, " ")))
	}
	var chosen []string
	for _, f := range slices.Sorted(maps.Keys(values)) {
		if values[f] != "" {
			chosen = append(chosen,
				fmt.Sprintf("    %s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;", f, values[f]))
		}
	}
	taking := strings.Join(slices.Sorted(maps.Keys(values)), "|")
	return `_bobbin() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command='' words='' i
  if [ "$cur" = = ]; then cur=''; elif [ "$prev" = = ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
  COMPREPLY=()
  case $prev in
` + strings.Join(chosen, "\n") + `
    ` + taking + `) return ;;
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      ` + taking + `) [ "${COMP_WORDS[i+1]}" != = ] || ((i++)); ((i++)) ;;
      -*) ;;
      *) command=${COMP_WORDS[i]}; break ;;
    esac
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
	b.WriteString("  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n" +
		"  case $words[2] in\n")
	for _, c := range all[1:] {
		fmt.Fprintf(&b, "    %s) _arguments -s", c.name)
		for _, f := range c.flags {
			fmt.Fprintf(&b, " '--%s[%s]", f.name, f.help)
			switch {
			case f.file:
				b.WriteString(":file:_files")
			case len(f.words) > 0:
				b.WriteString(":value:(" + strings.Join(f.words, " ") + ")")
			case f.takes:
				b.WriteString(":value:")
			}
			b.WriteString("'")
		}
		if len(c.words) > 0 {
			b.WriteString(" ':word:(" + strings.Join(c.words, " ") + ")' ;;\n")
			continue
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
		if len(c.words) > 0 {
			fmt.Fprintf(&b, "complete -c bobbin -n '__fish_seen_subcommand_from %s' -a '%s'\n", c.name,
				strings.Join(c.words, " "))
		}
		for _, f := range c.flags {
			fmt.Fprintf(&b, "complete -c bobbin -n '__fish_seen_subcommand_from %s' -l %s -d '%s'",
				c.name, f.name, f.help)
			switch {
			case f.file:
				b.WriteString(" -r -F")
			case len(f.words) > 0:
				b.WriteString(" -x -a '" + strings.Join(f.words, " ") + "'")
			case f.takes:
				b.WriteString(" -x")
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}
