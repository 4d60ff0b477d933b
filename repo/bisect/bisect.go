package bisect

import (
	"context"
	"errors"
)

// An Answer is what a commit is.
type Answer string

// The answers.
const (
	Red     Answer = "red"
	Green   Answer = "green"
	Unclear Answer = "unclear" // it cannot be told: it does not build, say
)

// A Reason says why a search ended where it did.
type Reason string

// The reasons.
const (
	Found      Reason = "found"
	FirstOfAll Reason = "first of all" // the history's first commit is red already
	NotRed     Reason = "not red"      // the commit to begin with is not red
	Flaky      Reason = "flaky"        // some commit answered differently when it was asked again
	Skipped    Reason = "skipped"      // the commits between the bounds cannot be told
	Cut        Reason = "cut"          // the history is cut off there, as that of a shallow clone
	TooFar     Reason = "too far"      // what is older was not looked at
	Spent      Reason = "spent"        // there was no time, or no run, left
)

// ErrSpent is what Ask gives when nothing may be run any more.
var ErrSpent = errors.New("bisect: nothing may be run any more")

// A Search looks for the first red commit.
type Search struct {
	// Parents gives a commit's parents. cut: it has parents that are not here.
	Parents func(ctx context.Context, commit string) (parents []string, cut bool, err error)
	// Ask says what a commit is. nth is 1, and 2 when the answer is to be had anew.
	Ask  func(ctx context.Context, commit string, nth int) (Answer, error)
	Most int // runs; default 100
	Far  int // commits that are gone back along first parents; default 50,000

	once bool // no answer is asked for twice: for the control
}

// A Result is what a search came to.
type Result struct {
	First   string // the first red commit; empty: it cannot be named
	Certain bool   // First was red twice, and its parents green twice
	// Merge is the merge with which First came to the line of first parents; empty: it is on it.
	Merge string
	Red   string // the oldest commit that is known to be red
	Green string // the newest that is known to be green, below Red; empty: none is
	// Between is how many commits stand between them on their line of first parents.
	Between int
	Reason  Reason
	Runs    int
}

// A run is a search under way.
type run struct {
	Search
	answers map[string]Answer
	sure    map[string]bool // asked twice, with one answer
	wavers  int             // commits that answered otherwise when they were asked again
	runs    int
}

// Run searches the history of a commit that is red.
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
			result.Reason, err = Spent, nil
		}
		if err != nil {
			return result, err
		}
		if wavers == r.wavers {
			return result, nil
		}
		// What was found out before still counts; only the commit that wavered does not.
	}
}

// search is one pass from the top; it ends early, to be begun again, when a commit wavers.
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

// unlessFlaky says of a search that ends without a name that an answer wavered, where one did.
func (r *run) unlessFlaky(out Result) Result {
	if r.wavers > 0 && (out.Reason == Skipped || out.Reason == NotRed) {
		out.Reason = Flaky
	}
	return out
}

// redSide is a further parent of a merge that was red already; why says that it cannot be told.
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

// name names the commit, whose parents are all green, if it and they answer the same again.
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
	out.First, out.Certain, out.Reason = first, r.wavers == 0, Found
	switch {
	case r.wavers > 0:
		out.Reason = Flaky
	case len(parents) == 0:
		out.Reason = FirstOfAll
	}
	return out, nil
}

// ask gives what a commit is, as it was found out once.
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

// askAgain asks once more, and reports whether the answer is the same. One that is not counts as
// none.
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
