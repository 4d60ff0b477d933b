package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// limits are the upper bounds of a tree. Packages without a comment and circles of wings are never allowed;
// that no packages import each other in a circle is held by the compiler.
type limits struct {
	columns int // of a line; 0 is any number
	packed  int // assignments of unrelated names in one, in the whole tree
	longest int // lines of a function
	p99     int // lines of the function that is longer than 99 of 100
}

// A measure is one column of numbers in the table.
type measure struct {
	name string
	of   func(*room) int
}

var measures = []measure{
	{"lines", func(r *room) int { return r.lines }},
	{"files", func(r *room) int { return r.files }},
	{"functions", func(r *room) int { return r.functions }},
	{"exported", func(r *room) int { return r.exported }},
	{"exported methods", func(r *room) int { return r.exportedMethods }},
	{"wide", func(r *room) int { return r.folder.countWide(110) }},
	{"packed", func(r *room) int { return r.packed }},
}

// wingMeasures counts over all wings of a tree.
var wingMeasures = []struct {
	name string
	of   func([]wing) int
}{
	{"wings", func(all []wing) int { return len(all) }},
	{
		"  packages that are open",
		func(all []wing) int { return sumWings(all, func(w wing) int { return w.open }) },
	},
	{"  doors", func(all []wing) int { return sumWings(all, func(w wing) int { return w.doors }) }},
	{
		"  imports between wings",
		func(all []wing) int { return sumWings(all, func(w wing) int { return len(w.imports) }) },
	},
}

func sumWings(all []wing, of func(wing) int) (sum int) {
	for _, w := range all {
		sum += of(w)
	}
	return sum
}

var peaks = []struct {
	name string
	of   func(*room) sizes
}{
	{"longest", func(r *room) sizes { return r.functionLines }},
	{"fields", func(r *room) sizes { return r.fields }},
	{"methods", func(r *room) sizes { return r.methods }},
	{"parameters", func(r *room) sizes { return r.parameters }},
}

// printTree prints a line for each package, then total, average and median.
func printTree(w io.Writer, t tree) {
	fmt.Fprintf(w, "%s\n\n", t.dir)
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	var heads []string
	for _, m := range measures {
		heads = append(heads, m.name)
	}
	heads = append(heads, "one-word")
	for _, p := range peaks {
		heads = append(heads, p.name)
	}
	writeRow(table, append([]string{"package"}, heads...)...)
	for _, r := range t.rooms {
		writeRow(table, describeRoom(r)...)
	}
	writeRow(table)
	for _, sum := range []struct {
		name string
		of   func([]int) int
	}{{"total", total}, {"average", average}, {"median", median}} {
		cells := []string{fmt.Sprintf("%s of %d", sum.name, len(t.rooms))}
		for _, m := range measures {
			cells = append(cells, fmt.Sprint(sum.of(column(t.rooms, m.of))))
		}
		if sum.name == "total" {
			cells = append(cells, formatPercent(t.oneWordShare()))
			for _, p := range peaks {
				cells = append(cells, formatLargest(t.largest(p.of)))
			}
		}
		writeRow(table, cells...)
	}
	printShares(table, t)
	if len(t.support) > 0 {
		writeRow(table)
		writeRow(table, "for tests (not counted above)")
		for _, r := range t.support {
			writeRow(table, describeRoom(r)...)
		}
	}
	table.Flush()
	fmt.Fprintln(w)
}

// printShares prints what is said of the tree's lines, functions and assignments as a whole.
func printShares(w io.Writer, t tree) {
	writeRow(w)
	for _, columns := range []int{100, 110, 160} {
		name := fmt.Sprintf("lines over %d columns", columns)
		writeRow(w, name, formatShare(t.countWide(columns), t.allLines()))
	}
	assignments := total(column(t.rooms, func(r *room) int { return r.assignments }))
	packed := total(column(t.rooms, func(r *room) int { return r.packed }))
	writeRow(w, "packed assignments", formatShare(packed, assignments))
	writeRow(w, "function lines, p99", fmt.Sprint(t.p99()))
}

// printComparison prints the totals of several trees beside each other.
func printComparison(w io.Writer, trees []tree) {
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	printLine := func(name string, cell func(tree) string) {
		cells := []string{name}
		for _, t := range trees {
			cells = append(cells, cell(t))
		}
		writeRow(table, cells...)
	}
	printLine("", func(t tree) string { return t.dir })
	printLine("packages", func(t tree) string { return fmt.Sprint(len(t.rooms)) })
	for _, m := range measures {
		printLine(m.name, func(t tree) string { return fmt.Sprint(total(column(t.rooms, m.of))) })
		if m.name != "files" {
			printLine("  a package, average",
				func(t tree) string { return fmt.Sprint(average(column(t.rooms, m.of))) })
			printLine("  a package, median",
				func(t tree) string { return fmt.Sprint(median(column(t.rooms, m.of))) })
			printLine("  a package, most", func(t tree) string {
				r := slices.MaxFunc(t.rooms, func(a, b *room) int { return cmp.Compare(m.of(a), m.of(b)) })
				return formatLargest(sizes{r.path: m.of(r)})
			})
		}
	}
	for _, columns := range []int{100, 110, 160} {
		printLine(fmt.Sprintf("lines over %d columns", columns), func(t tree) string {
			return formatShare(t.countWide(columns), t.allLines())
		})
	}
	printLine("packed assignments", func(t tree) string {
		packed := total(column(t.rooms, func(r *room) int { return r.packed }))
		return formatShare(packed, total(column(t.rooms, func(r *room) int { return r.assignments })))
	})
	for _, m := range wingMeasures {
		printLine(m.name, func(t tree) string { return fmt.Sprint(m.of(t.wings())) })
	}
	printLine("function lines, p99", func(t tree) string { return fmt.Sprint(t.p99()) })
	printLine("one-word", func(t tree) string { return formatPercent(t.oneWordShare()) })
	for _, p := range peaks {
		printLine(p.name, func(t tree) string { return formatLargest(t.largest(p.of)) })
	}
	table.Flush()
}

// printExcesses lists what exceeds the limits and returns the program's exit code:
// 1 if anything does, else 0.
func printExcesses(w io.Writer, trees []tree, l limits) int {
	code := 0
	for _, t := range trees {
		for _, line := range t.excesses(l) {
			code = 1
			fmt.Fprintln(w, line)
		}
	}
	return code
}

// excesses describes everything in the tree that exceeds the limits, one line each.
func (t tree) excesses(l limits) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, f := range t.folders {
		for _, line := range f.wide {
			if l.columns > 0 && line.columns > l.columns {
				add("%s: %d columns, at most %d", line.place, line.columns, l.columns)
			}
		}
	}
	if packed := t.packings(); len(packed) > l.packed {
		for _, place := range packed {
			add("%s: assigns several unrelated names at once", place)
		}
		if l.packed > 0 {
			add("%d assignments of several unrelated names, at most %d", len(packed), l.packed)
		}
	}
	for _, r := range t.rooms {
		for _, name := range slices.Sorted(maps.Keys(r.functionLines)) {
			if n := r.functionLines[name]; n > l.longest {
				add("%s: %s has %d lines, at most %d", r.path, name, n, l.longest)
			}
		}
	}
	if n := t.p99(); n > l.p99 {
		add("one of 100 functions has more than %d lines; allowed are %d", n, l.p99)
	}
	for _, r := range slices.Concat(t.rooms, t.support) {
		if !r.commented {
			add("%s: no file has a package comment", r.path)
		}
	}
	if circle := findCircle(t.wings()); circle != nil {
		add("wings import each other in a circle: %s", strings.Join(circle, " -> "))
	}
	return lines
}

// printWings prints a line for each wing, then the total.
func printWings(w io.Writer, t tree) {
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	writeRow(table, "wing", "packages", "open", "doors", "imports the wings")
	wings := t.wings()
	var rooms, open, doors, arrows int
	for _, wing := range wings {
		rooms += len(wing.rooms)
		open += wing.open
		doors += wing.doors
		arrows += len(wing.imports)
		writeRow(table, wing.path, fmt.Sprint(len(wing.rooms)), fmt.Sprint(wing.open), fmt.Sprint(wing.doors),
			strings.Join(wing.imports, " "))
	}
	writeRow(table)
	writeRow(table, fmt.Sprintf("total of %d", len(wings)), fmt.Sprint(rooms), fmt.Sprint(open),
		fmt.Sprint(doors),
		fmt.Sprintf("%d times", arrows))
	table.Flush()
	fmt.Fprintln(w)
}

func describeRoom(r *room) []string {
	cells := []string{r.path}
	for _, m := range measures {
		cells = append(cells, fmt.Sprint(m.of(r)))
	}
	cells = append(cells, formatPercent(r.oneWord, r.functions))
	for _, p := range peaks {
		cells = append(cells, formatLargest(p.of(r)))
	}
	return cells
}

func writeRow(w io.Writer, cells ...string) { fmt.Fprintln(w, strings.Join(cells, "\t")) }

// formatLargest returns the largest number, followed by the name that has it.
func formatLargest(s sizes) string {
	name, n := s.largest()
	return strings.TrimSpace(fmt.Sprintf("%d %s", n, name))
}

func formatPercent(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%d %%", (100*part+whole/2)/whole)
}

// formatShare returns the number and its share of all, with one decimal.
func formatShare(part, whole int) string {
	return fmt.Sprintf("%d, %.1f %%", part, 100*float64(part)/float64(max(1, whole)))
}

// countWide returns how many lines have more columns than that.
func (t tree) countWide(columns int) (n int) {
	for _, f := range t.folders {
		n += f.countWide(columns)
	}
	return n
}

// packings returns the places of all packed assignments, also those of tests.
func (t tree) packings() (places []string) {
	for _, f := range t.folders {
		places = append(places, f.packings...)
	}
	return places
}

// p99 returns the lines of the function that is longer than 99 of 100.
func (t tree) p99() int {
	var lengths []int
	for _, r := range t.rooms {
		lengths = append(lengths, r.lengths...)
	}
	if len(lengths) == 0 {
		return 0
	}
	slices.Sort(lengths)
	return lengths[(len(lengths)-1)*99/100]
}

// oneWordShare returns how many functions have a name of one word, and how many functions there are.
func (t tree) oneWordShare() (part, whole int) {
	part = total(column(t.rooms, func(r *room) int { return r.oneWord }))
	whole = total(column(t.rooms, func(r *room) int { return r.functions }))
	return part, whole
}

// largest returns the largest entry over all packages.
func (t tree) largest(of func(*room) sizes) sizes {
	var name string
	var n int
	for _, r := range t.rooms {
		if thisName, this := of(r).largest(); this > n {
			name = thisName
			n = this
		}
	}
	return sizes{name: n}
}

func column(rooms []*room, of func(*room) int) (out []int) {
	for _, r := range rooms {
		out = append(out, of(r))
	}
	return out
}

func total(numbers []int) (sum int) {
	for _, n := range numbers {
		sum += n
	}
	return sum
}

func average(numbers []int) int { return (total(numbers) + len(numbers)/2) / len(numbers) }

func median(numbers []int) int {
	sorted := slices.Sorted(slices.Values(numbers))
	middle := len(sorted) / 2
	if len(sorted)%2 == 0 {
		return (sorted[middle-1] + sorted[middle]) / 2
	}
	return sorted[middle]
}
