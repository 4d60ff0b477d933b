package evidence

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
)

var (
	// runFirst matches a source that begins with the number of a run: "run 7", "the output of run 7".
	runFirst = regexp.MustCompile("(?i)^[`\"(]*(?:(?:the )?output of )?(?:run|check) #?\\d{1,6}\\b")
	runNamed = regexp.MustCompile(`(?i)\b(?:run|check) #?(\d{1,6})\b`)
)

// RunsIn returns the numbers of the runs that a source names, if it begins with one.
func RunsIn(source string) (numbers []int) {
	source = strings.TrimSpace(source)
	if !runFirst.MatchString(source) {
		return nil
	}
	for _, m := range runNamed.FindAllStringSubmatch(source, -1) {
		n, _ := strconv.Atoi(m[1])
		numbers = append(numbers, n)
	}
	return numbers
}

// run returns the command or the check with that number.
func (p Past) run(number int) (progress.Command, bool) {
	i := slices.IndexFunc(p.Commands, func(c progress.Command) bool { return c.Number == number })
	if i < 0 || number == 0 {
		return progress.Command{}, false
	}
	return p.Commands[i], true
}

// unknownRuns returns those of the numbers that no run has: "run 9".
func (p Past) unknownRuns(numbers []int) (unknown []string) {
	for _, n := range numbers {
		if _, ok := p.run(n); !ok {
			unknown = append(unknown, fmt.Sprintf("run %d", n))
		}
	}
	return unknown
}

// WithRuns returns a source in which each run that it names by its number is followed by what was run and
// how it ended: "run 7 (`go test ./money`, exit code 1)". Other sources are returned as they are, and those
// that name a run that does not exist.
func (p Past) WithRuns(source string) string {
	if len(RunsIn(source)) == 0 {
		return source
	}
	if len(p.unknownRuns(RunsIn(source))) > 0 {
		return source
	}
	source = strings.Trim(strings.TrimSpace(source), "`")
	return runNamed.ReplaceAllStringFunc(source, func(named string) string {
		n, _ := strconv.Atoi(runNamed.FindStringSubmatch(named)[1])
		c, _ := p.run(n)
		return fmt.Sprintf("run %d (%s)", n, describeRun(c))
	})
}

// maxCheckText is how many characters of a check's result are shown.
const maxCheckText = 160

// describeRun says in one line what was run and how it ended.
func describeRun(c progress.Command) string {
	if c.Command == "" {
		return "a check: " + plaintext.CutLine(plaintext.OneLine(c.Output), maxCheckText)
	}
	ended := fmt.Sprintf("exit code %d", c.ExitCode)
	if c.ExitCode == -1 {
		ended = "stopped"
	}
	return findings.CommandName(c.Command) + ", " + ended
}
