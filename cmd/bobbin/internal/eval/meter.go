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

// A meter counts what an attempt asks of models, and ends it at its limits.
type meter struct {
	limits suite.Limits
	stop   func(error)

	mu   sync.Mutex
	used report.Use
}

// count hears of every answer.
func (m *meter) count(sent int, r model.Response) {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := &m.used
	u.Steps++
	u.PromptBytes += sent
	u.Input, u.Cached, u.Output = u.Input+r.Usage.Input, u.Cached+r.Usage.Cached, u.Output+r.Usage.Output
	u.USD += r.Usage.USD
	u.Estimated = u.Estimated || r.Usage.Estimated
	switch {
	case u.Steps >= m.limits.Steps:
		m.stop(fmt.Errorf("it took %s", plaintext.CountNoun(u.Steps, "step")))
	case m.limits.USD > 0 && u.USD >= m.limits.USD:
		m.stop(fmt.Errorf("it took %.2f USD", u.USD))
	}
}

// add puts what was counted into u.
func (m *meter) add(u *report.Use) {
	m.mu.Lock()
	defer m.mu.Unlock()
	seconds := u.Seconds
	*u = m.used
	u.Seconds = seconds
}

var hunks = regexp.MustCompile(`(\d+ of \d+) hunks? (?:is|are) needed`)

// hunksNeeded is what the thread says of them last; empty where nobody looked.
func hunksNeeded(thread string) string {
	all := hunks.FindAllStringSubmatch(thread, -1)
	if all == nil {
		return ""
	}
	return all[len(all)-1][1]
}
