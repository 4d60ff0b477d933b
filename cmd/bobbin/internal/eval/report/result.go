// Package report keeps what an evaluation found, and shows it: as a table, as JSON and as one HTML
// page. It compares two runs, and says which differences may be chance. It only reads results;
// package eval makes them.
package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
)

// The files of a run's folder.
const (
	resultsFile = "results.json"
	tableFile   = "table.txt"
	pageFile    = "report.html"
)

// A Run is one evaluation of a suite.
type Run struct {
	Suite   string            `json:"suite"`
	Began   time.Time         `json:"began"`
	Models  map[string]string `json:"models"` // by agent
	Results []Result          `json:"results"`
}

// A Result is one attempt at a task.
type Result struct {
	Task     string `json:"task"`
	Attempt  int    `json:"attempt"` // 1, 2, … of a task that is repeated
	Title    string `json:"title"`
	Language string `json:"language"`
	Kind     string `json:"kind"`

	Solved  bool   `json:"solved"`
	Why     string `json:"why"`              // it was solved, or was not; one line
	Skipped bool   `json:"skipped"`          // it was not tried, for a reason that Why tells
	Branch  string `json:"branch,omitempty"` // what was pushed
	Hidden  string `json:"hidden,omitempty"` // what the hidden tests said, where they failed

	Size
	Use
	Thread string `json:"thread"` // as people saw it
}

// ID names the attempt within its run.
func (x Result) ID() string { return fmt.Sprintf("%s-%d", x.Task, x.Attempt) }

// A Size tells how large a change is, in lines, beside upstream's.
type Size struct {
	Added           int    `json:"added"`
	Removed         int    `json:"removed"`
	TestsAdded      int    `json:"tests_added"`
	TestsRemoved    int    `json:"tests_removed"`
	UpstreamAdded   int    `json:"upstream_added"`
	UpstreamRemoved int    `json:"upstream_removed"`
	Hunks           string `json:"hunks,omitempty"` // 4 of 4: as many are needed; empty: nobody looked
}

// Use is what an attempt took.
type Use struct {
	Steps       int     `json:"steps"`        // answers of models
	PromptBytes int     `json:"prompt_bytes"` // sent, in all
	Input       int     `json:"input_tokens"` // the cached ones included
	Cached      int     `json:"cached_tokens"`
	Output      int     `json:"output_tokens"`
	Estimated   bool    `json:"estimated,omitempty"` // tokens are guessed from bytes: the endpoint tells none
	Seconds     float64 `json:"seconds"`
	USD         float64 `json:"usd"`
}

// CachedShare is how much of the input came from the endpoint's cache.
func (u Use) CachedShare() float64 {
	if u.Input == 0 {
		return 0
	}
	return float64(u.Cached) / float64(u.Input)
}

// Sort puts the results in the order of tasks and attempts.
func (r *Run) Sort() {
	slices.SortFunc(r.Results, func(a, b Result) int {
		return cmp.Or(strings.Compare(a.Task, b.Task), cmp.Compare(a.Attempt, b.Attempt))
	})
}

// Has reports whether the run has a result of that attempt.
func (r Run) Has(task string, attempt int) bool {
	return slices.ContainsFunc(r.Results, func(x Result) bool { return x.Task == task && x.Attempt == attempt })
}

// Tried are the results of what was not skipped.
func (r Run) Tried() []Result {
	return slices.DeleteFunc(slices.Clone(r.Results), func(x Result) bool { return x.Skipped })
}

// Save writes everything into the folder. Each file is whole at any moment.
func (r Run) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	kept, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	var table, page strings.Builder
	r.Table(&table)
	if err := r.Page(&page); err != nil {
		return err
	}
	for name, text := range map[string]string{resultsFile: string(kept) + "\n", tableFile: table.String(), pageFile: page.String()} {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(name+".new", []byte(text), 0o644), os.Rename(name+".new", name)); err != nil {
			return err
		}
	}
	return nil
}

// Load reads a run from its folder; fs.ErrNotExist where there is none.
func Load(dir string) (Run, error) {
	name := filepath.Join(dir, resultsFile)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return Run{}, cli.UsageError{Err: fmt.Errorf("%s holds no results: %w", dir, fs.ErrNotExist)}
	} else if err != nil {
		return Run{}, err
	}
	var r Run
	if err := json.Unmarshal(text, &r); err != nil {
		return Run{}, cli.UsageError{Err: fmt.Errorf("%s: these are no results of bobbin eval: %w", name, err)}
	}
	return r, nil
}
