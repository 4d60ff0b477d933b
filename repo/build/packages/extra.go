package packages

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/bobbinhq/bobbin/repo/build/packages/internal/manager"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// An Extra holds the operator's commands that install what a repository needs besides its packages. They run
// as the package managers do, once for the same commands, files, hosts and tools. What they leave in the
// folder InsideEnvironment is mounted there for all later commands, and its folder bin is on the PATH.
type Extra struct {
	Run []string // command lines, run in the top folder; empty: there are none
	// Inputs are patterns of files that the commands need, beside those that they name. The commands see no
	// other files, and run again when one of these changes.
	Inputs []string
}

// InsideEnvironment is the folder of the results of Extra, while its commands run and later.
const InsideEnvironment = "/cache/environment"

// extraDir is its name below out/.
const extraDir = "environment"

// extraNames is how messages call the commands of Extra.
const extraNames = "environment.setup"

// withExtra adds the plan for the commands of c.Extra, if there are any. The registries of the package
// managers that were found may be asked.
func withExtra(ctx context.Context, t *tree, plans []plan, c Config) ([]plan, error) {
	if len(c.Extra.Run) == 0 {
		return plans, nil
	}
	p := plan{own: true, extra: true, tree: t}
	for _, found := range plans {
		for _, m := range found.managers {
			known := func(o manager.Manager) bool { return o.Name == m.Name }
			if !slices.ContainsFunc(p.managers, known) {
				p.managers = append(p.managers, m)
			}
		}
	}
	var err error
	var unmatched []string
	if p.copy, unmatched, err = t.extraFiles(ctx, c.Extra); err != nil {
		return nil, err
	}
	if n := len(p.copy); n > maxFiles {
		return nil, fmt.Errorf("environment.inputs name %d files, and at most %d are copied", n, maxFiles)
	}
	for _, pattern := range unmatched {
		line := fmt.Sprintf("echo 'environment.inputs: no file is like %s' >&2; exit 1",
			strings.ReplaceAll(pattern, "'", ""))
		p.steps = append(p.steps, step{line: line, shown: extraNames})
	}
	for _, line := range c.Extra.Run {
		p.steps = append(p.steps, step{line: line, shown: line})
	}
	return append(plans, p), nil
}

// extraFiles returns the files that the commands name or that are like a pattern of the inputs, and the
// patterns that no file is like. A pattern of a folder means all that is in it.
func (t *tree) extraFiles(ctx context.Context, e Extra) (files, unmatched []string, err error) {
	paths, err := t.list(ctx, func(string) bool { return false })
	if err != nil {
		return nil, nil, err
	}
	wanted := map[string]bool{}
	for _, line := range e.Run {
		for _, word := range strings.FieldsFunc(line, endsWord) {
			wanted[path.Clean(word)] = true
		}
	}
	matched := map[string]bool{}
	for _, file := range paths {
		take := wanted[file]
		for _, pattern := range e.Inputs {
			clean := path.Clean(pattern)
			if doublestar.MatchUnvalidated(clean, file) || strings.HasPrefix(file, clean+"/") {
				take = true
				matched[pattern] = true
			}
		}
		if take {
			files = append(files, file)
		}
	}
	for _, pattern := range e.Inputs {
		if !matched[pattern] {
			unmatched = append(unmatched, pattern)
		}
	}
	return files, unmatched, nil
}

// endsWord reports whether a character ends the name of a file in a command line.
func endsWord(r rune) bool { return strings.ContainsRune(" \t\n\"'=;&|()<>", r) }

// addExtra lets a command of Extra write its results where later commands see them.
func (f *fetchRun) addExtra(cmd *sandbox.Cmd) {
	if f.plan.extra {
		cmd.Mounts = append(cmd.Mounts, sandbox.Mount{
			Host: f.pathOf("kept", "out", extraDir), Inside: InsideEnvironment, Writable: true,
		})
		cmd.Env = append(cmd.Env, "ENVIRONMENT="+InsideEnvironment)
	}
}

// modeOf returns the permissions of a file that is copied for commands: scripts can be run.
func modeOf(text []byte) os.FileMode {
	if strings.HasPrefix(string(text[:min(len(text), 2)]), "#!") {
		return 0o755
	}
	return 0o644
}

// explainOwn adds to the failure of a command of the operator where its output is, and what helps.
func (f *fetchRun) explainOwn(m *Missing, output []byte) {
	m.Log = f.saveLog(output)
	if f.plan.extra && strings.HasPrefix(m.Cure, "`setup.run`") {
		m.Cure = "correct the command in `" + extraNames + "`"
	}
}

// logSuffix is the suffix of the file beside the packages that has the output of a step that failed.
const logSuffix = ".log"

// maxLog is how many bytes of an output are kept for the log.
const maxLog = 1 << 20

// saveLog writes the output of a failed command of the operator beside the packages, and returns the path.
func (f *fetchRun) saveLog(output []byte) string {
	file := f.kept + logSuffix
	if !f.plan.own || len(output) == 0 {
		return ""
	}
	if err := os.WriteFile(file, output, 0o600); err != nil {
		f.fetcher.log().Warn("setup: the log of a command is not kept", "err", err)
		return ""
	}
	if absolute, err := filepath.Abs(file); err == nil {
		return absolute
	}
	return file
}
