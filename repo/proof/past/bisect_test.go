package past

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// A world is a history with a bug in it.
type world struct {
	parents map[string][]string
	cut     map[string]bool
	bug     string          // the commit that introduced it; empty: it was always there
	broken  map[string]bool // commits that are unclear
	flaky   map[string]bool // commits that give another answer each time
	asked   map[string]int
	red     map[string]bool
}

// isRed reports whether a commit has the bug, and caches the answer.
func (w *world) isRed(commit string) bool {
	if w.bug == "" {
		return true
	}
	red, known := w.red[commit]
	if !known {
		red = commit == w.bug
		for _, p := range w.parents[commit] {
			red = w.isRed(p) || red
		}
		w.red[commit] = red
	}
	return red
}

func (w *world) has(commit, ancestor string) bool {
	seen, queue := map[string]bool{}, []string{commit}
	for len(queue) > 0 {
		c := queue[0]
		queue = queue[1:]
		if c == ancestor {
			return true
		}
		if !seen[c] {
			seen[c] = true
			queue = append(queue, w.parents[c]...)
		}
	}
	return false
}

func (w *world) search() Search {
	w.asked, w.red = map[string]int{}, map[string]bool{}
	return Search{
		Parents: func(_ context.Context, c string) ([]string, bool, error) { return w.parents[c], w.cut[c], nil },
		Ask: func(_ context.Context, c string, _ int) (Answer, error) {
			w.asked[c]++
			red := w.isRed(c)
			if w.flaky[c] && w.asked[c]%2 == 1 {
				red = !red
			}
			switch {
			case w.broken[c]:
				return Unclear, nil
			case red:
				return Red, nil
			}
			return Green, nil
		},
		Most: 400,
	}
}

// newWorld makes a history of at least that many commits: a main line with branches that are merged
// into it, broken builds both adjacent and apart, and, if wanted, flaky commits.
func newWorld(rnd *rand.Rand, commits int, flaky bool) (w *world, top string) {
	w = &world{parents: map[string][]string{}, broken: map[string]bool{}, flaky: map[string]bool{}}
	n := 0
	var all []string
	commit := func(parents ...string) string {
		name := fmt.Sprintf("c%d", n)
		n++
		w.parents[name] = parents
		all = append(all, name)
		return name
	}
	main := []string{commit()}
	for n < commits {
		tip := main[len(main)-1]
		if rnd.IntN(4) > 0 {
			main = append(main, commit(tip))
			continue
		}
		side := main[max(0, len(main)-1-rnd.IntN(20))]
		for range 1 + rnd.IntN(8) {
			side = commit(side)
		}
		main = append(main, commit(tip, side))
	}
	top = main[len(main)-1]
	w.bug = all[1+rnd.IntN(len(all)-2)]
	for !w.has(top, w.bug) {
		w.bug = all[1+rnd.IntN(len(all)-2)]
	}
	for i := range all {
		w.broken[all[i]] = rnd.IntN(20) == 0
		w.flaky[all[i]] = flaky && rnd.IntN(10) == 0
	}
	for from, k := rnd.IntN(len(all)), rnd.IntN(60); k > 0 && from < len(all); from, k = from+1, k-1 {
		w.broken[all[from]] = true
	}
	w.broken[top], w.flaky[top] = false, false
	return w, top
}

// between reports whether the bug lies between the bounds of the result.
func (w *world) between(r Result) bool {
	return w.has(r.Red, w.bug) && (r.Green == "" || !w.has(r.Green, w.bug))
}

const commits = 1000

func TestTheFirstRedCommitIsNamed(t *testing.T) {
	t.Parallel()
	named := 0
	for seed := range uint64(100) {
		w, top := newWorld(rand.New(rand.NewPCG(seed, 1)), commits, false)
		r, err := w.search().Run(t.Context(), top)
		require.NoError(t, err)
		if !r.Certain {
			require.NotEqual(t, Found, r.Reason, "seed %d", seed)
			require.Empty(t, r.First)
			require.True(t, w.between(r), "seed %d: %+v, and the bug is %s", seed, r, w.bug)
			continue
		}
		named++
		require.Equal(t, w.bug, r.First, "seed %d: %+v", seed, r)
		if r.Merge != "" {
			require.True(t, w.has(r.Merge, w.bug))
			require.Greater(t, len(w.parents[r.Merge]), 1)
		}
	}
	require.Greater(t, named, 70)
}

// Without broken commits, each bug is found in few runs.
func TestAHistoryThatBuildsTakesFewRuns(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		w, top := newWorld(rand.New(rand.NewPCG(seed, 2)), commits, false)
		w.broken = nil
		r, err := w.search().Run(t.Context(), top)
		require.NoError(t, err)
		require.True(t, r.Certain)
		require.Equal(t, w.bug, r.First)
		require.LessOrEqual(t, r.Runs, 50, "seed %d", seed)
	}
}

// flakyWrong counts the histories with flaky commits for which a search names a wrong commit as
// certain, and those for which it names the right one.
func flakyWrong(t *testing.T, once bool) (wrong, named int) {
	for seed := range uint64(100) {
		w, top := newWorld(rand.New(rand.NewPCG(seed, 3)), commits, true)
		s := w.search()
		s.once = once
		r, err := s.Run(t.Context(), top)
		require.NoError(t, err)
		if r.First != "" && r.First == w.bug {
			named++
		}
		if r.Certain && r.First != w.bug {
			wrong++
		}
	}
	return wrong, named
}

func TestAFlakyAnswerIsAskedTwice(t *testing.T) {
	t.Parallel()
	wrong, named := flakyWrong(t, false)
	require.Zero(t, wrong)
	require.Greater(t, named, 30)
}

// The control: if each commit is asked only once, wrong commits are named as certain.
func TestAskedOnceAFlakyAnswerIsBelieved(t *testing.T) {
	t.Parallel()
	wrong, _ := flakyWrong(t, true)
	require.Greater(t, wrong, 10)
}

// row makes a history of n commits without merges, from c0, and returns its newest commit.
func row(n int) (*world, string) {
	w := &world{parents: map[string][]string{}, cut: map[string]bool{}, broken: map[string]bool{}, flaky: map[string]bool{}}
	for i := 1; i < n; i++ {
		w.parents[fmt.Sprintf("c%d", i)] = []string{fmt.Sprintf("c%d", i-1)}
	}
	return w, fmt.Sprintf("c%d", n-1)
}

func TestBoundsAreGivenWhereNoCommitCanBeNamed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(w *world, s *Search)
		want   Result
	}{
		"found":                  {func(w *world, _ *Search) { w.bug = "c17" }, Result{First: "c17", Certain: true, Red: "c17", Green: "c16", Reason: Found}},
		"red from the beginning": {func(*world, *Search) {}, Result{First: "c0", Certain: true, Red: "c0", Reason: FirstOfAll}},
		"cut off":                {func(w *world, _ *Search) { w.cut["c0"] = true }, Result{Red: "c0", Reason: Cut}},
		"too far":                {func(_ *world, s *Search) { s.Far = 10 }, Result{Red: "c29", Reason: TooFar}},
		"the bug does not build": {func(w *world, _ *Search) {
			w.bug = "c17"
			w.broken["c17"], w.broken["c18"] = true, true
		}, Result{Red: "c19", Green: "c16", Between: 2, Reason: Skipped}},
		"nothing older builds": {func(w *world, _ *Search) {
			for i := range 35 {
				w.broken[fmt.Sprintf("c%d", i)] = true
			}
		}, Result{Red: "c36", Reason: Skipped}},
		"the beginning does not build": {func(w *world, _ *Search) {
			w.bug = "c7"
			for i := range 5 {
				w.broken[fmt.Sprintf("c%d", i)] = true
			}
		}, Result{First: "c7", Certain: true, Red: "c7", Green: "c6", Reason: Found}},
		"not red":        {func(w *world, _ *Search) { w.bug = "elsewhere" }, Result{Reason: NotRed}},
		"no run is left": {func(w *world, s *Search) { w.bug, s.Most = "c17", 3 }, Result{Red: "c36", Reason: Spent}},
		"the bug's commit waves": {func(w *world, _ *Search) {
			w.bug = "c17"
			w.flaky["c17"], w.flaky["c16"] = true, true
		}, Result{Red: "c18", Green: "c15", Between: 2, Reason: Flaky}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, top := row(40)
			s := w.search()
			test.change(w, &s)
			r, err := s.Run(t.Context(), top)
			require.NoError(t, err)
			r.Runs = 0
			require.Equal(t, test.want, r)
		})
	}
}

// A search whose context is cancelled returns the context's error.
func TestAnErrorOfAskEndsTheSearch(t *testing.T) {
	t.Parallel()
	w, top := row(40)
	ctx, cancel := context.WithCancel(t.Context())
	s := w.search()
	ask := s.Ask
	s.Ask = func(ctx context.Context, c string, nth int) (Answer, error) {
		if len(w.asked) == 4 {
			cancel()
		}
		return ask(ctx, c, nth)
	}
	_, err := s.Run(ctx, top)
	require.ErrorIs(t, err, context.Canceled)
}
