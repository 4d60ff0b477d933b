package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/eval/report"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/eval/suite"
)

// A bar shows the progress of an evaluation: one line for each result and, on a terminal, a progress bar
// below them.
type bar struct {
	w              io.Writer
	live           bool
	of, done, good int
}

// newBar returns the bar of a run that plays each task repeat times. Of the results that the run has already,
// those count that it would have to play otherwise.
func newBar(w io.Writer, tasks []suite.Task, repeat int, earlier []report.Result) *bar {
	b := &bar{w: w, live: isTerminal(), of: len(tasks) * repeat}
	for _, x := range earlier {
		if x.Attempt > repeat ||
			!slices.ContainsFunc(tasks, func(t suite.Task) bool { return t.Name == x.Task }) {
			continue
		}
		b.done++
		if x.Solved {
			b.good++
		}
	}
	b.draw()
	return b
}

func (b *bar) step(x report.Result) {
	b.done++
	outcome := "not solved"
	switch {
	case x.Skipped:
		outcome = "skipped"
	case x.Solved:
		outcome = "solved"
		b.good = b.good + 1
	}
	b.end()
	fmt.Fprintf(b.w, "%d/%d  %s  %s\n", b.done, b.of, x.ID(), outcome)
	b.draw()
}

const barWidth = 30

func (b *bar) draw() {
	if !b.live {
		return
	}
	full := min(barWidth, barWidth*b.done/max(1, b.of))
	fmt.Fprintf(b.w, "\r\x1b[K[%s%s] %d/%d, %d solved", strings.Repeat("#", full),
		strings.Repeat(".", barWidth-full), b.done, b.of, b.good)
}

// end erases the progress bar from the terminal.
func (b *bar) end() {
	if b.live {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
}
