package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"time"
)

// rows returns all rows, in the order of the page.
func rows() []row {
	return []row{
		workspaceRow(), spareRow(), commitRow(), searchRow(), acknowledgeRow(), requestRow(), fixRow(),
		crowdRow(), oldRow(),
	}
}

// A row measures one thing that Bobbin does, beside other programs that do the same.
type row struct {
	name    string // the name for -only
	what    string // what is measured, in one sentence
	figures []figure
	most    int           // the most pairs of turns; 0: as many as -n says
	within  time.Duration // no new pair begins after this time; 0: a minute

	// open prepares the sides and returns ours first. It need not remove files below b.dir, which is removed
	// at the end. Anything that keeps running has to be stopped by the returned end.
	open func(ctx context.Context, b *bench) (sides []side, end func(), err error)
}

// A figure is one number that a row measures, such as a median or a peak of memory.
type figure struct {
	name string  // empty if the row has only one figure
	unit string  // s, ms, MB, …; the same for every side
	most float64 // upper bound of our value; 0: only the ratio is bounded
}

// A side is Bobbin, or one of its peers.
type side struct {
	name  string    // the command or function that is measured
	ratio []float64 // upper bound of our value divided by this peer's, by figure; 0 or absent: no bound
	lacks string    // why this peer is not measured, and how to get it; empty: it is measured

	// turn measures once and returns a number for each figure. NaN means that this side has no such number.
	turn func(ctx context.Context) ([]float64, error)
}

// A skipped is an error that says why a row or a side was left out. The run does not fail because of it.
type skipped struct{ why string }

func (l skipped) Error() string { return l.why }

// A result holds the measurements of a row.
type result struct {
	row   row
	sides []side
	turns [][][]float64 // values by side, turn and figure
	took  time.Duration
	left  string // why the row was left out; empty: it was not
	err   error
}

// patience is the time limit of a row's preparation, and of one pair of turns, so that a side that hangs is
// ended.
const patience = 5 * time.Minute

// measure lets the sides of a row take turns. A row that takes too long gets fewer pairs.
func measure(ctx context.Context, b *bench, r row, pairs int) (res result) {
	began := time.Now()
	res = result{row: r}
	defer func() { res.took = time.Since(began) }()
	debug.FreeOSMemory() // returns the memory that the previous row used
	sides, end, err := open(ctx, b, r)
	if end != nil {
		defer end()
	}
	var l skipped
	switch {
	case errors.As(err, &l):
		res.left = l.why
		return res
	case err != nil:
		res.err = err
		return res
	}
	res.sides = sides
	res.turns = make([][][]float64, len(sides))
	if r.most > 0 {
		pairs = min(pairs, r.most)
	}
	within := cmp.Or(r.within, time.Minute)
	opened := time.Now()
	for i := range pairs {
		if i > 0 && time.Since(opened) > within {
			break
		}
		if res.err = takeTurns(ctx, b, &res); res.err != nil {
			break
		}
	}
	return res
}

func open(ctx context.Context, b *bench, r row) ([]side, func(), error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return r.open(ctx, b)
}

// takeTurns lets each side measure once.
func takeTurns(ctx context.Context, b *bench, res *result) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for i, s := range res.sides {
		if s.lacks != "" {
			continue
		}
		values, err := s.turn(ctx)
		if err == nil && len(values) != len(res.row.figures) {
			err = fmt.Errorf("%d numbers for %d figures", len(values), len(res.row.figures))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if b.verbose {
			fmt.Fprintf(os.Stderr, "  %s %s %.4g\n", res.row.name, s.name, values)
		}
		res.turns[i] = append(res.turns[i], values)
	}
	return nil
}

// A spread is the minimum, median and maximum of some numbers.
type spread struct{ least, median, most float64 }

func spreadOf(values []float64) spread {
	s := slices.Clone(values)
	slices.Sort(s)
	n := len(s)
	if n == 0 {
		return spread{}
	}
	return spread{s[0], (s[(n-1)/2] + s[n/2]) / 2, s[n-1]}
}

// values returns one figure of one side, one number for each turn.
func (r result) values(side, figure int) (v []float64) {
	for _, turn := range r.turns[side] {
		v = append(v, turn[figure])
	}
	return v
}

// ratios returns our values of a figure divided by the peer's, for each pair of turns.
func (r result) ratios(peer, figure int) (v []float64) {
	ours := r.values(0, figure)
	theirs := r.values(peer, figure)
	for i := range min(len(ours), len(theirs)) {
		v = append(v, ours[i]/theirs[i])
	}
	return v
}
