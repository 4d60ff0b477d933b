package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// significance is the p-value below which a difference is called "hardly chance".
const significance = 0.05

// minPairs is the number of pairs that have to differ before any test can tell a difference from chance.
const minPairs = 6

// A pair is one task in two runs, each averaged over its attempts.
type pair struct {
	task          string
	before, after mean
}

// A mean holds the averages over n attempts at a task.
type mean struct {
	n                                   int
	solved                              float64 // share of the attempts
	steps, prompt, seconds, usd, change float64
}

func meanOf(results []Result, task string) (m mean) {
	for _, x := range results {
		if x.Task != task {
			continue
		}
		m.n++
		if x.Solved {
			m.solved++
		}
		m.steps += float64(x.Steps)
		m.prompt += float64(x.PromptBytes)
		m.seconds += x.Seconds
		m.usd += x.USD
		m.change += float64(x.Added + x.Removed)
	}
	for _, v := range []*float64{&m.solved, &m.steps, &m.prompt, &m.seconds, &m.usd, &m.change} {
		*v /= max(1, float64(m.n))
	}
	return m
}

// Compare returns a text about how two runs differ, task by task, and which differences may be chance. Tasks
// that only one run tried are named and left out.
func Compare(before, after Run) string {
	var b strings.Builder
	pairs, alone := pairUp(before, after)
	if len(alone) > 0 {
		fmt.Fprintf(&b, "Not in both, and left out: %s.\n\n", strings.Join(alone, ", "))
	}
	if len(pairs) == 0 {
		return b.String() + "The two runs have no task in common.\n"
	}
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "TASK\tSOLVED\tSTEPS\tPROMPT\tTIME\tUSD\tLINES")
	for _, p := range pairs {
		fmt.Fprintf(t, "%s\t%s → %s\t%.0f → %.0f\t%.0f → %.0f KB\t%.0f → %.0f s\t%.2f → %.2f\t%.0f → %.0f\n",
			p.task, p.before.share(), p.after.share(), p.before.steps, p.after.steps,
			p.before.prompt/1e3, p.after.prompt/1e3, p.before.seconds, p.after.seconds, p.before.usd,
			p.after.usd, p.before.change, p.after.change)
	}
	t.Flush()
	fmt.Fprintln(&b, "\n"+compareSolved(pairs))
	for _, m := range []measure{
		{"steps", "%.1f", "fewer", "more", func(m mean) float64 { return m.steps }},
		{"KB of prompts", "%.0f", "fewer", "more", func(m mean) float64 { return m.prompt / 1e3 }},
		{"seconds", "%.0f", "fewer", "more", func(m mean) float64 { return m.seconds }},
		{"USD", "%.3f", "less", "more", func(m mean) float64 { return m.usd }},
	} {
		fmt.Fprintln(&b, m.compare(pairs, "a task"))
	}
	both := slices.DeleteFunc(slices.Clone(pairs),
		func(p pair) bool { return p.before.solved == 0 || p.after.solved == 0 })
	if len(both) > 0 {
		m := measure{"lines changed", "%.1f", "fewer", "more", func(m mean) float64 { return m.change }}
		fmt.Fprintln(&b, m.compare(both, "a task that both solved"))
	}
	return b.String()
}

// pairUp returns the tasks that both runs tried, and the names of the other tasks.
func pairUp(before, after Run) (pairs []pair, alone []string) {
	old := before.Tried()
	now := after.Tried()
	var names []string
	for _, x := range slices.Concat(before.Results, after.Results) {
		names = append(names, x.Task)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		p := pair{name, meanOf(old, name), meanOf(now, name)}
		if p.before.n == 0 || p.after.n == 0 {
			alone = append(alone, name)
			continue
		}
		pairs = append(pairs, p)
	}
	return pairs, alone
}

func (m mean) share() string {
	switch {
	case m.n > 1:
		return fmt.Sprintf("%.0f/%d", m.solved*float64(m.n), m.n)
	case m.solved > 0:
		return "yes"
	}
	return "no"
}

func compareSolved(pairs []pair) string {
	var old, now float64
	var differences []float64
	for _, p := range pairs {
		old = old + p.before.solved
		now = now + p.after.solved
		differences = append(differences, p.after.solved-p.before.solved)
	}
	change := "as many"
	switch d := now - old; {
	case d > 0:
		change = number(d) + " more"
	case d < 0:
		change = number(-d) + " fewer"
	}
	return fmt.Sprintf("%s solved of %d (%s → %s): %s", change, len(pairs), number(old), number(now),
		judgeChance(differences))
}

// number formats f with one decimal only if f is not whole, as shares of repeated tasks may be.
func number(f float64) string {
	if math.Abs(f-math.Round(f)) < 1e-9 {
		return fmt.Sprintf("%.0f", f)
	}
	return fmt.Sprintf("%.1f", f)
}

// A measure is one figure of an attempt, with the words that compare it.
type measure struct {
	name, format, less, more string
	of                       func(mean) float64
}

func (m measure) compare(pairs []pair, each string) string {
	var old, now float64
	var differences []float64
	for _, p := range pairs {
		o := m.of(p.before)
		n := m.of(p.after)
		old = old + o
		now = now + n
		differences = append(differences, n-o)
	}
	change := "the same"
	switch share := 100 * (now - old) / old; {
	case old == 0 && now > 0:
		change = m.more
	case now > old:
		change = fmt.Sprintf("%.0f%% %s", share, m.more)
	case now < old:
		change = fmt.Sprintf("%.0f%% %s", -share, m.less)
	}
	n := float64(len(pairs))
	return fmt.Sprintf("%s "+m.format+" → "+m.format+" %s, %s: %s", m.name, old/n, now/n, each, change,
		judgeChance(differences))
}

// judgeChance returns in words whether the differences of pairs may be chance.
func judgeChance(differences []float64) string {
	differ := len(slices.DeleteFunc(slices.Clone(differences), func(d float64) bool { return d == 0 }))
	p := chance(differences)
	switch {
	case differ == 0:
		return "no task differs"
	case p < significance:
		return fmt.Sprintf("hardly chance (p = %s)", probability(p))
	case differ < minPairs:
		return fmt.Sprintf("could be chance (p = %s); too few tasks differ to tell", probability(p))
	}
	return fmt.Sprintf("could be chance (p = %s)", probability(p))
}

func probability(p float64) string {
	if p < 0.001 {
		return "0.001 or less"
	}
	return fmt.Sprintf("%.2g", p)
}
