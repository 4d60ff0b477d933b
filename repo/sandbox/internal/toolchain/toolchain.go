package toolchain

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/user"
)

// cleanPath is the part of the PATH after the directories of the toolchains.
const cleanPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// cleanBase is the environment of a command, apart from the PATH, the toolchains' variables and what the
// caller adds. It contains no variable of this program's own environment.
var cleanBase = []string{
	"HOME=/home/box", "USER=box", "LOGNAME=box", "TMPDIR=/tmp", "LANG=C.UTF-8",
	// without NO_COLOR: tests of colours fail with it, and the readers of the output ignore colours
	"CI=1", "TERM=dumb", "PAGER=cat",
	"GOFLAGS=", "GOPROXY=off", "GOTOOLCHAIN=local",
	// otherwise the go command tries to write its package index, and stops if its cache is read-only
	"GODEBUG=goindex=0",
	"CARGO_NET_OFFLINE=true",
	"npm_config_offline=true", "npm_config_update_notifier=false", "npm_config_cache=/home/box/.npm",
	"PIP_NO_INDEX=1",
	"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0",
}

// CleanEnv returns the environment of a command. If two entries have the same name, the last one wins. A PATH
// that ends with :$PATH is put before the previous PATH.
func CleanEnv(t Set, added []string) []string {
	env := append([]string{"PATH=" + strings.Join(append(slices.Clone(t.path), cleanPath), ":")},
		cleanBase...)
	env = append(append(env, t.env...), added...)
	var out []string
	at := map[string]int{}
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if i, ok := at[name]; ok {
			if front, more := strings.CutSuffix(kv, ":$PATH"); more && name == "PATH" {
				kv = front + ":" + strings.TrimPrefix(out[i], "PATH=")
			}
			out[i] = kv
			continue
		}
		at[name] = len(out)
		out = append(out, kv)
	}
	return out
}

// A Set holds compilers and interpreters outside the directories that every command sees.
type Set struct {
	Dirs []string // mounted read-only, at the same path inside
	path []string // directories at the front of the PATH
	env  []string
}

// Find returns a Set with the given directories. If given is nil, it looks for the caller's Go, Node and
// Rust. Directories that the commands' user cannot read are left out, so that root's home is never shown.
func Find(ctx context.Context, given []string) Set {
	var t Set
	if given != nil {
		for _, dir := range given {
			t.addDirectory(dir, filepath.Join(dir, "bin"))
		}
		return t
	}
	t.addGo(ctx)
	t.addNode()
	t.addRust()
	return t
}

// addDirectory adds dir, unless every command sees it anyway, and puts bin on the PATH. It returns false if
// dir must not or cannot be shown.
func (s *Set) addDirectory(dir, bin string) bool {
	dir = filepath.Clean(dir)
	if !IsAlwaysShown(dir) {
		if !CanShow(dir) {
			return false
		}
		s.Dirs = append(s.Dirs, dir)
	}
	if info, err := os.Stat(bin); err == nil && info.IsDir() &&
		!slices.Contains(strings.Split(cleanPath, ":"), bin) {
		s.path = append(s.path, bin)
	}
	return true
}

// CanShow reports whether a directory may be shown to commands: it contains no home and no directory of the
// system, and the commands' user can read it.
func CanShow(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	return err == nil && !showsTooMuch(real) && !showsTooMuch(dir) && user.IsReachable(dir)
}

// goTimeout bounds a go command that hangs. It is long, since without an answer commands have no Go for as
// long as this program runs.
const goTimeout = time.Minute

// addGo adds the directory that the go command reports.
func (s *Set) addGo(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, goTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	root := strings.TrimSpace(string(out))
	if err != nil || root == "" {
		return
	}
	s.addDirectory(root, filepath.Join(root, "bin"))
}

// addNode adds the prefix in which node is installed.
func (s *Set) addNode() {
	node, err := exec.LookPath("node")
	if err != nil {
		return
	}
	if node, err = filepath.EvalSymlinks(node); err != nil {
		return
	}
	prefix := filepath.Dir(filepath.Dir(node))
	if _, err := os.Stat(filepath.Join(prefix, "lib", "node_modules")); err != nil {
		return // a single binary in a bin directory: its prefix could be anything
	}
	s.addDirectory(prefix, filepath.Join(prefix, "bin"))
}

// addRust adds the toolchains and rustup's proxy programs, but never ~/.cargo itself, which holds the
// registry token.
func (s *Set) addRust() {
	home, err := os.UserHomeDir()
	if err != nil {
		return
	}
	rustup := filepath.Join(home, ".rustup")
	bin := filepath.Join(home, ".cargo", "bin")
	if _, err := os.Stat(filepath.Join(bin, "cargo")); err != nil || !user.IsReachable(bin) {
		return
	}
	if s.addDirectory(rustup, "") && s.addDirectory(bin, bin) {
		s.env = append(s.env, "RUSTUP_HOME="+rustup)
	}
}

// IsAlwaysShown reports whether every command sees dir anyway.
func IsAlwaysShown(dir string) bool {
	return dir == "/usr" || strings.HasPrefix(dir, "/usr/")
}

// showsTooMuch reports whether dir contains a home or a directory of the system.
func showsTooMuch(dir string) bool {
	home, _ := os.UserHomeDir()
	within := func(outer, inner string) bool {
		return inner != "" && (outer == inner || outer == "/" || strings.HasPrefix(inner, outer+"/"))
	}
	return slices.ContainsFunc(
		[]string{home, "/home", "/root", "/etc", "/var", "/tmp", "/run", "/proc", "/sys", "/dev"},
		func(p string) bool { return within(dir, p) },
	)
}
