package packages

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/packages/internal/lockfile"
	"github.com/bobbinhq/bobbin/repo/build/packages/internal/manager"
	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Bump is a wish for another version of one package.
type Bump struct {
	Package string
	Version string // exact
	Folder  string // of the lock file or manifest; empty: the only one that names the package
}

// A Bumped is a version that was changed. Nothing is written into the workspace.
type Bumped struct {
	Manager string
	// Files are the new contents of manifest and lock file, by path.
	Files map[string][]byte
	// Versions are the versions that differ, those of direct packages first.
	Versions []VersionChange
	// Missing are packages of the new lock file that could not be fetched.
	Missing []Missing
}

// A VersionChange is a package whose versions differ. An empty version: the package is not there.
type VersionChange struct {
	Name, Before, After string
	Direct              bool // whether the project itself needs it
}

// String returns the change in a few words: lodash 4.17.20 → 4.17.21.
func (v VersionChange) String() string {
	switch {
	case v.Before == "":
		return v.Name + " " + v.After + " (new)"
	case v.After == "":
		return v.Name + " " + v.Before + " (gone)"
	}
	return v.Name + " " + v.Before + " → " + v.After
}

// A BumpError says why a version cannot be changed, in words for a model and for people.
type BumpError struct {
	Why    string
	Output string // the last lines of the program's output
}

func (e *BumpError) Error() string { return e.Why }

func bumpError(format string, args ...any) error {
	return &BumpError{Why: fmt.Sprintf(format, args...)}
}

// Bump has the package manager write another version of a package into copies of the manifest and the lock
// file of a workspace, and fetches the packages of the new lock file. They are mounted where the lock files
// are as they are then. p are the packages of the base. An error that is a BumpError is to be said; nothing
// was changed.
func (f *Fetcher) Bump(ctx context.Context, j Job, files fs.FS, b Bump, p *Packages) (Bumped, error) {
	if j.Config.Off || f.Sandbox == nil || p == nil {
		return Bumped{}, bumpError("no packages are fetched for this repository (setup: off, or no sandbox)")
	}
	t, err := readFiles(ctx, files, j.Config.Folder)
	if err != nil {
		return Bumped{}, err
	}
	found, err := t.findBump(ctx, j.Config, b)
	if err != nil {
		return Bumped{}, err
	}
	if !f.canRun(ctx, found.how.Version, j.Config.Tools) {
		return Bumped{}, bumpError("%s is not installed here, and it alone changes these files; my operator "+
			"can install it below /usr", found.how.Program)
	}
	changed, err := f.runBump(ctx, j, found, files)
	if err != nil {
		return Bumped{}, err
	}
	out := Bumped{Manager: found.how.Program, Files: changed}
	if out.Versions, err = found.compare(changed); err != nil {
		return Bumped{}, err
	}
	out.Missing, err = f.fetchBumped(ctx, j, t.with(changed), found.plan.manager(), p)
	return out, err
}

// A bumping is a bump with the plan that it changes.
type bumping struct {
	plan    plan
	dir     string
	how     manager.Bump
	name    string
	version string
}

// findBump returns the plan, and the folder in it, that names the package.
func (t *tree) findBump(ctx context.Context, c Config, b Bump) (bumping, error) {
	c.Run = nil
	c.Runner = ""
	c.Extra = Extra{}
	plans, err := t.findPlans(ctx, c)
	if err != nil {
		return bumping{}, err
	}
	var all []bumping
	var wrong error
	valid := false
	for _, p := range plans {
		for _, s := range p.steps {
			if b.Folder != "" && s.dir != strings.Trim(path.Clean("/"+b.Folder), "/") {
				continue
			}
			name, version, err := manager.CheckBump(p.kind(), b.Package, b.Version)
			if err != nil {
				wrong = err
				continue
			}
			valid = true
			how, ok := manager.FindBump(p.kind(), t.bases[s.dir])
			if ok && (b.Folder != "" || p.names(s.dir, name)) {
				all = append(all, bumping{p, s.dir, how, name, version})
			}
		}
	}
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0 && wrong != nil && !valid:
		return bumping{}, bumpError("%v", wrong)
	case len(all) == 0:
		return bumping{}, bumpError("no lock file or manifest that can be changed here names %s; for a new "+
			"package name the folder", b.Package)
	}
	var dirs []string
	for _, found := range all {
		dirs = append(dirs, "`"+path.Join(".", found.dir)+"`")
	}
	return bumping{}, bumpError("%s is named in several folders; name one: %s", b.Package,
		plaintext.FirstOf(dirs, 8))
}

// names reports whether a file of the folder, or of one below it, names the package.
func (p plan) names(dir, name string) bool {
	for _, file := range p.copy {
		if dir != "" && !strings.HasPrefix(file, dir+"/") {
			continue
		}
		text, err := p.readFile(file)
		if err != nil {
			continue
		}
		if p.kind() == "python" && Mentions(pythonName.Replace(string(text)), pythonName.Replace(name)) {
			return true
		}
		if Mentions(string(text), name) {
			return true
		}
	}
	return false
}

// pythonName makes one spelling of the names that Python's registries read as the same.
var pythonName = strings.NewReplacer("_", "-", ".", "-")

// Mentions reports whether a text has the name or the version of a package as a word, in any case.
func Mentions(text, name string) bool {
	text = strings.ToLower(text)
	name = strings.ToLower(name)
	inside := func(c byte) bool {
		return c == '-' || c == '_' || c == '/' || c == '+' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
	}
	for at := 0; name != ""; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(name)
		begins := i == 0 || !inside(text[i-1]) || text[i-1] == 'v'
		ends := end == len(text) || !inside(text[end])
		if begins && ends && !digits(text, i, end) {
			return true
		}
		at = i + 1
	}
	return false
}

// digits reports whether the word from i to end goes on as a version, as 1.2 in 1.2.3.
func digits(text string, i, end int) bool {
	digit := func(at int) bool { return at >= 0 && at < len(text) && text[at] >= '0' && text[at] <= '9' }
	return end < len(text) && text[end] == '.' && digit(end-1) && digit(end+1) ||
		i > 0 && text[i-1] == '.' && digit(i) && digit(i-2)
}

// manager returns the name of the manager, or an empty string for the operator's commands.
func (p plan) manager() string {
	if p.own {
		return ""
	}
	return p.managers[0].Name
}

// canRun reports whether commands can run a program.
func (f *Fetcher) canRun(ctx context.Context, version string, tools Tools) bool {
	return f.toolVersion(ctx, manager.Manager{Version: version}, tools) != ""
}

// runBump runs the package manager on copies of the files, and returns those that it changed.
func (f *Fetcher) runBump(
	ctx context.Context, j Job, b bumping, files fs.FS,
) (changed map[string][]byte, err error) {
	if err := os.MkdirAll(j.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("setup: %w", err)
	}
	making, err := os.MkdirTemp(j.Dir, makingPrefix+"bump-")
	if err != nil {
		return nil, fmt.Errorf("setup: %w", err)
	}
	defer disk.RemoveFolder(making) //nolint:errcheck // what stays is removed by cleaning
	p := b.plan
	p.bump = true
	s := step{
		dir: b.dir, line: b.how.Line, shown: b.how.Program,
		env: []string{"NAME=" + b.name, "VERSION=" + b.version},
	}
	run := &fetchRun{fetcher: f, job: j, dir: making, kept: filepath.Join(making, "none")}
	if p.kind() == "go" {
		if sources := goSources(ctx, files, b.dir); sources != nil {
			p.copy = append(slices.Clone(p.copy), sources...)
			s.env = append(s.env, "BOBBIN_TIDY=1")
		}
	}
	p.steps = []step{s}
	run.plan = p
	if err := run.prepareFolders(); err != nil {
		return nil, asBumpError(err)
	}
	if err := run.runSteps(ctx); err != nil {
		return nil, asBumpError(err)
	}
	return run.changedFiles(b.plan)
}

// asBumpError returns the error of a failed run in words.
func asBumpError(err error) error {
	var m *Missing
	if !errors.As(err, &m) {
		return err
	}
	why := m.Why
	if m.Cure != "" {
		why += "; " + m.Cure
	}
	return &BumpError{Why: why, Output: m.Output}
}

// Limits for the sources of Go that are needed to tidy a module.
const (
	maxSources     = 20_000
	maxSourceBytes = 48 << 20
)

// goSources returns the Go files of a module, or nil if there are too many.
func goSources(ctx context.Context, files fs.FS, dir string) (paths []string) {
	var bytes int64
	err := fs.WalkDir(files, path.Join(".", dir), func(file string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		base := path.Base(file)
		hidden := strings.HasPrefix(base, ".") && file != "."
		if d.IsDir() && (hidden || base == "node_modules" || base == "vendor") {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() || !strings.HasSuffix(base, ".go") {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		paths = append(paths, file)
		if bytes += info.Size(); bytes > maxSourceBytes || len(paths) > maxSources {
			return errors.New("too many")
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return paths
}

// changedFiles returns the manifests and lock files that differ from those of the workspace.
func (f *fetchRun) changedFiles(p plan) (map[string][]byte, error) {
	root, err := os.OpenRoot(f.pathOf("src"))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	changed := map[string][]byte{}
	for _, file := range p.copy {
		if manager.IsCargoConfig(file) {
			continue
		}
		was, err := p.readFile(file)
		if err != nil {
			return nil, err
		}
		if is, ok := readPlain(root, file); ok && !bytes.Equal(was, is) {
			changed[file] = is
		}
	}
	if len(changed) == 0 {
		return nil, bumpError("%s changed nothing: that version is there already, or what needs the package "+
			"allows no other", f.plan.steps[0].shown)
	}
	return changed, nil
}

// compare returns the versions that differ, or a BumpError if the package has not got the version.
func (b bumping) compare(changed map[string][]byte) ([]VersionChange, error) {
	var before, after []lockfile.Package
	for file, text := range changed {
		was, err := b.plan.readFile(file)
		if err != nil {
			return nil, err
		}
		if found, ok := lockfile.Read(file, was); ok {
			before = append(before, found...)
		}
		found, _ := lockfile.Read(file, text)
		after = append(after, found...)
	}
	reached := false
	for _, p := range after {
		same := strings.TrimPrefix(p.Version, "v") == strings.TrimPrefix(b.version, "v")
		reached = reached || same && sameName(p.Name, b.name)
	}
	var out []VersionChange
	for _, d := range lockfile.Compare(before, after) {
		out = append(out, VersionChange(d))
	}
	if !reached {
		var got []string
		for _, v := range out {
			got = append(got, v.String())
		}
		return nil, bumpError("%s did not take %s %s, so nothing was changed; it would have changed this: %s",
			b.how.Program, b.name, b.version, plaintext.FirstOf(got, 5))
	}
	return out, nil
}

// with returns the tree with other contents of some files.
func (t *tree) with(changed map[string][]byte) *tree {
	read := t.read
	size := t.size
	out := *t
	out.read = func(file string) ([]byte, error) {
		if text, ok := changed[file]; ok {
			return text, nil
		}
		return read(file)
	}
	out.size = func(file string) (int64, error) {
		if text, ok := changed[file]; ok {
			return int64(len(text)), nil
		}
		return size(file)
	}
	return &out
}

// fetchBumped fetches the packages that a manager's lock files name now, and adds them to p.
func (f *Fetcher) fetchBumped(
	ctx context.Context, j Job, t *tree, of string, p *Packages,
) ([]Missing, error) {
	plans, err := t.findPlans(ctx, j.Config)
	if err != nil {
		return nil, err
	}
	plans = slices.DeleteFunc(plans, func(p plan) bool { return !p.own && p.manager() != of })
	got := &Packages{}
	j.Begin = nil
	if err := f.fetchPlans(ctx, j, plans, got); err != nil {
		got.Close()
		return nil, err
	}
	p.addChanged(got.sets)
	return got.Missing, nil
}

// Reopen adds the packages of changed lock files that Bump fetched before, for the files of a workspace. It
// fetches nothing.
func (f *Fetcher) Reopen(ctx context.Context, j Job, files fs.FS, p *Packages) error {
	if j.Config.Off || f.Sandbox == nil || p == nil {
		return nil
	}
	t, err := readFiles(ctx, files, j.Config.Folder)
	if err != nil {
		return err
	}
	plans, err := t.findPlans(ctx, j.Config)
	if err != nil {
		return err
	}
	for _, one := range plans {
		versions, missing := f.toolVersions(ctx, one, j.Config.Tools)
		if missing != nil {
			continue
		}
		key, err := one.cacheKey(j.Config, f.ownRegistries(ctx, one.managers), versions)
		if err != nil {
			return err
		}
		dir := filepath.Join(j.Dir, key)
		if p.has(dir) {
			continue
		}
		have, err := openFetched(dir)
		if err != nil {
			return err
		}
		if have != nil {
			p.addChanged([]*packageSet{have})
		}
	}
	return nil
}

func (p *Packages) has(dir string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(slices.Concat(p.sets, p.changed),
		func(s *packageSet) bool { return s.dir == dir })
}

func (p *Packages) addChanged(sets []*packageSet) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changed = append(p.changed, sets...)
}

// setsFor returns the sets for the files in tree: of each manager the newest whose lock files are these, else
// that of the base.
func (p *Packages) setsFor(tree string) []*packageSet {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.changed) == 0 {
		return p.sets
	}
	root, err := os.OpenRoot(tree)
	if err != nil {
		return p.sets
	}
	defer root.Close()
	sets := slices.Clone(p.sets)
	seen := map[string]bool{}
	for _, c := range slices.Backward(p.changed) {
		if seen[c.note.Manager] || !c.note.fits(root) {
			continue
		}
		seen[c.note.Manager] = true
		sets = slices.DeleteFunc(sets, func(s *packageSet) bool {
			return s.at == "" && s.note.Manager == c.note.Manager && len(s.note.Locks) > 0
		})
		sets = append(sets, c)
	}
	return sets
}

// fits reports whether the files that name the packages are the same in a tree.
func (n setupRecord) fits(root *os.Root) bool {
	for file, hash := range n.Locks {
		text, ok := readPlain(root, file)
		if !ok || hashOf(text) != hash {
			return false
		}
	}
	return len(n.Locks) > 0
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// lockHashes returns the hashes of the files that name the packages.
func (p plan) lockHashes() (map[string]string, error) {
	hashes := map[string]string{}
	for _, file := range p.locks {
		if !slices.Contains(p.copy, file) { // it stands for something else, such as the test command
			continue
		}
		text, err := p.readFile(file)
		if err != nil {
			return nil, err
		}
		hashes[file] = hashOf(text)
	}
	return hashes, nil
}
