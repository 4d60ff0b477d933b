package pullrequests

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store/ciproof"
)

const (
	ciStart = 15 * time.Minute // for the first check of a commit to begin
	ciLimit = 3 * time.Hour    // for all of them to end
)

// checkSet holds the names of a commit's checks by how they stand, each in order. A check of which there are
// several runs is as the worst of them.
type checkSet struct {
	passed, failed, pending []string
	cancelled               []string
	idle                    []string // they showed nothing, as: deploy (skipped)
}

// sortChecks returns the checks by how they stand. Checks that are about people and not about code are left
// out.
func sortChecks(all []host.Check) (s checkSet) {
	worst := map[string]int{}
	words := map[string]string{}
	for _, c := range all {
		name := plaintext.SafeLine(c.Name, 80)
		if name == "" || aboutPeople.MatchString(name) {
			continue
		}
		kind := standing(c)
		if before, known := worst[name]; !known || kind > before {
			worst[name] = kind
		}
		if c.Inconclusive != "" {
			words[name] = name + " (" + plaintext.SafeLine(c.Inconclusive, 40) + ")"
		}
	}
	for name, kind := range worst {
		switch kind {
		case isFailed:
			s.failed = append(s.failed, name)
		case isPending:
			s.pending = append(s.pending, name)
		case isCancelled:
			s.cancelled = append(s.cancelled, name)
		case isPassed:
			s.passed = append(s.passed, name)
		default:
			s.idle = append(s.idle, words[name])
		}
	}
	for _, list := range [][]string{s.passed, s.failed, s.pending, s.cancelled, s.idle} {
		slices.Sort(list)
	}
	return s
}

// How a check stands, the worse the larger.
const (
	isIdle = iota
	isPassed
	isCancelled
	isPending
	isFailed
)

func standing(c host.Check) int {
	switch {
	case c.State == host.Failed:
		return isFailed
	case unended(c):
		return isPending
	case strings.HasPrefix(c.Inconclusive, "cancel") || c.Inconclusive == "stale":
		return isCancelled
	case c.Inconclusive != "":
		return isIdle
	}
	return isPassed
}

// aboutPeople matches the names of checks that look at the author or the title and run no code.
var aboutPeople = regexp.MustCompile(
	`(?i)^(?:license/)?cla\b|^(?:DCO|easycla|cla-bot|semantic[- ]pull[- ]request)$`)

// A sighting is what one look found.
type sighting struct {
	checks  checkSet // of the pushed commit
	tests   checkSet // of the branch with the new tests alone
	settled bool     // the checks have been as they are for a while, so none comes late
	now     time.Time
}

// A ruling is how a proof by CI ends.
type ruling struct {
	state  string // ciproof.Waiting: not yet
	reason string // in words, without a full stop
	checks checkSet
	red    []string // checks that pass on the fix and fail on the new tests alone
}

// rule says what the checks show. It says that they prove the commit only if one passed, none failed, was
// cancelled or is pending, and, where a branch with the new tests alone was pushed, if these do not pass
// there.
func rule(row ciproof.Row, s sighting) ruling {
	r := ruling{state: ciproof.Waiting, checks: s.checks}
	unproven := func(reason string) ruling {
		r.state = ciproof.Unproven
		r.reason = reason
		return r
	}
	waited := s.now.Sub(row.At)
	ran := len(s.checks.passed) + len(s.checks.failed) + len(s.checks.cancelled)
	switch {
	case len(s.checks.pending) > 0 && waited >= ciLimit:
		return unproven("after " + plaintext.FormatDuration(ciLimit) + " not all checks have ended: " +
			names(s.checks.pending))
	case len(s.checks.pending) > 0:
		return r
	case ran == 0 && waited < ciStart:
		return r
	case ran == 0 && len(s.checks.idle) > 0:
		return unproven("none of its checks ran: " + names(s.checks.idle))
	case ran == 0:
		return unproven("no checks started within " + plaintext.FormatDuration(ciStart))
	case !s.settled:
		return r
	case len(s.checks.failed) > 0:
		r.state = ciproof.Failed
		r.reason = names(s.checks.failed) + " failed"
		return r
	case len(s.checks.cancelled) > 0:
		return unproven("not all checks ran to their end: " + names(s.checks.cancelled) + " was cancelled")
	}
	return r.withTests(row, s)
}

// withTests returns the ruling on a commit whose checks passed, by those of the branch with the new tests
// alone.
func (r ruling) withTests(row ciproof.Row, s sighting) ruling {
	passed := r
	passed.state = ciproof.Passed
	switch row.TestsState {
	case ciproof.TestsNone:
		passed.reason = "nothing was seen to fail without the change"
		return passed
	case ciproof.TestsRefused:
		passed.reason = "the new tests alone could not be pushed (" + row.TestsReason + ")"
		return passed
	case ciproof.TestsPushed:
	default: // it is to be made and pushed
		if s.now.Sub(row.At) < ciLimit {
			return r
		}
		passed.reason = "the new tests alone could not be pushed in time"
		return passed
	}
	for _, name := range s.tests.failed {
		if slices.Contains(s.checks.passed, name) {
			passed.red = append(passed.red, name)
		}
	}
	if len(passed.red) > 0 {
		return passed
	}
	return r.withoutRed(row, s)
}

// withoutRed returns the ruling while no check fails on the new tests alone.
func (r ruling) withoutRed(row ciproof.Row, s sighting) ruling {
	missing := slices.DeleteFunc(slices.Clone(s.checks.passed),
		func(name string) bool { return slices.Contains(s.tests.passed, name) })
	waited := s.now.Sub(row.TestsAt)
	if len(missing) == 0 && s.settled {
		r.state = ciproof.Unproven
		r.reason = "the new tests pass on " + row.Base + " too in CI: they show nothing"
		return r
	}
	if len(s.tests.pending) > 0 && waited < ciLimit || waited < ciStart {
		return r
	}
	r.state = ciproof.Passed
	r.reason = "whether the new tests fail without the change is not known: " + names(missing) +
		" did not run to an end for them alone"
	return r
}

// maxNames is how many checks a line names.
const maxNames = 10

func names(list []string) string { return plaintext.FirstOf(list, maxNames) }
