package past

import (
	"context"
	"errors"
)

// An Answer is the state of a commit in a search.
type Answer string

// These are the answers.
const (
	Red   Answer = "red"
	Green Answer = "green"
	// the state cannot be determined, for example because the commit does not build
	Unclear Answer = "unclear"
)

// A Reason says why a search ended where it did.
type Reason string

// These are the reasons.
const (
	Found      Reason = "found"
	FirstOfAll Reason = "first of all" // the first commit of the history is already red
	NotRed     Reason = "not red"      // the commit that the search starts from is not red
	Flaky      Reason = "flaky"        // a commit gave another answer when it was asked again
	Skipped    Reason = "skipped"      // the commits between the bounds are unclear
	Cut        Reason = "cut"          // the history is cut off there, as in a shallow clone
	TooFar     Reason = "too far"      // older commits were not looked at, because of Search.Far
	Spent      Reason = "spent"        // no time or no run was left
)

// ErrSpent is the error with which Ask says that nothing may be run any more.
var ErrSpent = errors.New("past: nothing may be run any more")

// A Search looks for the first red commit.
type Search struct {
	// Parents returns a commit's parents. cut is true if the commit has parents that are not here.
	Parents func(ctx context.Context, commit string) (parents []string, cut bool, err error)
	// Ask returns the state of a commit. nth is 1, or 2 if the answer must be determined again.
	Ask  func(ctx context.Context, commit string, nth int) (Answer, error)
	Most int // maximum number of runs; default 100
	Far  int // maximum number of commits to go back along first parents; default 50,000

	once bool // no answer is asked for twice; only for the control in tests
}

// A Result is the outcome of a search.
type Result struct {
	First   string // the first red commit; empty: no commit can be named
	Certain bool   // First was red twice, and each of its parents green twice
	// Merge is the merge that brought First into the line of first parents; empty: First is on that
	// line.
	Merge string
	Red   string // the oldest commit known to be red
	Green string // the newest commit below Red known to be green; empty: none
	// Between is the number of commits between Red and Green on their line of first parents.
	Between int
	Reason  Reason
	Runs    int
}

// A run is a search in progress.
type run struct {
	Search
	answers map[string]Answer
	sure    map[string]bool // commits that gave the same answer twice
	wavers  int             // number of commits that gave another answer when asked again
	runs    int
}

// Run searches the history of from, which should be red, for the first red commit.
func (s Search) Run(ctx context.Context, from string) (Result, error) {
	if s.Most == 0 {
		s.Most = 100
	}
	if s.Far == 0 {
		s.Far = 50_000
	}
	r := &run{Search: s, answers: map[string]Answer{}, sure: map[string]bool{}}
	for {
		wavers := r.wavers
		result, err := r.search(ctx, from)
		result.Runs = r.runs
		if errors.Is(err, ErrSpent) {
			result.Reason = Spent
			err = nil
		}
		if err != nil {
			return result, err
		}
		if wavers == r.wavers {
			return result, nil
		}
		// The answers so far still count; only the commit that wavered is now unclear.
	}
}

// search makes one pass from the top. If a commit wavers, the pass ends early and Run begins another.
func (r *run) search(ctx context.Context, from string) (Result, error) {
	out := Result{Reason: NotRed}
	answer, err := r.ask(ctx, from)
	if err != nil || answer != Red {
		return r.unlessFlaky(out), err
	}
	out.Red = from
	for at := from; ; {
		l := &line{run: r, commits: []string{at}}
		if err := l.narrow(ctx); err != nil {
			l.note(&out)
			return out, err
		}
		l.note(&out)
		if !l.adjacent() {
			out.Reason = l.reason
			return r.unlessFlaky(out), nil
		}
		first := l.commits[l.red]
		side, why, err := r.redSide(ctx, first)
		switch {
		case err != nil:
			return out, err
		case why != "":
			out.Reason = why
			return r.unlessFlaky(out), nil
		case side != "":
			if out.Merge == "" {
				out.Merge = first
			}
			at = side
			continue
		}
		return r.name(ctx, out, first)
	}
}

// unlessFlaky sets the reason Flaky if the search named no commit and an answer wavered.
func (r *run) unlessFlaky(out Result) Result {
	if r.wavers > 0 && (out.Reason == Skipped || out.Reason == NotRed) {
		out.Reason = Flaky
	}
	return out
}

// redSide returns a further parent of a merge that is already red. why is set if this cannot be
// determined.
func (r *run) redSide(ctx context.Context, commit string) (side string, why Reason, err error) {
	parents, cut, err := r.Parents(ctx, commit)
	if err != nil {
		return "", "", err
	}
	if cut {
		return "", Cut, nil
	}
	for _, p := range parents[min(1, len(parents)):] {
		answer, err := r.ask(ctx, p)
		if err != nil {
			return "", "", err
		}
		switch answer {
		case Red:
			return p, "", nil
		case Unclear:
			why = Skipped
		}
	}
	return "", why, nil
}

// name records the commit, whose parents are all green, as the first red one if it and its parents give
// the same answers again.
func (r *run) name(ctx context.Context, out Result, first string) (Result, error) {
	parents, _, err := r.Parents(ctx, first)
	if err != nil {
		return out, err
	}
	for _, c := range append([]string{first}, parents...) {
		same, err := r.askAgain(ctx, c)
		if err != nil || !same {
			return out, err
		}
	}
	out.First = first
	out.Certain = r.wavers == 0
	out.Reason = Found
	switch {
	case r.wavers > 0:
		out.Reason = Flaky
	case len(parents) == 0:
		out.Reason = FirstOfAll
	}
	return out, nil
}

// ask returns the state of a commit, and calls Ask only the first time.
func (r *run) ask(ctx context.Context, commit string) (Answer, error) {
	if a, known := r.answers[commit]; known {
		return a, nil
	}
	a, err := r.askNow(ctx, commit, 1)
	if err == nil {
		r.answers[commit] = a
	}
	return a, err
}

// askAgain asks once more and reports whether the answer is the same. If it is not, the commit becomes
// Unclear.
func (r *run) askAgain(ctx context.Context, commit string) (bool, error) {
	if r.sure[commit] || r.once {
		return true, nil
	}
	a, err := r.askNow(ctx, commit, 2)
	if err != nil {
		return false, err
	}
	if a == r.answers[commit] {
		r.sure[commit] = true
		return true, nil
	}
	r.answers[commit] = Unclear
	r.wavers++
	return false, nil
}

func (r *run) askNow(ctx context.Context, commit string, nth int) (Answer, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if r.runs >= r.Most {
		return "", ErrSpent
	}
	r.runs++
	return r.Ask(ctx, commit, nth)
}
