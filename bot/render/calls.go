package render

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/outgoing"
)

// callable matches the ids that can be mentioned: people and user groups.
var callable = regexp.MustCompile(`^(?:[UW]|S)[A-Z0-9]+$`)

// mentions returns the mentions that a line ends with. They never come from a text, but from
// the line's Calls, and only if the configuration names them, or lets owners be called.
func (s Style) mentions(l outgoing.Line) string {
	var b strings.Builder
	for _, id := range l.Calls {
		owner := s.CallsOwners && !strings.HasPrefix(id, "S")
		if !callable.MatchString(id) || !owner && !slices.Contains(s.Calls, id) {
			continue
		}
		mention := "<@" + id + ">"
		if strings.HasPrefix(id, "S") {
			mention = "<!subteam^" + id + ">" // https://docs.slack.dev/messaging/formatting-message-text
		}
		b.WriteString(" " + mention)
	}
	if b.Len() == 0 {
		return ""
	}
	return "\nFor" + b.String()
}
