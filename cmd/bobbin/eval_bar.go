package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/eval/report"
)

// A bar shows the progress of an evaluation: one line for each result and, on a terminal, a progress bar
// below them.
type bar struct {
	w              io.Writer
	live           bool
	of, done, good int
}

func newBar(w io.Writer, of, done int) *bar {
	b := &bar{w: w, live: isTerminal(), of: of, done: done}
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
		outcome, b.good = "solved", b.good+1
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
	full := barWidth * b.done / max(1, b.of)
	fmt.Fprintf(b.w, "\r\x1b[K[%s%s] %d/%d, %d solved", strings.Repeat("#", full), strings.Repeat(".", barWidth-full), b.done, b.of, b.good)
}

// end erases the progress bar from the terminal.
func (b *bar) end() {
	if b.live {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
}
