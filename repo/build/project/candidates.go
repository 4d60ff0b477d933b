package project

import (
	"cmp"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project/internal/testcommands"
)

// A Candidate is one of the ways to build and test a tree.
type Candidate struct {
	Project
	Folder string // the folder of the tree whose code it tests; "." is the whole tree
	Files  int    // how many files of code it covers; 0: none, or not counted

	code  []*regexp.Regexp // the names of the code that it covers; nil: any code
	not   []*regexp.Regexp // the names of code that other candidates cover
	apart []string         // the folders below that it does not cover
}

// Covers reports whether the tests of the candidate can reach a file: the file is in the candidate's folder
// and is code of its language, or no code at all, such as what the tests read.
func (c Candidate) Covers(file string) bool {
	if c.Folder != "." && !strings.HasPrefix(file, c.Folder+"/") {
		return false
	}
	if slices.ContainsFunc(c.apart, func(dir string) bool { return strings.HasPrefix(file, dir+"/") }) {
		return false
	}
	return !IsCode(file) || c.isOwn(file)
}

// isOwn reports whether a file is code in a language of the candidate, by its name.
func (c Candidate) isOwn(file string) bool {
	if c.code != nil {
		return matchesAny(c.code, file)
	}
	return IsCode(file) && !matchesAny(c.not, file)
}

func matchesAny(patterns []*regexp.Regexp, file string) bool {
	return slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(file) })
}

// maxCandidates is the most candidates that are returned.
const maxCandidates = 40

// Candidates returns the ways to build and test a folder of a tree: the project that FindIn returns first,
// then those of its other languages, of the folders below and above, and the test commands that the CI's
// files and others name, each with the file in From. It returns none for a tree without a test command.
func Candidates(root fs.FS, folder string) []Candidate {
	folder = path.Clean(folder)
	if !fs.ValidPath(folder) {
		folder = "."
	}
	whole := newTree(root)
	files := *whole.listed
	var found []Candidate
	add := func(list ...Candidate) {
		for _, c := range list {
			known := func(k Candidate) bool {
				return strings.ReplaceAll(k.Test, srcLayout, "") == strings.ReplaceAll(c.Test, srcLayout, "")
			}
			if c.Test != "" && !slices.ContainsFunc(found, known) && len(found) < maxCandidates {
				found = append(found, c)
			}
		}
	}
	if best := FindIn(root, folder); best.Test != "" {
		add(best.candidate())
	}
	for _, dir := range foldersFrom(folder, files) {
		below, err := whole.below(dir)
		if err != nil {
			continue
		}
		isPart := func(l language) bool {
			return dir != folder && (l.loose || slices.ContainsFunc(found, func(c Candidate) bool {
				return l.whole && c.Kind == l.kind && c.contains(dir)
			}))
		}
		for _, p := range below.ranked(isPart) {
			c := p.runFrom(dir).candidate()
			c.Folder = path.Join(dir, p.candidate().Folder)
			add(c)
		}
	}
	add(whole.namedCandidates(folder)...)
	written := slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		return !IsCode(file) && !goMod.MatchString(file) || isAsset(file)
	})
	for i := range found {
		found[i].count(written, found)
	}
	return found
}

// Configured returns the candidate of a test command that somebody has configured. It covers every file.
func Configured(p Project) Candidate { return Candidate{Project: p, Folder: "."} }

// For returns the fewest of the candidates that cover the changed files, those that cover most first, and
// the changed files of code that none of them covers. If no code is changed, it returns the first.
func For(candidates []Candidate, changed []string) (chosen []Candidate, uncovered []string) {
	for _, file := range changed {
		if IsCode(file) {
			uncovered = append(uncovered, file)
		}
	}
	if len(uncovered) == 0 {
		return candidates[:min(len(candidates), 1)], nil
	}
	for {
		best := -1
		most := 0
		for i, c := range candidates {
			if n := countCovered(c, uncovered); n > most {
				best = i
				most = n
			}
		}
		if best < 0 {
			return chosen, uncovered
		}
		chosen = append(chosen, candidates[best])
		uncovered = slices.DeleteFunc(uncovered, candidates[best].Covers)
	}
}

func countCovered(c Candidate, files []string) (n int) {
	for _, file := range files {
		if c.Covers(file) {
			n++
		}
	}
	return n
}

// contains reports whether a folder is in that of the candidate, and another one.
func (c Candidate) contains(folder string) bool {
	return folder != c.Folder && (c.Folder == "." || strings.HasPrefix(folder, c.Folder+"/"))
}

// candidate returns the project as a Candidate. It covers the code of its language in the folder where its
// test command starts.
func (p Project) candidate() Candidate {
	folder, _ := p.start()
	if !fs.ValidPath(folder) {
		folder = "."
	}
	c := Candidate{Project: p, Folder: folder}
	if l := languageOf(p.Kind); l.code != nil {
		c.code = []*regexp.Regexp{l.code}
	}
	return c
}

var goMod = regexp.MustCompile(`(?:^|/)go\.(?:mod|work)$`)

// count sets Files, for a candidate of no one language what the others cover, and for one of Go the modules
// below that it does not test. files are the files of code, and those of Go's modules.
func (c *Candidate) count(files []string, all []Candidate) {
	if c.code == nil {
		for _, other := range all {
			if other.code != nil && (other.Folder == c.Folder || c.Folder == ".") {
				c.not = append(c.not, other.code...)
			}
		}
	}
	workspace := c.Kind != "go" || slices.Contains(files, path.Join(c.Folder, "go.work"))
	for _, file := range files {
		if dir := path.Dir(file); !workspace && path.Base(file) == "go.mod" && dir != c.Folder &&
			(c.Folder == "." || strings.HasPrefix(dir, c.Folder+"/")) {
			c.apart = append(c.apart, dir)
		}
	}
	c.Files = 0
	for _, file := range files {
		if c.Covers(file) && c.isOwn(file) {
			c.Files++
		}
	}
}

// foldersFrom returns a folder, the folders at most two levels below it that hold a manifest, and the folders
// above it.
func foldersFrom(folder string, files []string) []string {
	out := []string{folder}
	for _, file := range files {
		dir := path.Dir(file)
		below := dir
		if folder != "." {
			below = strings.TrimPrefix(dir, folder+"/")
		}
		inside := dir != "." && (folder == "." || below != dir)
		if inside && strings.Count(below, "/") < 2 && manifests.MatchString(path.Base(file)) &&
			!slices.Contains(out, dir) && !isAsset(file) && len(out) < maxCandidates {
			out = append(out, dir)
		}
	}
	for dir := folder; dir != "."; {
		dir = path.Dir(dir)
		out = append(out, dir)
	}
	return out
}

// manifests match the names of the files that say how a folder is built and tested.
var manifests = regexp.MustCompile(`^(?:go\.mod|package\.json|deno\.jsonc?|` +
	`pyproject\.toml|setup\.(?:py|cfg)|` +
	`pytest\.ini|tox\.ini|requirements.*\.txt|Cargo\.toml|Gemfile|Rakefile|composer\.json|pom\.xml|` +
	`(?:build|settings)\.gradle(?:\.kts)?|.*\.(?:sln|slnx|csproj|fsproj)|` +
	`mix\.exs|Makefile\.PL|Build\.PL|cpanfile|` +
	`CMakeLists\.txt|meson\.build|configure\.ac|` +
	`Package\.swift|pubspec\.yaml|.*\.cabal|stack\.yaml|build\.zig|` +
	`(?:GNUm|m|M)akefile)$`)

// namedCandidates returns the test commands of the files of the tree that name some, the CI's first, for
// the folder and those below.
func (t tree) namedCandidates(folder string) (out []Candidate) {
	sources := append(t.ciSources(), testcommands.Sources...)
	for _, source := range sources {
		for _, c := range t.allNamedIn(source) {
			if folder == "." || c.Folder == "." || c.Folder == folder ||
				strings.HasPrefix(c.Folder, folder+"/") {
				out = append(out, c)
			}
		}
	}
	return out
}

// allNamedIn returns the candidates for the test commands that a file names, each built as its folder says.
func (t tree) allNamedIn(source testcommands.Source) (out []Candidate) {
	for _, named := range source.Commands(t.readText(source.File)) {
		found, ok := t.testCommand(named.Line)
		if !ok || found.Kind == "make" && source.IsMakefile() {
			continue
		}
		p := projectOf(found, "", named.From)
		c := p.candidate()
		c.Build, c.Folder = t.buildOf(p)
		out = append(out, c)
	}
	return out
}

// buildOf returns the build for a test command and the folder of the sources: those of the folder that the
// command starts in, or of one above it if the build makes the folder.
func (t tree) buildOf(p Project) (build, folder string) {
	l := languageOf(p.Kind)
	folder, _ = p.start()
	for l.find != nil && fs.ValidPath(folder) {
		if below, err := t.below(folder); err == nil {
			if found := l.find(below); found.Kind == p.Kind {
				return found.runFrom(folder).Build, folder
			}
		}
		if folder == "." {
			break
		}
		folder = path.Dir(folder)
	}
	return "", p.candidate().Folder
}

// ranked returns the projects at the top of the tree: those with tests before those without, and the
// language of more of the code before the others; one that the CI tests counts three times. skip says which
// languages are not looked for. If it is nil, languages that are known by the names of a few files alone are
// looked for only if no other has tests.
func (t tree) ranked(skip func(language) bool) []Project {
	var found []Project
	tested := 0
	unsure := false // whether the amount of code decides
	for _, l := range languages {
		if skip == nil && l.loose && tested > 0 || skip != nil && (l.kind == "" || skip(l)) {
			continue
		}
		p := l.find(t)
		if p == (Project{}) || slices.Contains(found, p) {
			continue
		}
		found = append(found, p)
		if p.Test == "" {
			continue
		}
		unsure = unsure || tested > 0 && (l.code != nil || slices.Contains(scripting, found[0].Kind))
		if l.code != nil {
			tested++
		}
	}
	if unsure {
		t.rank(found)
	}
	slices.SortStableFunc(found, func(a, b Project) int {
		return cmp.Compare(min(len(b.Test), 1), min(len(a.Test), 1))
	})
	return found
}

// scripting are the languages whose manifest may be there for a few scripts only, in a tree of another one.
var scripting = []string{"python", "node"}

// rank sorts projects by how much of the code is of their language.
func (t tree) rank(found []Project) {
	files := t.listFiles()
	tested := t.testedByCI()
	weights := map[Project]int{}
	for _, p := range found {
		c := p.candidate()
		if c.code == nil { // targets of make are mostly for what no other tool builds
			c.code = []*regexp.Regexp{cCode}
		}
		for _, file := range files {
			if c.isOwn(file) && !isAsset(file) {
				weights[p]++
			}
		}
		if tested[p.Kind] {
			weights[p] *= 3
		}
	}
	slices.SortStableFunc(found, func(a, b Project) int { return weights[b] - weights[a] })
}

// assets matches code that is not the project's own work, or is not tested: what a build made, libraries of a
// web page, examples.
var assets = regexp.MustCompile(`\.min\.[a-z]+$|` +
	`(?:^|/)(?:dist|public|static|assets|docs?|examples?|fixtures)/`)

func isAsset(file string) bool { return assets.MatchString(file) }
