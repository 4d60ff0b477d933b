package eval

import (
	"fmt"
	"regexp"
	"sync"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/eval/report"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/eval/suite"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A meter counts the model calls, tokens and cost of an attempt, and stops it at the task's limits.
type meter struct {
	limits suite.Limits
	stop   func(error)

	mu   sync.Mutex
	used report.Use
}

// count adds one model answer to a prompt of sent bytes, and stops the attempt when a limit is reached.
func (m *meter) count(sent int, r model.Response) {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := &m.used
	u.Steps++
	u.PromptBytes += sent
	u.Input = u.Input + r.Usage.Input
	u.Cached = u.Cached + r.Usage.Cached
	u.Output = u.Output + r.Usage.Output
	u.USD += r.Usage.USD
	u.Estimated = u.Estimated || r.Usage.Estimated
	switch {
	case u.Steps >= m.limits.Steps:
		m.stop(fmt.Errorf("it took %s", plaintext.CountNoun(u.Steps, "step")))
	case m.limits.USD > 0 && u.USD >= m.limits.USD:
		m.stop(fmt.Errorf("it took %.2f USD", u.USD))
	}
}

// add copies the counts into u and keeps u.Seconds.
func (m *meter) add(u *report.Use) {
	m.mu.Lock()
	defer m.mu.Unlock()
	seconds := u.Seconds
	*u = m.used
	u.Seconds = seconds
}

var hunks = regexp.MustCompile(`(\d+ of \d+) hunks? (?:is|are) needed`)

// hunksNeeded returns the last "N of M" of needed hunks in the thread, or an empty string if there is none.
func hunksNeeded(thread string) string {
	all := hunks.FindAllStringSubmatch(thread, -1)
	if all == nil {
		return ""
	}
	return all[len(all)-1][1]
}
