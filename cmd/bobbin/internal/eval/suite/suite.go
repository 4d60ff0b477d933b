// Package suite reads the tasks of an evaluation. A suite is a folder with one folder for each task:
//
//	NAME/task.yaml    the task's description; see Task
//	NAME/repo/        the repository as plain files, unless task.yaml names a repository
//	NAME/hidden/      tests that the bot never sees, copied over its branch
//	NAME/good.patch   a fix that is known to be good
//
// The package only reads files; it runs nothing of a task.
package suite

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
)

// The names of the files and folders of a task, and the limit of what its person may write.
const (
	taskFile  = "task.yaml"
	repoDir   = "repo"
	hiddenDir = "hidden"
	goodPatch = "good.patch"
	maxPeople = 10 // maximum number of corrections, and of answers to questions
)

// A Task is one bug report or feature request, with the tests that show whether it was met.
type Task struct {
	// the name of its folder
	Name string

	Title    string `yaml:"title"`
	Language string `yaml:"language"`
	// bug or feature
	Kind string `yaml:"kind"`
	// written as a person would write it
	Report string `yaml:"report"`
	// replies to the first report, the second, …
	Corrections []string `yaml:"corrections"`
	// the command that runs the hidden tests, at the top of the repository
	Test string `yaml:"test"`
	// programs without which the task is skipped
	Needs []string `yaml:"needs"`
	// default: the folder repo
	Repository Repository `yaml:"repository"`
	// default: the size of good.patch
	Upstream *Size  `yaml:"upstream"`
	Limits   Limits `yaml:"limits"`
	// how many questions the person answers; default 3
	Answers *int `yaml:"answers"`

	dir string
	// number of files that the good fix changes
	changed int
}

// A Repository names where a task's code comes from.
type Repository struct {
	From string `yaml:"from"` // a git bundle or pack next to task.yaml, a local path or an address
	Base string `yaml:"base"` // a commit, tag or branch
}

// A Size is the size of a change in lines, without its tests.
type Size struct {
	Added   int `yaml:"added" json:"added"`
	Removed int `yaml:"removed" json:"removed"`
}

// Limits stop an attempt at a task.
type Limits struct {
	Minutes int     `yaml:"minutes"` // default 60
	Steps   int     `yaml:"steps"`   // model calls; default 400
	USD     float64 `yaml:"usd"`     // default: no limit
}

var sections = []strictyaml.Section{
	{Of: Task{}, Name: "the top of the file"},
	{Of: Repository{}, Name: "repository"},
	{Of: Size{}, Name: "upstream"},
	{Of: Limits{}, Name: "limits"},
}

// Read reads the tasks of the suite in dir whose names match the glob, sorted by name. Its error is a
// cli.UsageError with a line for each problem.
func Read(dir, glob string) ([]Task, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, cli.UsageError{Err: fmt.Errorf("%s: the suite cannot be read: %w", dir, cause(err))}
	}
	if _, err := path.Match(glob, ""); err != nil {
		return nil, cli.UsageError{Err: fmt.Errorf("the glob %q is malformed", glob)}
	}
	var tasks []Task
	var errs []error
	var names []string
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(dir, e.Name(), taskFile)); err != nil {
			continue
		}
		names = append(names, e.Name())
		if matches, _ := path.Match(glob, e.Name()); !matches {
			continue
		}
		t, err := readTask(filepath.Join(dir, e.Name()))
		tasks = append(tasks, t)
		errs = append(errs, err)
	}
	switch {
	case len(names) == 0:
		return nil, cli.UsageError{
			Err: fmt.Errorf("%s is no suite: it has no folder with a %s", dir, taskFile),
		}
	case len(tasks) == 0:
		return nil, cli.UsageError{Err: fmt.Errorf("no task of %s is named like %q; there are %s", dir, glob,
			strings.Join(names, ", "))}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, cli.UsageError{Err: err}
	}
	return tasks, nil
}

// cause returns the underlying error of a *fs.PathError, without its operation and path.
func cause(err error) error {
	var where *fs.PathError
	if errors.As(err, &where) {
		return where.Err
	}
	return err
}

func readTask(dir string) (Task, error) {
	t := Task{Name: filepath.Base(dir), dir: dir}
	name := filepath.Join(dir, taskFile)
	text, err := os.ReadFile(name)
	if err != nil {
		return t, fmt.Errorf("%s: %w", name, cause(err))
	}
	p := strictyaml.NewProblems(name, sections)
	if p.Decode(text, &t) {
		t.check(p)
	}
	t.Limits.Minutes = cmp.Or(t.Limits.Minutes, 60)
	t.Limits.Steps = cmp.Or(t.Limits.Steps, 400)
	if t.Answers == nil {
		t.Answers = new(3)
	}
	return t, p.Err()
}

// taskName matches a valid task name. The bot uses the same name for the task's repository.
var taskName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,60}$`)

func (t *Task) check(p *strictyaml.Problems) {
	if !taskName.MatchString(t.Name) {
		p.At("$", "the folder %q has to be named with small letters, digits and hyphens", t.Name)
	}
	for _, of := range []struct {
		key, value string
	}{{"title", t.Title}, {"language", t.Language}, {"report", t.Report}, {"test", t.Test}} {
		if strings.TrimSpace(of.value) == "" {
			p.At("$."+of.key, "a task needs a %s", of.key)
		}
	}
	p.OneOf("$.kind", "kind", t.Kind, []string{"bug", "feature"})
	if len(t.Corrections) > maxPeople {
		p.At("$.corrections", "there are at most %d corrections", maxPeople)
	}
	if n := t.Answers; n != nil && (*n < 0 || *n > maxPeople) {
		p.At("$.answers", "answers has to be between 0 and %d", maxPeople)
	}
	if t.Limits.Minutes < 0 || t.Limits.Steps < 0 || t.Limits.USD < 0 {
		p.At("$.limits", "a limit may not be below zero")
	}
	t.checkFiles(p)
}

// checkFiles reports a missing repository, hidden folder or good patch, and sets the default of Upstream.
func (t *Task) checkFiles(p *strictyaml.Problems) {
	isDir := func(name string) bool {
		fi, err := os.Stat(filepath.Join(t.dir, name))
		return err == nil && fi.IsDir()
	}
	switch r := t.Repository; {
	case r == Repository{} && !isDir(repoDir):
		p.At("$.repository", "there is no folder %s, and no repository is named", repoDir)
	case r != Repository{} && (r.From == "" || r.Base == ""):
		p.At("$.repository", "a repository needs from and base")
	}
	if !isDir(hiddenDir) {
		p.At("$", "there is no folder %s with the hidden tests", hiddenDir)
	}
	changes, err := t.readGood()
	t.changed = len(changes)
	switch {
	case err != nil:
		p.At("$", "%s: %v", goodPatch, err)
	case t.Upstream == nil:
		code, _ := sizes(changes)
		t.Upstream = &code
	}
}

// FilesChanged returns the number of files that the good fix changes.
func (t Task) FilesChanged() int { return t.changed }

// Source returns the task's git repository, or zero if the code is the plain files of Files.
func (t Task) Source() Repository {
	if t.Repository.From == "" {
		return Repository{}
	}
	beside := filepath.Join(t.dir, t.Repository.From)
	if _, err := os.Stat(beside); err == nil {
		return Repository{From: beside, Base: t.Repository.Base}
	}
	return t.Repository
}

// Files returns the folder of the repository's plain files.
func (t Task) Files() string { return filepath.Join(t.dir, repoDir) }

// Missing returns the programs that the task needs and for which has returns false.
func (t Task) Missing(has func(string) bool) (names []string) {
	return slices.DeleteFunc(slices.Clone(t.Needs), has)
}
