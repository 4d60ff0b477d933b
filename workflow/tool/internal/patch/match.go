package patch

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// ReplaceText replaces old by new: in its only place, or in all places if all is set. A model sees and writes
// lines that end in \n: in old, \n matches any line end of the file; in new, it becomes the line end that
// most lines of the file have. ReplaceText returns 0 places if old is not in data.
func ReplaceText(data []byte, old, new string, all bool) (out []byte, places int, err error) {
	switch {
	case old == "":
		return nil, 0, model.Mistake("old is empty: give the text to replace, exactly as it is in the file. For a whole new file use write_file.")
	case old == new:
		return nil, 0, model.Mistake("old and new are the same: there is nothing to change.")
	}
	found := findSpans(data, old)
	switch {
	case len(found) == 0:
		return nil, 0, nil
	case len(found) > 1 && !all:
		return nil, len(found), model.Mistakef("old is there %d times, on lines %s: add lines around it until it is the only one, or set all to change each.", len(found), listLines(data, found))
	}
	to := []byte(new)
	if workfile.HasCRLF(data) && !strings.Contains(old+new, "\r") {
		to = workfile.ToCRLF(new)
	}
	last := 0
	for _, s := range found {
		out = append(append(out, data[last:s.from]...), to...)
		last = s.to
	}
	return append(out, data[last:]...), len(found), nil
}

type span struct{ from, to int }

// findSpans returns the places of a text, without overlaps. Line ends of both kinds match, unless the text
// holds a carriage return.
func findSpans(data []byte, text string) (found []span) {
	flat := data
	if !strings.Contains(text, "\r") {
		flat = bytes.ReplaceAll(data, []byte("\r\n"), []byte{'\n'})
	}
	// in and at are the same position, in flat and in data.
	in, at := 0, 0
	place := func(to int) int {
		for ; in < to; in++ {
			if len(flat) < len(data) && data[at] == '\r' && at+1 < len(data) && data[at+1] == '\n' {
				at++
			}
			at++
		}
		return at
	}
	for pos := 0; ; {
		i := bytes.Index(flat[pos:], []byte(text))
		if i < 0 {
			return found
		}
		pos += i
		from := place(pos)
		pos += len(text)
		found = append(found, span{from, place(pos)})
	}
}

const maxLinesNamed = 10

// listLines returns the numbers of the lines on which the spans begin.
func listLines(data []byte, found []span) string {
	var at []string
	for _, s := range found[:min(len(found), maxLinesNamed)] {
		at = append(at, fmt.Sprint(1+bytes.Count(data[:s.from], []byte{'\n'})))
	}
	if len(found) > maxLinesNamed {
		at = append(at, "…")
	}
	return strings.Join(at, ", ")
}

var numberedLine = regexp.MustCompile(`^\s*\d+\t`)

// DescribeNearest tells a model whose old text is not in the file what is there: the lines that are most like
// that text, and what the difference may be.
func DescribeNearest(data []byte, old string) string {
	have := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	want := strings.Split(strings.Trim(old, "\r\n"), "\n")
	if numberedLine.MatchString(want[0]) {
		return "old seems to hold the line numbers that read_file shows: leave them and the tab after them out."
	}
	at, score := bestWindow(have, want)
	if score == 0 {
		return "Nothing in the file looks like it: read the file again, or search for where the text is."
	}
	first, last := max(0, at-1), min(len(have), at+min(len(want), 30)+1)
	text, _, _ := workfile.NumberLines(have[:last], first+1, maxLinesNamed*4)
	hint := "The nearest lines are:"
	if score >= trimmedAlike*len(want) {
		hint = "These lines differ from it only in spaces, tabs or indentation:"
	}
	return hint + "\n" + text
}

const (
	trimmedAlike = 100  // score of a line that differs only in the space around it
	maxCompared  = 3000 // characters of a line that are compared
	maxAlike     = 4    // limit of equal lines, such as brackets, that count
)

// bestWindow returns where the lines most like want begin, and their score. Equal lines are found by a table;
// only if there are none are characters compared.
func bestWindow(have, want []string) (at, score int) {
	index := map[string][]int{}
	for j, w := range want[:min(len(want), 200)] {
		if t := strings.TrimSpace(w); t != "" && len(index[t]) < maxAlike {
			index[t] = append(index[t], j)
		}
	}
	scores := map[int]int{}
	for i, h := range have {
		t := strings.TrimSpace(h)
		for _, j := range index[t] {
			// Long lines count for more than brackets.
			scores[i-j] += trimmedAlike/2 + min(len(t), trimmedAlike/2)
		}
	}
	for i, s := range scores {
		if i >= 0 && (s > score || s == score && i < at) {
			at, score = i, s
		}
	}
	if score > 0 {
		return at, exactScore(have, want, at, score)
	}
	return findSimilarLine(have, want)
}

// exactScore returns the full score if all lines of the window differ only in space, else at most one less.
func exactScore(have, want []string, at, score int) int {
	if at+len(want) > len(have) {
		return score
	}
	for j, w := range want {
		if strings.TrimSpace(w) != strings.TrimSpace(have[at+j]) {
			return min(score, trimmedAlike*len(want)-1)
		}
	}
	return trimmedAlike * len(want)
}

// findSimilarLine finds the line most like the longest wanted line, if they have much in common.
func findSimilarLine(have, want []string) (at, score int) {
	j := 0
	for i, w := range want {
		if len(strings.TrimSpace(w)) > len(strings.TrimSpace(want[j])) {
			j = i
		}
	}
	pairs := countBigrams(want[j])
	type candidate struct{ line, score int }
	var best candidate
	for i, h := range have {
		if s := lineLikeness(pairs, h); s > best.score {
			best = candidate{i, s}
		}
	}
	if best.score < 50 {
		return 0, 0
	}
	return max(0, best.line-j), min(best.score, trimmedAlike-1)
}

func countBigrams(s string) map[[2]byte]int {
	s = strings.TrimSpace(s)
	s = s[:min(len(s), maxCompared)]
	pairs := map[[2]byte]int{}
	for i := 0; i+1 < len(s); i++ {
		pairs[[2]byte{s[i], s[i+1]}]++
	}
	return pairs
}

// lineLikeness returns the percentage of character pairs that two lines share.
func lineLikeness(pairs map[[2]byte]int, line string) int {
	total := 0
	for _, n := range pairs {
		total += n
	}
	trimmed := len(strings.TrimSpace(line)) - 1
	if total == 0 || trimmed <= 0 || trimmed > 3*total+10 || total > 3*trimmed+10 {
		return 0
	}
	shared := 0
	for p, n := range countBigrams(line) {
		shared += min(n, pairs[p])
	}
	return 200 * shared / (total + trimmed)
}
