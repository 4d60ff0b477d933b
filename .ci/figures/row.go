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

// rows are all there is, in the order of the page.
func rows() []row {
	return []row{
		workspaceRow(), spareRow(), commitRow(), searchRow(), acknowledgeRow(), requestRow(), fixRow(), crowdRow(), oldRow(),
	}
}

// A row measures one thing that Bobbin does beside whoever else does it.
type row struct {
	name    string // for -only
	what    string // what is measured, in one sentence
	figures []figure
	most    int           // pairs at most; 0: as many as -n says
	within  time.Duration // after which no pair is begun any more; 0: a minute

	// open prepares what the sides work on, and gives ours first. It may clean up by b.dir alone:
	// that folder is gone at the end. What runs on has to be ended by the close that is returned.
	open func(ctx context.Context, b *bench) (sides []side, end func(), err error)
}

// A figure is one number of a row, such as a median or a peak of memory.
type figure struct {
	name string  // what of the row it is; empty where the row has one
	unit string  // s, ms, MB, …; of one row the same for each side
	most float64 // what ours may be at most; 0: only the ratio counts
}

// A side is Bobbin, or one of its peers.
type side struct {
	name  string    // the command or function
	ratio []float64 // how much of this peer ours may be, by figure; 0 or absent: no bound
	lacks string    // why this peer is not measured, and how to get it; empty: it is

	// turn measures once, and gives a number for each figure. NaN: this side does not know it.
	turn func(ctx context.Context) ([]float64, error)
}

// A left is why a row, or one of its sides, was not measured. It is no failure.
type left struct{ why string }

func (l left) Error() string { return l.why }

// A result is a row that was measured.
type result struct {
	row   row
	sides []side
	turns [][][]float64 // by side, turn and figure
	took  time.Duration
	left  string // why there is nothing
	err   error
}

// patience is for what a row prepares and for one pair: a side that hangs ends there.
const patience = 5 * time.Minute

// measure lets the sides of a row take turns. A row that takes too long has fewer pairs.
func measure(ctx context.Context, b *bench, r row, pairs int) (res result) {
	began := time.Now()
	res = result{row: r}
	defer func() { res.took = time.Since(began) }()
	debug.FreeOSMemory() // what the row before has left
	sides, end, err := open(ctx, b, r)
	if end != nil {
		defer end()
	}
	var l left
	switch {
	case errors.As(err, &l):
		res.left = l.why
		return res
	case err != nil:
		res.err = err
		return res
	}
	res.sides, res.turns = sides, make([][][]float64, len(sides))
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

// A spread is what a few numbers come to.
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

// values are the numbers of one figure of one side, a turn each.
func (r result) values(side, figure int) (v []float64) {
	for _, turn := range r.turns[side] {
		v = append(v, turn[figure])
	}
	return v
}

// ratios are ours divided by a peer's, pair for pair.
func (r result) ratios(peer, figure int) (v []float64) {
	ours, theirs := r.values(0, figure), r.values(peer, figure)
	for i := range min(len(ours), len(theirs)) {
		v = append(v, ours[i]/theirs[i])
	}
	return v
}
