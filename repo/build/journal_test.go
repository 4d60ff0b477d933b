package build

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// commandsIn returns the command lines in a log.
func commandsIn(log string) (lines []string) {
	for line := range strings.Lines(log) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			lines = append(lines, strings.TrimSpace(command))
		}
	}
	return lines
}

// TestAJournalKnowsOnlyTheSameRun runs a tree, and then once more in another process, as far as a journal can
// tell, with something changed.
func TestAJournalKnowsOnlyTheSameRun(t *testing.T) {
	t.Parallel()
	m, commits := repotest.NewMirror(t, repotest.Files{"a.txt": "a\n"}, repotest.Files{"a.txt": "b\n"})
	p := project.Project{Kind: "shell", Test: "cat a.txt; echo ok 1 - a; echo 1..1"}
	type run struct {
		commit  string
		lay     func(*os.Root) error
		project project.Project
		limits  sandbox.Limits
		times   int
	}
	same := run{commit: commits[0], project: p, times: 1}
	dir := t.TempDir()
	// ran returns how many commands ran.
	ran := func(t *testing.T, dir string, r run) int {
		var log bytes.Buffer
		c := checker(t).For(m).LogTo(&log).KeptIn(OpenJournal(dir, "proof"))
		c.Limits = r.limits
		for range r.times {
			got, err := c.RunTree(t.Context(), r.commit, r.lay, r.project)
			require.NoError(t, err)
			require.Equal(t, 1, got.Passed)
			require.Equal(t, "shell", got.Project.Kind)
		}
		if r.project.Build == "" {
			require.Len(t, c.journal.Taken(), r.times-len(commandsIn(log.String())))
		}
		return len(commandsIn(log.String()))
	}
	require.Equal(t, 1, ran(t, dir, same))
	require.Equal(t, 0, ran(t, dir, same))
	other := func(change func(*run)) run {
		r := same
		change(&r)
		return r
	}
	for name, r := range map[string]run{
		"commit":  other(func(r *run) { r.commit = commits[1] }),
		"content": other(func(r *run) { r.lay = writes("a.txt", "other\n", 0o644) }),
		"file":    other(func(r *run) { r.lay = writes("b.txt", "", 0o644) }),
		"mode": other(func(r *run) {
			r.lay = func(root *os.Root) error { return root.Chmod("a.txt", 0o755) }
		}),
		"link": other(func(r *run) {
			r.lay = func(root *os.Root) error { return root.Symlink("a.txt", "link") }
		}),
		"command": other(func(r *run) { r.project.Test += " " }),
		"build":   other(func(r *run) { r.project.Build = "true" }),
		"limits":  other(func(r *run) { r.limits.Time = time.Minute }),
	} {
		require.NotZero(t, ran(t, dir, r), name)
		require.Zero(t, ran(t, dir, r), name)
	}
	require.Equal(t, 1, ran(t, dir, other(func(r *run) { r.times = 2 })), "a repetition is another run")
	require.Equal(t, 0, ran(t, dir, other(func(r *run) { r.times = 2 })))

	old := change(t, dir, func(e *journalEntry) { e.Ended = e.Ended.Add(-journalAge) })
	require.Equal(t, 1, ran(t, old, same))
	require.Equal(t, 1, ran(t, change(t, dir, nil), same), "damaged files are not read")
	require.NoError(t, OpenJournal(dir, "proof").Remove())
	require.Equal(t, 1, ran(t, dir, same))
	past := time.Now().Add(-2 * journalAge)
	require.NoError(t, os.Chtimes(filepath.Join(dir, "proof"), past, past))
	OpenJournal(dir, "other")
	require.NoDirExists(t, filepath.Join(dir, "proof"))
}

func writes(name, text string, mode os.FileMode) func(*os.Root) error {
	return func(root *os.Root) error { return root.WriteFile(name, []byte(text), mode) }
}

// change returns a copy of a journal with changed entries, or with damaged ones if do is nil.
func change(t *testing.T, dir string, do func(*journalEntry)) string {
	t.Helper()
	to := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(to, "proof"), 0o755))
	files, err := filepath.Glob(filepath.Join(dir, "proof", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var e journalEntry
		require.NoError(t, json.Unmarshal(text, &e))
		if do == nil {
			text = text[:len(text)/2]
		} else {
			do(&e)
			text, err = json.Marshal(e)
			require.NoError(t, err)
		}
		require.NoError(t, os.WriteFile(filepath.Join(to, "proof", filepath.Base(file)), text, 0o600))
	}
	return to
}

// TestAnInterruptedRunIsNotKept ends a run in its second part: the first one counts, and the second runs
// again.
func TestAnInterruptedRunIsNotKept(t *testing.T) {
	t.Parallel()
	m, commits := repotest.NewMirror(t, repotest.Files{"a.txt": "a\n"})
	const near = "echo ok 1 - near; echo 1..1"
	p := project.Project{Kind: "shell", Test: waiting}
	first := First{
		Parts:  project.Parts{Near: near, Rest: waiting},
		Enough: func(result.Result) bool { return false },
	}
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	var log bytes.Buffer
	c := checker(t).For(m)
	interrupted, last := quickly(c.KeptIn(OpenJournal(dir, "proof")).LogTo(&log), func(p Progress) {
		if p.Tests == 3 {
			cancel()
		}
	})
	_, err := interrupted.RunTreeNearFirst(ctx, commits[0], nil, p, first)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 3, (<-last).Tests, "with those of the first part")
	require.Equal(t, []string{near}, commandsIn(log.String()))

	log.Reset()
	journal := OpenJournal(dir, "proof")
	again, _ := quickly(c.KeptIn(journal).LogTo(&log), func(Progress) { letGo(t, c) })
	r, err := again.RunTreeNearFirst(t.Context(), commits[0], nil, p, first)
	require.NoError(t, err)
	require.Equal(t, 4, r.Passed)
	require.Equal(t, 1, r.First)
	require.Equal(t, []string{waiting}, commandsIn(log.String()))
	require.Len(t, journal.Taken(), 1)

	log.Reset()
	r, err = c.LogTo(&log).KeptIn(OpenJournal(dir, "proof")).
		RunTreeNearFirst(t.Context(), commits[0], nil, p, first)
	require.NoError(t, err)
	require.Equal(t, 4, r.Passed)
	require.Empty(t, commandsIn(log.String()))
}

// Results of runs that the machine may have ended are not kept.
func TestWhatOthersKilledIsNotKept(t *testing.T) {
	t.Parallel()
	c := checker(t)
	c = c.KeptIn(OpenJournal(t.TempDir(), "proof"))
	for name, r := range map[string]result.Result{
		"killed":  {Stopped: "killed"},
		"signal":  {TestsRan: true, ExitCode: 143},
		"missing": {Missing: result.Missing{Tests: "no runner"}},
	} {
		run := c.openRun(name, project.Project{}, nil)
		run.keep(t.Context(), r)
		_, ok := run.take()
		require.False(t, ok, name)
		run.keep(t.Context(), result.Result{Stopped: result.StoppedTime}) // the control
		_, ok = run.take()
		require.True(t, ok, name)
	}
	require.Nil(t, checker(t).openRun("tree", project.Project{}, nil), "without a journal")
}
