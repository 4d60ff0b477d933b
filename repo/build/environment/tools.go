package environment

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo/build/environment/internal/wanted"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

//go:embed tools.sh
var toolScript string

// A Tool is a program of which a file of the repository wants a version.
type Tool struct {
	Name  string // such as go, node or python
	Wants string // a version, or a range as npm and pip write them
	From  string // the file that wants it
	// Has is the version that commands find; empty: none, or it is not known.
	Has string
	// Path is the program that is used instead of the one that commands find first; empty: that one is used.
	Path string
	// Differs is set if Has is another version than the wanted one.
	Differs bool
}

// String says what is wanted and what is there: "wants node 22, has 20.1.0".
func (t Tool) String() string {
	if t.Has == "" {
		return fmt.Sprintf("wants %s %s", t.Name, t.Wants)
	}
	return fmt.Sprintf("wants %s %s, has %s", t.Name, t.Wants, t.Has)
}

// A SystemPackage is one of Debian's packages that CI or a development container installs.
type SystemPackage struct{ Name, From string }

// Tools finds the installed versions of tools and remembers them as long as the program runs. The zero value
// is ready. It is safe for concurrent use.
type Tools struct {
	// Home is the folder below which version managers install; default: the home of this program's user.
	Home string

	found sync.Map // programs by sandbox and tool
}

// A program is an installed version of a tool.
type program struct {
	path    string // empty: the one that commands find first
	version string
	root    string // folder to mount for it; empty: commands see it anyway
}

// A finder says where versions of a tool are installed.
type finder struct {
	program string   // its name
	names   []string // by which commands call it, if not by program
	inside  []string // patterns below /usr, which every command sees
	// patterns of the program below the home and elsewhere; the folder two above it is mounted
	outside []string
	// plugin is the name of the tool in asdf and mise, whose folders hold it, too.
	plugin string
}

var finders = map[string]finder{
	"go": {
		program: "go", plugin: "go*", inside: []string{"/usr/lib/go-*/bin/go", "/usr/local/go*/bin/go"},
		outside: []string{
			"~/sdk/go*/bin/go", "~/go/pkg/mod/golang.org/toolchain@*/bin/go", "/opt/go*/bin/go",
		},
	},
	"node": {
		program: "node", plugin: "node*",
		inside: []string{"/usr/local/n/versions/node/*/bin/node", "/usr/local/node*/bin/node"},
		outside: []string{
			"~/.nvm/versions/node/*/bin/node", "~/.volta/tools/image/node/*/bin/node", "/opt/node*/bin/node",
			"~/.local/share/fnm/node-versions/*/installation/bin/node",
		},
	},
	"python": {
		program: "python3", names: []string{"python3", "python"}, plugin: "python",
		inside: []string{"/usr/bin/python3.[0-9]*", "/usr/local/bin/python3.[0-9]*"},
		outside: []string{
			"~/.pyenv/versions/*/bin/python3", "~/.local/share/uv/python/*/bin/python3",
			"/opt/python*/bin/python3",
		},
	},
	"ruby": {
		program: "ruby", plugin: "ruby", inside: []string{"/usr/bin/ruby[0-9]*"},
		outside: []string{"~/.rbenv/versions/*/bin/ruby", "~/.rubies/*/bin/ruby", "/opt/rubies/*/bin/ruby"},
	},
	"rust": {
		program: "rustc", plugin: "rust",
		outside: []string{"~/.rustup/toolchains/*/bin/rustc"},
	},
	"java": {
		program: "java", plugin: "java", inside: []string{"/usr/lib/jvm/*/bin/java"},
		outside: []string{"~/.sdkman/candidates/java/*/bin/java", "/opt/*jdk*/bin/java"},
	},
	"php":    {program: "php", plugin: "php", inside: []string{"/usr/bin/php[0-9]*"}},
	"elixir": {program: "elixir", plugin: "elixir"},
	"dotnet": {program: "dotnet"},
	"pnpm":   {program: "pnpm"},
	"yarn":   {program: "yarn"},
}

// programKey identifies what Tools remembers.
type programKey struct {
	box  *sandbox.Sandbox
	name string // of a tool, or "package " and that of a package
}

// Look finds which versions of the wanted tools are installed where commands of the sandbox run, and chooses
// the program of each: the one that commands find first, unless that is another version than the wanted one
// and an installed one is not. It also finds which of Debian's packages are missing there. dir is a folder
// for its command to work in.
func (t *Tools) Look(ctx context.Context, e *Environment, box *sandbox.Sandbox, dir string) error {
	if e == nil || box == nil || len(e.Tools)+len(e.Packages) == 0 {
		return nil
	}
	if err := t.ask(ctx, e, box, dir); err != nil {
		return fmt.Errorf("look for tools: %w", err)
	}
	e.used = nil
	for i := range e.Tools {
		tool := &e.Tools[i]
		found, _ := t.found.Load(programKey{box, tool.Name})
		list, _ := found.([]program)
		chosen, ok := choose(tool.Name, tool.Wants, list)
		tool.Has = chosen.version
		tool.Path = chosen.path
		tool.Differs = chosen.version != "" && !ok
		if chosen.path != "" {
			e.used = append(e.used, usedProgram{finders[tool.Name], chosen})
		}
	}
	e.Absent = nil
	for _, p := range e.Packages {
		if there, known := t.found.Load(programKey{box, "package " + p.Name}); known && there == false {
			e.Absent = append(e.Absent, p)
		}
	}
	return nil
}

// choose returns the program to use, and whether it is of the wanted version. The first one of the list is
// the one that commands find first.
func choose(tool, wants string, list []program) (chosen program, ok bool) {
	for _, p := range list {
		if !wanted.Satisfies(tool, p.version, wants) {
			continue
		}
		if p.path == "" {
			return p, true
		}
		if !ok || wanted.Less(chosen.version, p.version) {
			chosen = p
			ok = true
		}
	}
	if !ok && len(list) > 0 && list[0].path == "" {
		chosen = list[0]
	}
	return chosen, ok
}

// ask runs one command that prints the versions of the tools and packages that are not known yet.
func (t *Tools) ask(ctx context.Context, e *Environment, box *sandbox.Sandbox, dir string) error {
	cmd := box.Command(dir, "sh", "-c", toolScript, "tools")
	roots := map[string]string{} // folders to mount, by the path of the program
	for _, tool := range e.Tools {
		f, known := finders[tool.Name]
		if _, asked := t.found.Load(programKey{box, tool.Name}); asked || !known {
			continue
		}
		cmd.Args = append(cmd.Args, tool.Name, f.program)
		for _, pattern := range f.inside {
			cmd.Args = append(cmd.Args, tool.Name, pattern)
		}
		for _, path := range t.outside(box, f) {
			root := filepath.Dir(filepath.Dir(path))
			roots[path] = root
			cmd.Args = append(cmd.Args, tool.Name, path)
			cmd.Mounts = append(cmd.Mounts, sandbox.Mount{Host: root, Inside: root})
		}
	}
	for _, p := range e.Packages {
		if _, asked := t.found.Load(programKey{box, "package " + p.Name}); !asked {
			cmd.Args = append(cmd.Args, "package", p.Name)
		}
	}
	if len(cmd.Args) == 4 {
		return nil
	}
	var out bytes.Buffer
	cmd.ReadOnly = true
	cmd.Stdout = &out
	cmd.Limits.Time = time.Minute
	var exit *sandbox.ExitError
	if err := cmd.Run(ctx); err != nil && (!errors.As(err, &exit) || exit.Reason != "") {
		return err
	}
	t.remember(box, e, out.String(), roots)
	return nil
}

// outside returns the paths of the programs of a tool that commands do not see unless they are mounted.
func (t *Tools) outside(box *sandbox.Sandbox, f finder) (paths []string) {
	if box.Kind() == sandbox.KindDocker { // the image has its own tools
		return nil
	}
	home := t.Home
	if home == "" {
		home, _ = os.UserHomeDir()
	}
	patterns := slices.Clone(f.outside)
	if f.plugin != "" {
		patterns = append(patterns, "~/.asdf/installs/"+f.plugin+"/*/bin/"+f.program,
			"~/.local/share/mise/installs/"+f.plugin+"/*/bin/"+f.program)
	}
	for _, pattern := range patterns {
		if rest, ok := strings.CutPrefix(pattern, "~"); ok {
			if home == "" {
				continue
			}
			pattern = home + rest
		}
		found, _ := filepath.Glob(pattern)
		for _, path := range found {
			root := filepath.Dir(filepath.Dir(path))
			if len(paths) < maxPrograms && sandbox.CanShow(root) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// maxPrograms is how many versions of one tool are looked at.
const maxPrograms = 40

var anyVersion = regexp.MustCompile(`\d+(?:\.\d+)*`)

// remember stores what tools.sh printed: in each line the tool, the path and what the program says of its
// version.
func (t *Tools) remember(box *sandbox.Sandbox, e *Environment, printed string, roots map[string]string) {
	found := map[string][]program{}
	for line := range strings.Lines(printed) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(fields) < 3 {
			continue
		}
		name := fields[0]
		path := fields[1]
		said := fields[2]
		if name == "package" {
			t.found.Store(programKey{box, "package " + path}, said == "installed")
			continue
		}
		version := anyVersion.FindString(said)
		if version == "" {
			continue
		}
		if !filepath.IsAbs(path) {
			path = ""
		}
		found[name] = append(found[name], program{path, version, roots[path]})
	}
	for _, tool := range e.Tools {
		if _, asked := t.found.Load(programKey{box, tool.Name}); !asked {
			t.found.Store(programKey{box, tool.Name}, found[tool.Name])
		}
	}
}

// A usedProgram is a program that commands use instead of the one that they find first.
type usedProgram struct {
	finder
	program
}

// insideTools is the folder of links to programs as commands see it.
const insideTools = "/cache/tools"

// Use prepares the chosen programs for commands, and returns the mounts and the variables with which commands
// find them first. dir is a folder of the repository's cache, for links to programs that have another name
// there, such as python3.12. Both are empty if commands find the wanted versions anyway.
func (e *Environment) Use(
	box *sandbox.Sandbox, dir string,
) (mounts []sandbox.Mount, env []string, err error) {
	links := map[string]string{}
	var folders []string
	for _, u := range e.used {
		bin := filepath.Dir(u.path)
		if u.root != "" {
			mounts = append(mounts, sandbox.Mount{Host: u.root, Inside: u.root})
		}
		if filepath.Base(u.path) == u.finder.program && !slices.Contains(commonFolders, bin) {
			folders = append(folders, bin)
		} else {
			for _, name := range u.callNames() {
				links[name] = u.path
			}
		}
		if u.finder.program == "java" {
			env = append(env, "JAVA_HOME="+filepath.Dir(bin))
		}
	}
	if len(links) > 0 {
		folder, err := linkFolder(dir, links)
		if err != nil {
			return nil, nil, fmt.Errorf("tools: %w", err)
		}
		if box.Kind() == sandbox.KindNone { // it mounts nothing
			folders = append(folders, folder)
		} else {
			mounts = append(mounts, sandbox.Mount{Host: folder, Inside: insideTools})
			folders = append(folders, insideTools)
		}
	}
	for _, folder := range folders {
		env = append(env, "PATH="+folder+":$PATH")
	}
	return mounts, env, nil
}

// commonFolders hold programs of all tools, so they are not put first for one of them.
var commonFolders = []string{"/usr/bin", "/usr/local/bin", "/bin"}

func (u usedProgram) callNames() []string {
	if len(u.names) > 0 {
		return u.names
	}
	return []string{u.finder.program}
}

// linkFolder makes a folder with links to programs below dir, unless it is there.
func linkFolder(dir string, links map[string]string) (string, error) {
	sum := sha256.Sum256(fmt.Append(nil, links))
	ready := filepath.Join(dir, hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(ready); err == nil {
		return ready, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	making, err := os.MkdirTemp(dir, "new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(making) // does nothing after the rename
	errs := []error{os.Chmod(making, 0o755)}
	for name, target := range links {
		errs = append(errs, os.Symlink(target, filepath.Join(making, name)))
	}
	if err := errors.Join(errs...); err != nil {
		return "", err
	}
	if err := os.Rename(making, ready); err != nil {
		if _, there := os.Stat(ready); there != nil {
			return "", err
		}
	}
	return ready, nil // another process may have been faster
}

// PackagesLine says in one line which of Debian's packages are installed by CI and not here; empty: none.
func (e *Environment) PackagesLine() string {
	if e == nil || len(e.Absent) == 0 {
		return ""
	}
	var names []string
	for _, p := range e.Absent[:min(len(e.Absent), maxNamed)] {
		names = append(names, p.Name)
	}
	return fmt.Sprintf("%s installs packages that are not installed here: `apt-get install %s`",
		e.Absent[0].From, strings.Join(names, " "))
}

// maxNamed is how many packages a line names.
const maxNamed = 12
