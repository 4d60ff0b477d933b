package tool

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

// replace puts new where old is, once, or everywhere with all. Line ends of old and new
// are those of the file: a model sees and writes \n alone.
func replace(data []byte, old, new string, all bool) (out []byte, places int, err error) {
	switch {
	case old == "":
		return nil, 0, wrong("old is empty: give the text to replace, exactly as it is in the file. For a whole new file use write_file.")
	case old == new:
		return nil, 0, wrong("old and new are the same: there is nothing to change.")
	}
	from, to := []byte(old), []byte(new)
	places = bytes.Count(data, from)
	if crlf(data) && !strings.Contains(old, "\r\n") && !strings.Contains(new, "\r\n") {
		if wide := windows(old); places == 0 {
			from, places = wide, bytes.Count(data, wide)
		}
		to = windows(new)
	}
	switch {
	case places == 0:
		return nil, 0, nil
	case places > 1 && !all:
		return nil, places, wrongf("old is there %d times, on lines %s: add lines around it until it is the only one, or set all to change each.", places, lineList(data, from))
	}
	return bytes.ReplaceAll(data, from, to), places, nil
}

func windows(s string) []byte { return []byte(strings.ReplaceAll(s, "\n", "\r\n")) }

const maxLinesNamed = 10

// lineList is the numbers of the lines on which text begins.
func lineList(data, text []byte) string {
	var at []string
	line, pos := 1, 0
	for {
		i := bytes.Index(data[pos:], text)
		if i < 0 {
			break
		}
		if len(at) == maxLinesNamed {
			at = append(at, "…")
			break
		}
		line += bytes.Count(data[pos:pos+i], []byte{'\n'})
		at = append(at, fmt.Sprint(line))
		line += bytes.Count(text, []byte{'\n'})
		pos += i + len(text)
	}
	return strings.Join(at, ", ")
}

var numberedLine = regexp.MustCompile(`^\s*\d+\t`)

// nearest tells a model that missed what is really there: the lines that look most like
// what it was looking for, and what the difference may be.
func nearest(data []byte, old string) string {
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
	text, _, _ := numbered(have[:last], first+1, maxLinesNamed*4)
	hint := "The nearest lines are:"
	if score >= trimmedAlike*len(want) {
		hint = "These lines differ from it only in spaces, tabs or indentation:"
	}
	return hint + "\n" + text
}

const (
	trimmedAlike = 100  // score of a line that is the same but for the space around it
	maxCompared  = 3000 // characters of lines and lines of files whose likeness is looked at closely
)

// bestWindow is where as many lines as wanted look most like them. Equal lines are found
// by a table; only where there are none at all are characters compared.
func bestWindow(have, want []string) (at, score int) {
	index := map[string][]int{}
	for j, w := range want[:min(len(want), 200)] {
		if t := strings.TrimSpace(w); t != "" {
			index[t] = append(index[t], j)
		}
	}
	scores := map[int]int{}
	for i, h := range have {
		t := strings.TrimSpace(h)
		for _, j := range index[t] {
			// Long lines say more than brackets.
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
	return similarLine(have, want)
}

// exactScore lifts the score where each line of the window is the same but for space.
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

// similarLine is the line most like the longest one wanted, when they have much in common.
func similarLine(have, want []string) (at, score int) {
	j := 0
	for i, w := range want {
		if len(strings.TrimSpace(w)) > len(strings.TrimSpace(want[j])) {
			j = i
		}
	}
	pairs := bigrams(want[j])
	type candidate struct{ line, score int }
	var best candidate
	for i, h := range have {
		if s := likeness(pairs, h); s > best.score {
			best = candidate{i, s}
		}
	}
	if best.score < 50 {
		return 0, 0
	}
	return max(0, best.line-j), min(best.score, trimmedAlike-1)
}

func bigrams(s string) map[[2]byte]int {
	s = strings.TrimSpace(s)
	s = s[:min(len(s), maxCompared)]
	pairs := map[[2]byte]int{}
	for i := 0; i+1 < len(s); i++ {
		pairs[[2]byte{s[i], s[i+1]}]++
	}
	return pairs
}

// likeness is how many of a hundred pairs of characters two lines share.
func likeness(pairs map[[2]byte]int, line string) int {
	total := 0
	for _, n := range pairs {
		total += n
	}
	trimmed := len(strings.TrimSpace(line)) - 1
	if total == 0 || trimmed <= 0 || trimmed > 3*total+10 || total > 3*trimmed+10 {
		return 0
	}
	shared := 0
	for p, n := range bigrams(line) {
		shared += min(n, pairs[p])
	}
	return 200 * shared / (total + trimmed)
}
