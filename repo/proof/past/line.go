package past

import (
	"cmp"
	"context"
)

// A line is the history of a red commit along first parents, newest first, as far as it was looked at.
// commits[red] is the oldest commit known to be red, commits[green] the newest one below it known to be
// green.
type line struct {
	*run
	commits []string
	end     Reason // why there are no older commits: FirstOfAll, Cut or TooFar; empty: there may be some
	red     int
	green   int    // 0: none is known
	reason  Reason // why red and green are not adjacent
}

// maxUnclear is the number of unclear commits in a row that are tried when the end of a history is
// unclear.
const maxUnclear = 8

// narrow finds a green commit and halves the range up to it. If the end of the history is unclear, as
// with commits whose packages are gone, the growing steps may have passed commits that are clear. Those
// are searched for in the same way, up to that end.
func (l *line) narrow(ctx context.Context) error {
	if err := l.findGreen(ctx); err != nil {
		return err
	}
	for nth := 0; l.green > 0 || l.reason == Skipped && nth < maxUnclear; nth++ {
		at, any := l.between(nth, cmp.Or(l.green, len(l.commits)))
		if !any {
			break
		}
		answer, err := l.ask(ctx, l.commits[at])
		if err != nil {
			return err
		}
		switch answer {
		case Red:
			l.red, nth = at, -1
		case Green:
			l.green, l.reason, nth = at, "", -1
		}
	}
	if l.reason == "" {
		l.reason = Skipped
	}
	return nil
}

// findGreen goes back in growing steps until it finds a green commit or the end of the history.
func (l *line) findGreen(ctx context.Context) error {
	for step := 1; ; step *= 2 {
		at, err := l.reach(ctx, l.red+step)
		if err != nil {
			return err
		}
		// If a commit is unclear, a few older neighbours are tried in its place.
		for try := 0; at > l.red && try < 3; try++ {
			answer, err := l.ask(ctx, l.commits[at])
			if err != nil {
				return err
			}
			if answer == Green {
				l.green = at
				return nil
			}
			if answer == Red {
				l.red = at
				break
			}
			next, err := l.reach(ctx, at+try+1)
			if err != nil || next == at {
				break
			}
			at = next
		}
		if l.end != "" && at >= len(l.commits)-1 {
			l.reason = l.end
			if l.red < len(l.commits)-1 {
				l.reason = Skipped
			}
			return nil
		}
	}
}

// reach extends the line up to index at, or to the end of the history, and returns the last index
// within that.
func (l *line) reach(ctx context.Context, at int) (int, error) {
	for len(l.commits) <= at && l.end == "" {
		if len(l.commits) > l.Far {
			l.end = TooFar
			break
		}
		parents, cut, err := l.Parents(ctx, l.commits[len(l.commits)-1])
		switch {
		case err != nil:
			return 0, err
		case cut:
			l.end = Cut
		case len(parents) == 0:
			l.end = FirstOfAll
		default:
			l.commits = append(l.commits, parents[0])
		}
	}
	return min(at, len(l.commits)-1), nil
}

// between returns the index of the next commit to ask between the oldest red one and until. The middle
// one is first; if it is unclear, the next ones are far from it, since commits that do not build are
// often adjacent. any is false if none is left.
func (l *line) between(nth, until int) (at int, any bool) {
	var left []int
	for i := l.red + 1; i < until; i++ {
		if a, known := l.answers[l.commits[i]]; !known || a != Unclear {
			left = append(left, i)
		}
	}
	if len(left) == 0 {
		return 0, false
	}
	// 1/2, 1/4, 3/4, 1/8, 5/8, …
	part, weight := 0.0, 0.5
	for n := nth + 1; n > 0; n /= 2 {
		if n%2 == 1 {
			part += weight
		}
		weight /= 2
	}
	return left[int(part*float64(len(left)))], true
}

// adjacent reports whether the oldest red commit has a green first parent or is the first of the
// history.
func (l *line) adjacent() bool {
	if l.green > 0 {
		return l.green == l.red+1
	}
	return l.end == FirstOfAll && l.red == len(l.commits)-1
}

// note copies the bounds into the result.
func (l *line) note(out *Result) {
	out.Red, out.Green, out.Between = l.commits[l.red], "", 0
	if l.green > 0 {
		out.Green, out.Between = l.commits[l.green], l.green-l.red-1
	}
}
