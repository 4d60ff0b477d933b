package packages

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo"
)

// What a repository may bring.
const (
	mostDeep  = 4 // folders above a manifest
	mostSteps = 8
	mostFiles = 5000
	mostBytes = 64 << 20
)

// A step is one command line, run in a folder.
type step struct {
	kind string // empty: the operator's
	dir  string
	line string
}

// A plan is what there is to fetch.
type plan struct {
	managers []manager
	locks    []string // paths of the files that name the packages
	steps    []step
	found    bool            // and not written by the operator
	copy     []string        // paths of what the commands see
	stubs    []string        // files of which they see the name alone
	known    map[string]bool // folders that hold their packages already: node_modules and vendor, by path
}

// findPlan looks for what the commit names. A plan without steps has nothing to do.
func findPlan(ctx context.Context, m *repo.Mirror, commit string, c Config) (plan, error) {
	p := plan{known: map[string]bool{}}
	paths, err := m.ListPaths(ctx, commit, func(dir string) bool {
		base := path.Base(dir)
		if base == "node_modules" || base == "vendor" {
			p.known[dir] = true
		}
		return strings.HasPrefix(base, ".") || slices.Contains([]string{"node_modules", "vendor", "testdata"}, base) || tooDeep(dir, c.Folder)
	})
	if err != nil {
		return p, err
	}
	for _, k := range managers {
		p.addManager(k, paths, c.Folder)
	}
	if p.found = len(c.Run) == 0; !p.found {
		p.steps = nil
		for _, line := range c.Run {
			p.steps = append(p.steps, step{line: line})
		}
	}
	if len(p.copy) > mostFiles {
		return p, fmt.Errorf("the repository has %d manifests, and at most %d are looked at", len(p.copy), mostFiles)
	}
	return p, nil
}

// folderOf is where a file is; empty at the top.
func folderOf(file string) string {
	if dir := path.Dir(file); dir != "." {
		return dir
	}
	return ""
}

// tooDeep reports whether nothing in dir is looked at. The way to the part that the work is
// about is not counted.
func tooDeep(dir, part string) bool {
	if part != "" && (dir == part || strings.HasPrefix(part, dir+"/")) {
		return false
	}
	return strings.Count(strings.TrimPrefix(dir, part+"/"), "/") >= mostDeep
}

// nearestFolders are the folders, of those that have lock files, that are fetched for: the top, or
// else those closest below it. Where the work is about a part of the repository, what holds
// that part comes first, from the inside out.
func nearestFolders(dirs []string, part string) []string {
	depth := func(dir string) int { return len(strings.FieldsFunc(dir, func(r rune) bool { return r == '/' })) }
	slices.SortFunc(dirs, func(a, b string) int { return cmp.Or(cmp.Compare(depth(a), depth(b)), strings.Compare(a, b)) })
	if part != "" {
		for dir := part; ; dir = folderOf(dir) {
			if slices.Contains(dirs, dir) {
				return []string{dir}
			}
			if dir == "" {
				break
			}
		}
		dirs = slices.DeleteFunc(dirs, func(dir string) bool { return !strings.HasPrefix(dir, part+"/") })
	}
	end := slices.IndexFunc(dirs, func(dir string) bool { return depth(dir) > depth(dirs[0]) })
	if end < 0 {
		return dirs
	}
	return dirs[:end]
}

// addManager adds what one package manager has to fetch.
func (p *plan) addManager(k manager, paths []string, part string) {
	locks := map[string][]string{}
	for _, file := range paths {
		base := path.Base(file)
		if k.manifest.MatchString(base) || k.needs != nil && k.needs(file) {
			p.copy = append(p.copy, file)
		}
		if k.stub != nil && k.stub(file) {
			p.stubs = append(p.stubs, file)
		}
		if k.locks.MatchString(base) && !p.known[path.Join(folderOf(file), k.vendored)] {
			locks[folderOf(file)] = append(locks[folderOf(file)], base)
		}
	}
	dirs := nearestFolders(slices.Collect(maps.Keys(locks)), part)
	if len(dirs) == 0 {
		return
	}
	p.managers = append(p.managers, k)
	for _, dir := range dirs[:min(len(dirs), mostSteps-len(p.steps))] {
		p.steps = append(p.steps, step{k.name, dir, k.fetch(locks[dir])})
		for _, base := range locks[dir] {
			p.locks = append(p.locks, path.Join(dir, base))
		}
	}
}

// dropManager takes out a package manager whose tool is not there.
func (p *plan) dropManager(k manager) {
	p.managers = slices.DeleteFunc(p.managers, func(o manager) bool { return o.name == k.name })
	p.steps = slices.DeleteFunc(p.steps, func(s step) bool { return s.kind == k.name })
	p.locks = slices.DeleteFunc(p.locks, func(file string) bool { return k.locks.MatchString(path.Base(file)) })
}

// lockNames are the files in words.
func (p plan) lockNames() string {
	if len(p.locks) == 0 {
		return "by setup.run"
	}
	if n := len(p.locks); n > 3 {
		return strings.Join(p.locks[:3], ", ") + fmt.Sprintf(" and %d more", n-3)
	}
	return strings.Join(p.locks, ", ")
}

// writeManifests writes what the commands see: lock files, manifests and stubs.
func (p plan) writeManifests(m *repo.Mirror, commit, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	var sum int
	for _, file := range p.copy {
		text, err := m.ReadFile(commit, file)
		if err != nil {
			return err
		}
		if p.found && strings.HasSuffix(file, ".txt") && strings.Contains(string(text), "--no-binary") {
			return &Error{Names: p.lockNames(), Why: file + " says --no-binary, so code of the packages would be run to install them", Cure: "setup.run says so, if that is meant"}
		}
		if sum += len(text); sum > mostBytes {
			return errors.New("the repository's manifests are larger than can be looked at")
		}
		if err := writeAt(root, file, text); err != nil {
			return err
		}
	}
	for _, file := range p.stubs {
		if err := writeAt(root, file, nil); err != nil {
			return err
		}
	}
	return nil
}

func writeAt(root *os.Root, file string, text []byte) error {
	name := filepath.FromSlash(file)
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return root.WriteFile(name, text, 0o644)
}

// keyVersion changes when the same plan would be carried out differently.
const keyVersion = "1"

// cacheKey names what the plan fetches. The lock files decide it; where the operator wrote a
// command, the manifests count too, since it may read them.
func (p plan) cacheKey(m *repo.Mirror, commit string, c Config, versions string) (string, error) {
	h := sha256.New()
	part := func(words ...string) {
		for _, w := range words {
			fmt.Fprintf(h, "%d:%s,", len(w), w)
		}
	}
	part(keyVersion, versions)
	for _, s := range p.steps {
		part("step", s.dir, s.line)
	}
	part(append([]string{"allow"}, c.allowedHosts(p.managers)...)...)
	part(append([]string{"private"}, c.Private...)...)
	part(append([]string{"env"}, c.Env...)...)
	for _, file := range p.copy {
		decides := slices.Contains(p.locks, file) || strings.HasPrefix(path.Base(file), "go.") || strings.HasSuffix(file, ".txt") || len(c.Run) > 0
		if !decides {
			continue
		}
		text, err := m.ReadFile(commit, file)
		if err != nil {
			return "", err
		}
		part("file", file, string(text))
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}
