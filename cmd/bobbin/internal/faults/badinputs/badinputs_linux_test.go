package badinputs

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A badBatch is one file of the corpus of bad inputs in testdata/bad, whose README describes the format. Its
// room names the test environment in which its cases run, so that each input arrives through the same
// interface as in production.
type badBatch struct {
	name  string
	room  string
	setup []badStep
	cases []*badCase
}

// A badCase is one bad input with the expected answer.
type badCase struct {
	batch  *badBatch
	at     int      // line number in the file
	lines  []string // lines of the list of bad inputs, such as R7
	name   string
	steps  []badStep
	faults []string // expectations that failed
	wants  int      // number of expectations that were checked
}

// A badStep is one line of a case: a verb and its arguments.
type badStep struct {
	at         int
	verb, rest string
}

// badRooms holds the functions that play batches, by room. They record the faults of each case. If off names
// a guard, that guard is disabled.
var badRooms = map[string]func(t *testing.T, batches []*badBatch, off string){
	"bench":  playAtTheBench,
	"model":  playWithTheModel,
	"remote": playWithTheRemote,
	"office": playInTheOffice,
}

// badList holds the number of lines in the list of bad inputs under each letter: from Slack (S), about
// approvals (A), in repositories (R), through tools (T), of models (M) and of git remotes (G).
var badList = map[string]int{"S": 20, "A": 20, "R": 24, "T": 16, "M": 15, "G": 5}

// fewestBad is the minimum number of cases in the corpus.
const fewestBad = 300

// TestBadInputs counts the cases of the corpus and plays them. In the office, where each case needs a session
// of its own, it plays the first of each line of the list in each file; BOBBIN_EVERY plays all.
// BOBBIN_BAD=word plays only the cases with the word in their file, line or name.
func TestBadInputs(t *testing.T) {
	t.Parallel()
	all := readBatches(t, "testdata/bad/?/*.txtar")
	countBad(t, all)
	rooms := map[string][]*badBatch{}
	for _, b := range all {
		if os.Getenv("BOBBIN_EVERY")+os.Getenv("BOBBIN_BAD") == "" && b.room == "office" &&
			!b.has("together") {
			b.oneOfEachLine()
		}
		if b.choose(os.Getenv("BOBBIN_BAD")); len(b.cases) > 0 {
			rooms[b.room] = append(rooms[b.room], b)
		}
	}
	for _, room := range slices.Sorted(maps.Keys(rooms)) {
		t.Run(room, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			badRooms[room](t, rooms[room], "")
			t.Logf("%s took %s", room, time.Since(began).Round(10*time.Millisecond))
			for _, b := range rooms[room] {
				for _, c := range b.cases {
					t.Run(c.title(), func(t *testing.T) { require.Empty(t, strings.Join(c.faults, "\n")) })
				}
			}
		})
	}
}

// Each case of testdata/bad/control expects a wrong answer and has to fail, which shows that the checks work.
func TestBadInputsWithWrongAnswersAreFoundOut(t *testing.T) {
	t.Parallel()
	for _, b := range readBatches(t, "testdata/bad/control/*.txtar") {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			badRooms[b.room](t, []*badBatch{b}, "")
			for _, c := range b.cases {
				require.NotEmpty(t, c.faults, "nothing was noticed of %s", c.title())
			}
		})
	}
}

// With a guard disabled, the chosen cases of the corpus have to fail.
func TestBadInputsAreFoundOutWithoutTheirGuards(t *testing.T) {
	t.Parallel()
	for off, few := range map[string]struct{ files, word string }{
		"what models write is escaped":       {"testdata/bad/S/words.txtar", "pings"},
		"one row for each event":             {"testdata/bad/S/again.txtar", "under the same event id"},
		"everybody is looked up":             {"testdata/bad/A/who.txtar", ": a guest"},
		"files are opened through the root":  {"testdata/bad/T/paths.txtar", "link"},
		"an answer has a reason to end":      {"testdata/bad/M/cut.txtar", "cut behind a call"},
		"what is large is cut":               {"testdata/bad/R/large.txtar", "one line"},
		"what a pack says of itself is held": {"testdata/bad/G/lies.txtar", "damaged"},
	} {
		t.Run(off, func(t *testing.T) {
			t.Parallel()
			list := readBatches(t, few.files)
			list[0].choose(few.word)
			require.NotEmpty(t, list[0].cases)
			badRooms[list[0].room](t, list, off)
			for _, c := range list[0].cases {
				t.Logf("%s: %q", c.title(), c.faults)
				require.NotEmpty(t, c.faults, "nothing was noticed of %s", c.title())
			}
		})
	}
}

// maxFaults limits the faults that are recorded for one case.
const maxFaults = 5

// countBad checks that every line of the list has a case, that no case names an unknown line, and that there
// are enough cases.
func countBad(t *testing.T, all []*badBatch) {
	t.Helper()
	lines := map[string]int{}
	letters := map[string]int{}
	total := 0
	for _, b := range all {
		for _, c := range b.cases {
			total++
			letters[c.lines[0][:1]]++
			for _, l := range c.lines {
				lines[l]++
			}
		}
	}
	var missing []string
	for _, letter := range slices.Sorted(maps.Keys(badList)) {
		var each []string
		for n := range badList[letter] {
			line := letter + strconv.Itoa(n+1)
			each = append(each, fmt.Sprintf("%s %d", line, lines[line]))
			if lines[line] == 0 {
				missing = append(missing, line)
			}
			delete(lines, line)
		}
		t.Logf("%s: %3d cases: %s", letter, letters[letter], strings.Join(each, ", "))
	}
	t.Logf("%d cases in %d files", total, len(all))
	require.Empty(t, missing, "lines of the list without a case")
	require.Empty(t, lines, "lines that the list does not have")
	require.GreaterOrEqual(t, total, fewestBad)
}

func readBatches(t *testing.T, pattern string) (list []*badBatch) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, names, pattern)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		b, err := parseBatch(name, string(text))
		require.NoError(t, err)
		list = append(list, b)
	}
	return list
}

// choose removes the cases whose title does not contain word.
func (b *badBatch) choose(word string) {
	b.cases = slices.DeleteFunc(b.cases, func(c *badCase) bool { return !strings.Contains(c.title(), word) })
}

// oneOfEachLine removes the cases whose lines of the list all have an earlier case in the file.
func (b *badBatch) oneOfEachLine() {
	known := map[string]bool{}
	b.cases = slices.DeleteFunc(b.cases, func(c *badCase) bool {
		again := true
		for _, line := range c.lines {
			again = again && known[line]
			known[line] = true
		}
		return again
	})
}

func (b *badCase) title() string {
	return fmt.Sprintf("%s %s: %s (%s:%d)", b.lines[0][:1], strings.Join(b.lines, ","), b.name,
		b.batch.name, b.at)
}

// wrong records a fault of a step.
func (b *badCase) wrong(s badStep, format string, args ...any) {
	if len(b.faults) < maxFaults {
		b.faults = append(b.faults, fmt.Sprintf("%s:%d: %s %s: ", b.batch.name, s.at, s.verb,
			shortened(s.rest, 80))+shortened(fmt.Sprintf(format, args...), 1000))
	}
}

// hold records a fault unless so is true, and counts the expectation if it is one of the case.
func (b *badCase) hold(s badStep, so bool, format string, args ...any) {
	if s.verb != "afterwards" {
		b.wants++
	}
	if !so {
		b.wrong(s, format, args...)
	}
}

// end records a fault if the case has stated no expectation.
func (b *badCase) end() {
	if b.wants == 0 {
		b.faults = append(b.faults, fmt.Sprintf("%s:%d: no answer is stated", b.batch.name, b.at))
	}
}
