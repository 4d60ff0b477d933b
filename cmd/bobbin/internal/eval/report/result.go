// Package report stores the results of an evaluation in a folder, and shows them as a table, as JSON and as
// one HTML page. Compare shows how two runs differ and which differences may be chance. The package only
// reads results; package eval makes them.
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

// The names of the files in a run's folder.
const (
	resultsFile = "results.json"
	tableFile   = "table.txt"
	pageFile    = "report.html"
)

// A Run is one evaluation of a suite.
type Run struct {
	Suite   string            `json:"suite"`
	Began   time.Time         `json:"began"`
	Models  map[string]string `json:"models"` // model and effort by agent
	Results []Result          `json:"results"`
}

// A Result is one attempt at a task.
type Result struct {
	Task     string `json:"task"`
	Attempt  int    `json:"attempt"` // 1, 2, … if the task is repeated
	Title    string `json:"title"`
	Language string `json:"language"`
	Kind     string `json:"kind"`

	Solved  bool   `json:"solved"`
	Why     string `json:"why"`              // why the task was solved or not; one line
	Skipped bool   `json:"skipped"`          // the task was not tried, for the reason in Why
	Branch  string `json:"branch,omitempty"` // the branch that was pushed
	Hidden  string `json:"hidden,omitempty"` // output of the hidden tests, if they failed

	Size
	Use
	Thread string `json:"thread"` // the Slack thread as people saw it
}

// ID returns the name of the attempt within its run.
func (r Result) ID() string { return fmt.Sprintf("%s-%d", r.Task, r.Attempt) }

// A Size is the size of a change in lines, next to the size of upstream's fix.
type Size struct {
	Added           int `json:"added"`
	Removed         int `json:"removed"`
	TestsAdded      int `json:"tests_added"`
	TestsRemoved    int `json:"tests_removed"`
	UpstreamAdded   int `json:"upstream_added"`
	UpstreamRemoved int `json:"upstream_removed"`
	// needed hunks, as in "4 of 4"; empty if they were not checked
	Hunks string `json:"hunks,omitempty"`
}

// Use is what an attempt used: model calls, tokens, time and money.
type Use struct {
	// model answers
	Steps int `json:"steps"`
	// bytes of all prompts
	PromptBytes int `json:"prompt_bytes"`
	// includes the cached tokens
	Input  int `json:"input_tokens"`
	Cached int `json:"cached_tokens"`
	Output int `json:"output_tokens"`
	// tokens are estimated from bytes, as the endpoint reports none
	Estimated bool    `json:"estimated,omitempty"`
	Seconds   float64 `json:"seconds"`
	USD       float64 `json:"usd"`
}

// CachedShare returns the share of the input tokens that came from the endpoint's cache, from 0 to 1.
func (u Use) CachedShare() float64 {
	if u.Input == 0 {
		return 0
	}
	return float64(u.Cached) / float64(u.Input)
}

// Sort sorts the results by task, then by attempt.
func (r *Run) Sort() {
	slices.SortFunc(r.Results, func(a, b Result) int {
		return cmp.Or(strings.Compare(a.Task, b.Task), cmp.Compare(a.Attempt, b.Attempt))
	})
}

// Has reports whether the run has a result of that attempt at the task.
func (r Run) Has(task string, attempt int) bool {
	return slices.ContainsFunc(r.Results,
		func(x Result) bool { return x.Task == task && x.Attempt == attempt })
}

// Tried returns the results that were not skipped.
func (r Run) Tried() []Result {
	return slices.DeleteFunc(slices.Clone(r.Results), func(x Result) bool { return x.Skipped })
}

// Save writes the results, the table and the page into the folder. It replaces each file by a rename, so no
// reader sees a partial file.
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
	if err := r.page(&page); err != nil {
		return err
	}
	for name, text := range map[string]string{
		resultsFile: string(kept) + "\n",
		tableFile:   table.String(),
		pageFile:    page.String(),
	} {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(name+".new", []byte(text), 0o644),
			os.Rename(name+".new", name)); err != nil {
			return err
		}
	}
	return nil
}

// Load reads a run from its folder. The error wraps fs.ErrNotExist if the folder has no results.
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
		return Run{}, cli.UsageError{
			Err: fmt.Errorf("%s: these are no results of bobbin eval: %w", name, err),
		}
	}
	return r, nil
}
