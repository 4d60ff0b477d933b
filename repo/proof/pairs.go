package proof

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git/diff"
)

// A pairFinder finds the lines of the change that changed what a test expects.
type pairFinder struct{ forms []oldForm }

// A pair is an old line and the new line in its place. Lines count from 1; a line that does not exist is 0.
type pair struct {
	file     oldForm
	was, is  string
	old, now int
}

// pairsOf returns the lines that a file's change replaces. A line without a partner is a pair with an empty side.
func pairsOf(f oldForm) (pairs []pair) {
	old, now, edits := diff.LineEdits([]byte(f.was), []byte(f.is))
	for _, e := range edits {
		taken := map[int]bool{}
		for i := e.Lo; i < e.Hi; i++ {
			p := pair{file: f, was: strings.TrimSpace(old[i]), old: i + 1}
			if j := partner(old[i], now, e, i, taken); j >= 0 {
				taken[j] = true
				p.is, p.now = strings.TrimSpace(now[j]), j+1
			}
			pairs = append(pairs, p)
		}
		for j := e.NewLo; j < e.NewHi; j++ {
			if !taken[j] {
				pairs = append(pairs, pair{file: f, is: strings.TrimSpace(now[j]), old: -e.Lo, now: j + 1})
			}
		}
	}
	return slices.DeleteFunc(pairs, func(p pair) bool { return isPlain(p.was) && isPlain(p.is) || p.was == p.is })
}

// isPlain reports whether a line has no word, or is a comment.
func isPlain(line string) bool {
	return !strings.ContainsFunc(line, func(r rune) bool { return wordCharacter.MatchString(string(r)) || r > 127 }) ||
		strings.HasPrefix(line, "//") || strings.HasPrefix(line, "# ")
}

// partner returns the index of the added line that is most like an old one, or -1 if none is like it.
func partner(line string, now []string, e diff.LineEdit, i int, taken map[int]bool) int {
	n := e.Hi - e.Lo
	if at := e.NewLo + i - e.Lo; n == e.NewHi-e.NewLo && !taken[at] && (n == 1 || likeness(line, now[at]) > 0) {
		return at
	}
	best, most := -1, len(strings.TrimSpace(line))/3
	for j := e.NewLo; j < e.NewHi; j++ {
		if n := likeness(line, now[j]); !taken[j] && n > most {
			best, most = j, n
		}
	}
	return best
}

// likeness returns how many bytes two lines share at their beginning and at their end.
func likeness(a, b string) int {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return head + tail
}

// outputPlace matches a place in the output of a runner: file:12, and Python's form of it.
var outputPlace = regexp.MustCompile(`([\w./-]+\.\w+)(?::|", line )(\d+)`)

// assertion matches a line that checks something.
var assertion = regexp.MustCompile(
	`(?i)assert|expect|require|want|should|must|equal|[!=<>]=|[<>]|\bok\b|\bis\b|^\W*[\["'\d]`,
)

// message matches a line that only says that a test failed.
var message = regexp.MustCompile(
	`(?i)^(?:t|b|tb)\.(?:error|fatal|log|fail)|^(?:print|console\.|fail|echo|diag|note|raise |throw |panic)`,
)

func asserts(line string) bool {
	return assertion.MatchString(line) && !message.MatchString(line) && !testStart.MatchString(line)
}

// locate sets the lines of an expectation. unit is the test that k is a case of.
func (f pairFinder) locate(e *Expectation, k, unit key, output string) {
	all := f.candidates()
	p, named := namedPair(all, k, unit)
	ok := named
	if !ok {
		p, ok = f.nearOutput(all, output)
	}
	if !ok {
		p, ok = f.inTest(all, unit.name)
	}
	if !ok {
		p, ok = f.besideTests(all, unit.name)
	}
	switch file, found := f.holder(unit.name); {
	case e.Kind == ExpectationRemoved && found:
		e.Place = fmt.Sprintf("%s:%d", file.path, file.line)
		return
	case !ok:
		return
	}
	if !named && e.Kind != ExpectationRemoved {
		e.More = f.moreLines(all, p)
	}
	e.Was, e.Now, e.Values = differing(p.was, p.is, project.IsExpected(p.file.path))
	line := p.now
	if line == 0 {
		line = p.old
	}
	e.Place = fmt.Sprintf("%s:%d", p.file.path, line)
}

// candidates returns the pairs of all files, those of tests first.
func (f pairFinder) candidates() (all []pair) {
	for _, form := range f.forms {
		if form.kind != "added" || project.SetsUpTests(form.path) {
			all = append(all, pairsOf(form)...)
		}
	}
	return all
}

// words replaces what runners replace in the names of cases.
var words = strings.NewReplacer("_", " ")

// namedPair returns the pair whose old line has the name of a case, such as the row of a table.
func namedPair(all []pair, k, unit key) (pair, bool) {
	if k == unit || k.name == "" {
		return pair{}, false
	}
	name := strings.TrimPrefix(strings.TrimPrefix(k.name, unit.name), "/")
	name = strings.Trim(name, "[]")
	if name == "" || strings.Trim(name, "0123456789#") == "" {
		return pair{}, false
	}
	i := slices.IndexFunc(all, func(p pair) bool {
		return strings.Contains(p.was, name) || strings.Contains(words.Replace(p.was), words.Replace(name))
	})
	if i < 0 {
		return pair{}, false
	}
	return all[i], true
}

// maxApart is how many lines a changed line may be apart from the place that a test names.
const maxApart = 12

// nearOutput returns the pair nearest to a place that the output names.
func (f pairFinder) nearOutput(all []pair, output string) (best pair, found bool) {
	least := maxApart + 1
	for _, m := range outputPlace.FindAllStringSubmatch(output, 50) {
		line, err := strconv.Atoi(m[2])
		if err != nil {
			continue
		}
		for _, p := range all {
			if path.Base(p.file.path) != path.Base(m[1]) {
				continue
			}
			at := max(p.old, -p.old)
			apart := max(at-line, line-at)
			if !asserts(p.was) && !asserts(p.is) {
				apart += maxApart / 2
			}
			if apart < least && f.sameTest(p.file, at, line) {
				best, found, least = p, true, apart
			}
		}
	}
	return best, found
}

// moreLines returns how many other lines that check something changed in the test of p.
func (f pairFinder) moreLines(all []pair, p pair) (n int) {
	for _, o := range all {
		other := o.file.path == p.file.path && o != p && (asserts(o.was) || asserts(o.is))
		if other && f.sameTest(p.file, max(p.old, -p.old), max(o.old, -o.old)) {
			n++
		}
	}
	return n
}

// testStart matches the first line of a test in the usual languages, and of anything else at the same depth.
var testStart = regexp.MustCompile(
	`^\s*(?:func |(?:async )?def |class |(?:export )?(?:async )?function |(?:pub )?(?:async )?fn |sub |` +
		`subtest |(?:describe|it|test|suite|context|specify)(?:\.\w+)*\s*\()`,
)

// sameTest reports whether no test begins between two lines of a file of the base.
func (f pairFinder) sameTest(file oldForm, a, b int) bool {
	lines := strings.Split(file.was, "\n")
	lo, hi := min(a, b), max(a, b)
	for i := max(lo, 0); i < hi && i < len(lines); i++ {
		if testStart.MatchString(lines[i]) {
			return false
		}
	}
	return true
}

// A holding is a file and the line in it with which a test begins on the base.
type holding struct {
	oldForm
	line int // from 1
}

// holder returns the file that holds a test on the base.
func (f pairFinder) holder(test string) (holding, bool) {
	name := lastWord(test)
	if name == "" {
		return holding{}, false
	}
	for _, form := range f.forms {
		if form.was == "" {
			continue
		}
		for i, line := range strings.Split(form.was, "\n") {
			if at := strings.Index(line, name); at >= 0 && !wordAt(line, at+len(name)) &&
				(at == 0 || !wordAt(line, at-1)) {
				return holding{form, i + 1}, true
			}
		}
	}
	return holding{}, false
}

var wordCharacter = regexp.MustCompile(`\w`)

func wordAt(line string, i int) bool {
	return i < len(line) && wordCharacter.MatchString(line[i:i+1])
}

// lastWord returns the last part of a test's name, as its file has it.
func lastWord(test string) string {
	for _, sep := range []string{" > ", " › ", "::"} {
		if i := strings.LastIndex(test, sep); i >= 0 {
			test = test[i+len(sep):]
		}
	}
	if !strings.Contains(test, " ") {
		test = test[strings.LastIndexByte(test, '.')+1:]
	}
	return test
}

// inTest returns a pair within the lines of the test.
func (f pairFinder) inTest(all []pair, test string) (best pair, found bool) {
	h, ok := f.holder(test)
	if !ok {
		return pair{}, false
	}
	lines := strings.Split(h.was, "\n")
	end := h.line
	for end < len(lines) && !testStart.MatchString(lines[end]) {
		end++
	}
	for _, p := range all {
		at := max(p.old, -p.old)
		if p.file.path != h.path || at < h.line || at > end {
			continue
		}
		if !found || (asserts(p.was) || asserts(p.is)) && !asserts(best.was) && !asserts(best.is) {
			best, found = p, true
		}
	}
	return best, found
}

// besideTests returns the first pair of a file that no test is in: a golden file, a helper, settings.
func (f pairFinder) besideTests(all []pair, test string) (pair, bool) {
	if _, inFile := f.holder(test); inFile && len(f.forms) == 1 {
		return pair{}, false
	}
	for _, wanted := range []func(file string) bool{project.IsExpected, func(string) bool { return true }} {
		i := slices.IndexFunc(all, func(p pair) bool { return wanted(p.file.path) })
		if i >= 0 {
			return all[i], true
		}
	}
	return pair{}, false
}

// token matches a literal, a word or a single character.
var token = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`|-?[\\w.$]+|\\s+|[^\\s\\w]")

// The longest value and the longest line that are shown.
const (
	maxValue = 40
	maxLine  = 100
)

// differing returns in what two lines differ, if that is a value in both; otherwise it returns the lines. A whole line
// may be a value only if whole is set.
func differing(was, is string, whole bool) (a, b string, values bool) {
	old, now := token.FindAllString(was, -1), token.FindAllString(is, -1)
	head := 0
	for head < len(old) && head < len(now) && old[head] == now[head] {
		head++
	}
	tail := 0
	for tail < len(old)-head && tail < len(now)-head && old[len(old)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	a = strings.TrimSpace(strings.Join(old[head:len(old)-tail], ""))
	b = strings.TrimSpace(strings.Join(now[head:len(now)-tail], ""))
	if isValue(a) && isValue(b) && (whole || head+tail > 0) {
		return a, b, true
	}
	return cutLine(was), cutLine(is), false
}

// isValue reports whether a text may be a value: short, with a word, and without an operator.
func isValue(s string) bool {
	return s != "" && len(s) <= maxValue && !isPlain(s) && !strings.ContainsAny(s, "!=<>&|{}();,")
}

func cutLine(s string) string {
	if runes := []rune(s); len(runes) > maxLine {
		return string(runes[:maxLine]) + "…"
	}
	return s
}

// renamed returns the test of the branch whose first line replaces the first line of a test that is gone.
func (f pairFinder) renamed(unit key, base, branch index) (key, bool) {
	name := lastWord(unit.name)
	for _, p := range f.candidates() {
		if p.is == "" || !strings.Contains(p.was, name) || !testStart.MatchString(p.was) {
			continue
		}
		for u := range branch.units {
			if to := lastWord(u.name); u.group == unit.group && len(base.units[u]) == 0 && to != "" &&
				strings.Contains(p.is, to) {
				return u, true
			}
		}
	}
	return key{}, false
}
