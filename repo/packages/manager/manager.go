package manager

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A Manager is one package manager. Each has a file of its own, and a line in All.
type Manager struct {
	Name string // the program, as people call it
	Kind string // of project: go, node, python, rust, ruby, java
	// Locks are files that name packages exactly, and Loose those that name them, but not exactly.
	// Where a folder has no lock file, what its loose files name is resolved once, and kept.
	Locks, Loose *regexp.Regexp
	// Read reports whether a loose file names packages, and whether it does so exactly after
	// all; nil: it does, and it does not.
	Read func(base, text string) (names, exact bool)
	// Alone says that a folder with a loose file is built apart from those below it, also where
	// it names no packages.
	Alone    bool
	Manifest *regexp.Regexp // files that the tool needs beside them
	// Needs reports whether the tool needs a file that Manifest does not know by its name, and
	// Stub whether only its name counts; nil: none.
	Needs, Stub func(file string) bool
	// Fetch is the command line that fetches; files are those of the folder that name packages.
	// It is run where exactly one of them does, or where Pins may be there already.
	Fetch    func(files []string, exact bool) string
	Pins     []string          // files that Fetch leaves in the folder where nothing was exact, and goes by later
	Helpers  map[string]string // files that Fetch finds in $TMPDIR
	Vendored string            // a folder beside the lock file in which the packages may be in the repository itself
	Version  string            // a command line that says which tool it is
	Hosts    []string          // its registry
}

// All are those that are found out, in the order in which they run. Where a folder has files
// of several of one kind, the first whose lock file is there counts, or else the first.
var All = []Manager{goModules, pnpm, npm, yarn, pip, cargo, bundler, maven, gradle}

// WantsFile reports whether the commands have to see a file, and whether its name is enough.
func (m Manager) WantsFile(file string) (wants, nameOnly bool) {
	base := path.Base(file)
	switch {
	case m.Manifest.MatchString(base), m.matches(base), m.Needs != nil && m.Needs(file):
		return true, false
	case m.Stub != nil && m.Stub(file):
		return true, true
	}
	return false, false
}

// matches reports whether a file may name packages.
func (m Manager) matches(base string) bool {
	return m.Locks != nil && m.Locks.MatchString(base) || m.Loose != nil && m.Loose.MatchString(base)
}

// A Find is what a folder says of its packages.
type Find struct {
	Manager Manager
	Files   []string // that name them, in the folder
	Exact   bool     // they do so exactly
}

// FindIn looks at a folder for a manager of a kind; base are its files, and read gives the
// text of one. It is false where the folder has nothing of it, and without Files where it has,
// but names no packages.
func FindIn(kind string, bases []string, read func(base string) (string, error)) (Find, bool, error) {
	for _, m := range All {
		if m.Kind != kind || m.Locks == nil {
			continue
		}
		if locks := matching(m.Locks, bases); len(locks) > 0 {
			return Find{m, locks, true}, true, nil
		}
	}
	for _, m := range All {
		if m.Kind != kind || m.Loose == nil {
			continue
		}
		found, is, err := m.findLoose(matching(m.Loose, bases), read)
		if is || err != nil {
			return found, is, err
		}
	}
	return Find{}, false, nil
}

// findLoose looks at files that may name packages.
func (m Manager) findLoose(bases []string, read func(base string) (string, error)) (Find, bool, error) {
	f := Find{Manager: m, Exact: true}
	for _, base := range bases {
		text, err := read(base)
		if err != nil {
			return f, false, err
		}
		names, exact := true, false
		if m.Read != nil {
			names, exact = m.Read(base, text)
		}
		if names {
			f.Files, f.Exact = append(f.Files, base), f.Exact && exact
		}
	}
	return f, len(f.Files) > 0 || m.Alone && len(bases) > 0, nil
}

func matching(pattern *regexp.Regexp, bases []string) (out []string) {
	for _, base := range bases {
		if pattern.MatchString(base) {
			out = append(out, base)
		}
	}
	slices.Sort(out)
	return out
}

// Kinds are those of All, each once.
func Kinds() (kinds []string) {
	for _, m := range All {
		if !slices.Contains(kinds, m.Kind) {
			kinds = append(kinds, m.Kind)
		}
	}
	return kinds
}

// Environment is what every command line has beside the clean environment of all commands. Git
// asks over HTTPS, however a manifest writes an address: it is the one way out, where hosts of
// allow are let through, and what is refused is named. The go command may use git for those alone.
func Environment(allow []string) []string {
	rules := [][2]string{{"https://", "ssh://git@"}, {"https://", "git://"}}
	vcs := ""
	for _, host := range append([]string{"github.com", "gitlab.com", "bitbucket.org"}, allow...) {
		rules = append(rules, [2]string{"https://" + host + "/", "git@" + host + ":"})
	}
	for _, host := range allow {
		if !strings.Contains(host, ":") { // no module's path has a port
			vcs += host + ":git,"
		}
	}
	env := []string{
		"GOPROXY=https://proxy.golang.org", "GOVCS=" + vcs + "*:off", "GOFLAGS=-mod=mod -modcacherw", "GOTOOLCHAIN=local",
		"npm_config_ignore_scripts=true", "npm_config_audit=false", "npm_config_fund=false", "npm_config_offline=false",
		"npm_config_fetch_retries=2", "npm_config_fetch_retry_mintimeout=500", "PIP_RETRIES=2",
		"PIP_NO_INDEX=0", "PIP_NO_INPUT=1", "PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_BREAK_SYSTEM_PACKAGES=1",
		"CARGO_NET_OFFLINE=false", "CARGO_NET_GIT_FETCH_WITH_CLI=true",
		fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(rules)),
	}
	for i, r := range rules {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=url.%s.insteadOf", i, r[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, r[1]))
	}
	return env
}

// isAside are folders that no build of what is above them uses.
var isAside = regexp.MustCompile(`^(?i:_.*|docs?|documentation|examples?|samples?|demos?|websites?|site|benchmarks?|bench|fixtures?|playground)$`)

// IsAside reports whether a folder is no part of what the folders above it build: documentation,
// examples and the like.
func IsAside(dir string) bool {
	return dir != "" && slices.ContainsFunc(strings.Split(dir, "/"), isAside.MatchString)
}
