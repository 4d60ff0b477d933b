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

// limits are the upper bounds for one package.
type limits struct {
	lines, functions, exported, methods, parameters, fields, longest int
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
			printLine("  a package, average", func(t tree) string { return fmt.Sprint(average(column(t.rooms, m.of))) })
			printLine("  a package, median", func(t tree) string { return fmt.Sprint(median(column(t.rooms, m.of))) })
			printLine("  a package, most", func(t tree) string {
				r := slices.MaxFunc(t.rooms, func(a, b *room) int { return cmp.Compare(m.of(a), m.of(b)) })
				return formatLargest(sizes{r.path: m.of(r)})
			})
		}
	}
	printLine("one-word", func(t tree) string { return formatPercent(t.oneWordShare()) })
	for _, p := range peaks {
		printLine(p.name, func(t tree) string { return formatLargest(t.largest(p.of)) })
	}
	table.Flush()
}

// printExcesses lists what exceeds the limits and returns the program's exit code: 1 if anything does, else 0.
func printExcesses(w io.Writer, trees []tree, l limits) int {
	code := 0
	for _, t := range trees {
		for _, r := range t.rooms {
			for _, c := range []struct {
				what  string
				sizes sizes
				most  int
			}{
				{"lines", sizes{"": r.lines}, l.lines},
				{"functions", sizes{"": r.functions}, l.functions},
				{"exported names", sizes{"": r.exported}, l.exported},
				{"methods", r.methods, l.methods},
				{"parameters", r.parameters, l.parameters},
				{"fields", r.fields, l.fields},
				{"lines a function", r.functionLines, l.longest},
			} {
				for _, name := range slices.Sorted(maps.Keys(c.sizes)) {
					if n := c.sizes[name]; n > c.most {
						code = 1
						fmt.Fprintf(w, "%s: %shas %d %s, at most %d\n", r.path, strings.TrimLeft(name+" ", " "), n, c.what, c.most)
					}
				}
			}
		}
	}
	return code
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

// oneWordShare returns how many functions have a name of one word, and how many functions there are.
func (t tree) oneWordShare() (part, whole int) {
	return total(column(t.rooms, func(r *room) int { return r.oneWord })), total(column(t.rooms, func(r *room) int { return r.functions }))
}

// largest returns the largest entry over all packages.
func (t tree) largest(of func(*room) sizes) sizes {
	var name string
	var n int
	for _, r := range t.rooms {
		if thisName, this := of(r).largest(); this > n {
			name, n = thisName, this
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
