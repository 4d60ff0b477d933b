package packages

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/build/packages/internal/manager"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Limits for the content of a repository.
const (
	maxDeep  = 4 // folders above a manifest
	maxSteps = 8
	maxFiles = 5000
	maxBytes = 64 << 20
	maxFile  = 48 << 20 // of a single file
)

// A step is a command line that runs in a folder of the repository.
type step struct {
	dir   string
	line  string
	shown string   // short form of line for messages
	pins  []string // paths of the files with resolved versions; none if the repository fixes all versions
	env   []string // NAME=value, for this step alone
}

// A plan describes what one package manager, or the operator's commands, must fetch.
type plan struct {
	managers []manager.Manager
	locks    []string // paths of the files that name the packages
	steps    []step
	own      bool     // whether the operator wrote the commands
	extra    bool     // whether they are those of Extra, which need only the files of copy
	bump     bool     // whether the step changes a version, and fetches nothing
	copy     []string // paths of the files that are copied for the commands
	stubs    []string // paths of files that are copied empty, because only their names matter
	tree     *tree
}

// kind returns the kind of project, or an empty string for the operator's commands.
func (p plan) kind() string {
	if p.own {
		return ""
	}
	return p.managers[0].Kind
}

// A tree holds the paths of a commit or of a workspace, except those in folders that are not searched.
type tree struct {
	read  func(file string) ([]byte, error)
	size  func(file string) (int64, error)
	list  func(ctx context.Context, skips func(dir string) bool) ([]string, error)
	paths []string
	bases map[string][]string // file names by folder
	known map[string]bool     // folders in the commit that hold packages: node_modules and vendor, by path
}

func readTree(ctx context.Context, all git.Commits, commit, part string) (*tree, error) {
	t := &tree{
		read: func(file string) ([]byte, error) { return all.ReadFile(commit, file) },
		size: func(file string) (int64, error) { return all.FileSize(commit, file) },
		list: func(ctx context.Context, skips func(dir string) bool) ([]string, error) {
			return all.ListPaths(ctx, commit, skips)
		},
	}
	return t, t.readPaths(ctx, part)
}

// readPaths reads the names of the files that say something about packages.
func (t *tree) readPaths(ctx context.Context, part string) error {
	t.bases = map[string][]string{}
	t.known = map[string]bool{}
	paths, err := t.list(ctx, func(dir string) bool { return t.skips(dir, part) })
	t.add(paths)
	return err
}

// readFiles returns the tree of the files of a workspace.
func readFiles(ctx context.Context, files fs.FS, part string) (*tree, error) {
	t := &tree{
		read: func(file string) ([]byte, error) { return fs.ReadFile(files, file) },
		size: func(file string) (int64, error) {
			info, err := fs.Lstat(files, file)
			if err != nil {
				return 0, err
			}
			return info.Size(), nil
		},
		list: func(ctx context.Context, skips func(dir string) bool) ([]string, error) {
			return listFiles(ctx, files, skips)
		},
	}
	return t, t.readPaths(ctx, part)
}

// listFiles returns the names of the regular files, without folders that are skipped.
func listFiles(ctx context.Context, files fs.FS, skips func(dir string) bool) (paths []string, err error) {
	err = fs.WalkDir(files, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil || file == ".":
			return nil // a command of an agent may remove it meanwhile
		case d.IsDir() && skips(file):
			return fs.SkipDir
		case d.Type().IsRegular():
			paths = append(paths, file)
		}
		return nil
	})
	return paths, err
}

// skips reports whether a folder is not searched, and notes folders that hold packages.
func (t *tree) skips(dir, part string) bool {
	base := path.Base(dir)
	if base == "node_modules" || base == "vendor" {
		t.known[dir] = true
	}
	hidden := strings.HasPrefix(base, ".") && base != ".cargo" && base != ".mvn"
	return hidden || slices.Contains([]string{"node_modules", "vendor", "testdata"}, base) ||
		tooDeep(dir, part)
}

func (t *tree) add(paths []string) {
	t.paths = paths
	for _, file := range paths {
		t.bases[folderOf(file)] = append(t.bases[folderOf(file)], path.Base(file))
	}
}

// readFile returns the content of a file that the plan's commands need, as they may see it. If it is too
// large, the error is a Missing.
func (p plan) readFile(file string) ([]byte, error) {
	size, err := p.tree.size(file)
	if err == nil && size > maxFile {
		return nil, &Missing{
			Why: fmt.Sprintf("%s has %d MB, and at most %d MB are read", file, size>>20, maxFile>>20),
			Cure: "`setup.run` in the configuration says how they are fetched instead, and `setup: off` " +
				"that they are not",
		}
	}
	text, err := p.tree.read(file)
	if err == nil && manager.IsCargoConfig(file) {
		return manager.CargoRegistries(text), nil
	}
	return text, err
}

// findPlans returns the plans for the packages that the commit names.
func findPlans(ctx context.Context, all git.Commits, commit string, c Config) ([]plan, error) {
	t, err := readTree(ctx, all, commit, c.Folder)
	if err != nil {
		return nil, err
	}
	return t.findPlans(ctx, c)
}

// findPlans returns the plans for the packages that the tree names.
func (t *tree) findPlans(ctx context.Context, c Config) ([]plan, error) {
	var plans []plan
	for _, kind := range manager.Kinds() {
		found, err := t.findKind(kind, c.Folder)
		if err != nil {
			return nil, err
		}
		plans = append(plans, found...)
	}
	plans = t.withRunner(plans, c)
	if len(c.Run) > 0 {
		plans = []plan{t.ownPlan(plans, c.Run)}
	}
	for i := range plans {
		plans[i].addFiles()
		if n := len(plans[i].copy); n > maxFiles {
			return nil,
				fmt.Errorf("the repository has %d manifests, and at most %d are looked at", n, maxFiles)
		}
	}
	return withExtra(ctx, t, plans, c)
}

// withRunner adds the test runner of the configuration, even if no manifest names it.
func (t *tree) withRunner(plans []plan, c Config) []plan {
	pip, ok := manager.ForRunner(c.Runner)
	if !ok {
		return plans
	}
	i := slices.IndexFunc(plans, func(p plan) bool { return p.kind() == pip.Kind })
	if i < 0 {
		i, plans = len(plans), append(plans, plan{
			managers: []manager.Manager{pip},
			tree:     t,
			locks:    []string{"the test command"},
			steps: []step{{
				line: pip.Fetch(nil, false), shown: "pip install", pins: pip.Pins,
			}},
		})
	}
	for j := range plans[i].steps {
		s := &plans[i].steps[j]
		s.line = "export BOBBIN_RUNNER=" + c.Runner + "\n" + s.line
	}
	return plans
}

// ownPlan returns the plan for the operator's commands. It replaces all plans that were found.
func (t *tree) ownPlan(found []plan, lines []string) plan {
	all := plan{own: true, tree: t}
	for _, p := range found {
		all.managers = append(all.managers, p.managers...)
		all.locks = append(all.locks, p.locks...)
	}
	for _, line := range lines {
		all.steps = append(all.steps, step{line: line, shown: line})
	}
	return all
}

// folderOf returns the folder of a file, or an empty string for the top folder.
func folderOf(file string) string {
	if dir := path.Dir(file); dir != "." {
		return dir
	}
	return ""
}

// tooDeep reports whether dir is too deep to be searched. The folders above part, and part itself, are not
// counted.
func tooDeep(dir, part string) bool {
	if part != "" && (dir == part || strings.HasPrefix(part, dir+"/")) {
		return false
	}
	return strings.Count(strings.TrimPrefix(dir, part+"/"), "/") >= maxDeep
}

// findKind returns the plans for the projects of a kind: the project in the top folder, or else those in the
// nearest folders below it. If the session works on a part of the repository, the innermost project that
// contains the part comes first. Projects in folders of examples and documentation are skipped, unless the
// part is in them.
func (t *tree) findKind(kind, part string) ([]plan, error) {
	for dir := part; part != ""; dir = folderOf(dir) {
		if plans, found, err := t.planFolder(nil, kind, dir); found || err != nil {
			return plans, err
		}
		if dir == "" {
			break
		}
	}
	var dirs []string
	for dir := range t.bases {
		below, inside := strings.CutPrefix(dir, part+"/")
		if (part == "" || inside) && !manager.IsExampleFolder(below) {
			dirs = append(dirs, dir)
		}
	}
	depth := func(dir string) int {
		return len(strings.FieldsFunc(dir, func(r rune) bool { return r == '/' }))
	}
	slices.SortFunc(dirs,
		func(a, b string) int { return cmp.Or(cmp.Compare(depth(a), depth(b)), strings.Compare(a, b)) })
	var plans []plan
	nearest := -1
	for _, dir := range dirs {
		if nearest >= 0 && depth(dir) > nearest {
			break
		}
		more, found, err := t.planFolder(plans, kind, dir)
		if err != nil {
			return nil, err
		}
		if found {
			plans = more
			nearest = depth(dir)
		}
	}
	return plans, nil
}

// planFolder adds a step for a folder to the plan of its manager. It returns false if the folder has no
// project of the kind.
func (t *tree) planFolder(plans []plan, kind, dir string) ([]plan, bool, error) {
	found, is, err := manager.FindIn(kind, t.bases[dir], func(base string) (string, error) {
		text, err := t.read(path.Join(dir, base))
		return string(text), err
	})
	m := found.Manager
	if err != nil || !is || len(found.Files) == 0 || t.known[path.Join(dir, m.Vendored)] {
		return plans, is, err
	}
	i := slices.IndexFunc(plans, func(p plan) bool { return p.managers[0].Name == m.Name })
	if i < 0 {
		i, plans = len(plans), append(plans, plan{managers: []manager.Manager{m}, tree: t})
	}
	p := &plans[i]
	if len(p.steps) == maxSteps {
		return plans, true, nil
	}
	s := step{dir: dir, line: m.Fetch(found.Files, found.Exact), shown: m.Name + " install"}
	if first, _, _ := strings.Cut(s.line, " && "); !strings.ContainsAny(first, "\n|;$") {
		s.shown = first
	}
	for _, base := range m.Pins {
		if !found.Exact {
			s.pins = append(s.pins, path.Join(dir, base))
		}
	}
	p.steps = append(p.steps, s)
	for _, base := range found.Files {
		p.locks = append(p.locks, path.Join(dir, base))
	}
	return plans, true, nil
}

// addFiles adds the files that the commands need to the plan.
func (p *plan) addFiles() {
	managers := p.managers
	if p.own {
		managers = manager.All
	}
	for _, file := range p.tree.paths {
		for _, m := range managers {
			wants, nameOnly := m.WantsFile(file)
			if nameOnly {
				p.stubs = append(p.stubs, file)
			} else if wants {
				p.copy = append(p.copy, file)
			}
			if wants {
				break
			}
		}
	}
}

// namedRegistry matches the line with which a repository sets its own registry.
var namedRegistry = regexp.MustCompile(`(?m)^\s*(registry|npmRegistryServer)\s*["':= ]`)

// npmSettings are the names of the files with settings of npm and the like.
var npmSettings = []string{".npmrc", ".yarnrc", ".yarnrc.yml"}

// withoutOverruled removes the operator's npm registries from own if a file of the repository sets a
// registry. The repository's setting wins, as it does when its developers install packages.
func (p plan) withoutOverruled(own []string) ([]string, error) {
	for _, file := range p.copy {
		if !slices.Contains(npmSettings, path.Base(file)) {
			continue
		}
		text, err := p.readFile(file)
		if err != nil {
			return nil, err
		}
		if namedRegistry.Match(text) {
			return slices.DeleteFunc(slices.Clone(own), func(kv string) bool {
				name, _, _ := strings.Cut(kv, "=")
				return strings.Contains(strings.ToLower(name), "npm")
			}), nil
		}
	}
	return own, nil
}

// lockNames returns the names of the lock files for a message, at most three of them.
func (p plan) lockNames() string {
	if p.extra {
		return extraNames
	}
	if len(p.locks) == 0 {
		return "by setup.run"
	}
	return plaintext.FirstOf(p.locks, 3)
}

// writeManifests writes the files that the commands need: lock files, manifests and empty stubs.
func (p plan) writeManifests(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	var sum int
	for _, file := range p.copy {
		text, err := p.readFile(file)
		if err != nil {
			return err
		}
		if !p.own && strings.HasSuffix(file, ".txt") && strings.Contains(string(text), "--no-binary") {
			return &Missing{
				Why:  file + " says --no-binary, so code of the packages would be run to install them",
				Cure: "`setup.run` in the configuration says so, if that is meant",
			}
		}
		if sum += len(text); sum > maxBytes {
			return &Missing{
				Why:  fmt.Sprintf("the manifests have more than %d MB", maxBytes>>20),
				Cure: "`setup.run` in the configuration says how they are fetched instead",
			}
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
	return root.WriteFile(name, text, modeOf(text))
}

// keyVersion must change when the same plan would be carried out differently.
const keyVersion = "5"

// freshFor is how long versions that no lock file fixes stay as they were resolved, for new sessions. A
// session keeps the versions that it began with.
const freshFor = 7 * 24 * time.Hour

// cacheKey returns the key of what the plan fetches. The lock files determine it, and the settings of Node's
// tools, which decide what of a lock file is installed. The manifests also count if there is no lock file, or
// if the tool or the operator's command reads them, too.
func (p plan) cacheKey(c Config, own []string, versions string) (string, error) {
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
	loose := len(p.pinPaths()) > 0
	if loose && !c.Began.IsZero() {
		part("began", c.Began.UTC().Truncate(freshFor).Format(time.DateOnly))
	}
	part(append([]string{"allow"}, c.allowedHosts(p.managers, own)...)...)
	for _, l := range c.Logins {
		part("login", l.Host, l.User)
	}
	part(append([]string{"private"}, c.Private...)...)
	part(append([]string{"env"}, slices.Concat(own, c.Env)...)...)
	all := p.own || loose || slices.ContainsFunc(p.managers, manager.Manager.ReadsManifests)
	always := append([]string{"pnpm-workspace.yaml", "config.toml", "config"}, npmSettings...)
	for _, file := range p.copy {
		if !all && !slices.Contains(p.locks, file) && !slices.Contains(always, path.Base(file)) {
			continue
		}
		text, err := p.readFile(file)
		if err != nil {
			return "", err
		}
		part("file", file, string(text))
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}
